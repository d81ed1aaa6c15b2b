// Questions and progress go through the session, files are written here.
import { z } from 'zod';
import { writeOwnFile } from '../../../../base/index.js';
import { type FileAccess, type FileTool, type FileToolResult, fileTools } from '../../../../jobs/asks/index.js';
import { attemptPaths, baseOf } from '../../../processes/environment.js';
import { readFileWithin } from '../../../processes/safe-read.js';
import type { AgentSeat } from '../../port.js';

const call = z.looseObject({ tool: z.string().max(200), arguments: z.unknown() });

/** Null: another tool. */
export function callOwnFile(method: string, params: unknown, seat: AgentSeat): FileToolResult | null {
  const named = method === 'item/tool/call' ? call.safeParse(params).data : undefined;
  const tool = named && toolsOf(seat).find(({ name }) => name === named.tool);
  return tool ? tool.call(named.arguments, accessOf(seat)) : null;
}

export function ownTools(seat: AgentSeat): readonly object[] {
  const files = toolsOf(seat).map(({ name, description, schema }) => {
    const { $schema: _schema, ...inputSchema } = z.toJSONSchema(schema, { io: 'input' });
    return { type: 'function', name, description, inputSchema };
  });
  return [...askingTools, ...files];
}

function toolsOf(seat: AgentSeat): readonly FileTool[] {
  const { handoffFile: handoff, scratchFile: scratch, itemScratchFile: itemScratch, progressFile } = attemptPaths(seat);
  const progress = seat.keepsProgress ? progressFile : null;
  return fileTools({ handoff, scratch, itemScratch, progress, step: seat.step, attempt: String(seat.attemptNumber) });
}

/** The worker writes outside the sandbox, so links out of the folders are refused. */
function accessOf(seat: AgentSeat): FileAccess {
  return {
    read: (path) => {
      const file = readFileWithin(baseOf(seat, path), path);
      if (file.type === 'refused') throw new Error(file.why);
      return file.type === 'text' ? file.text : null;
    },
    write: (path, text) => writeOwnFile(baseOf(seat, path), path, text),
  };
}

/** `bosun mcp` has the same for models, in a process of its own. */
const askingTools = [
  {
    type: 'function',
    name: 'ask_human',
    description:
      'Ask the person who follows this work, and wait for the answer. Use it only for decisions that the code cannot answer.',
    inputSchema: {
      type: 'object',
      properties: {
        question: { type: 'string', description: 'The question, with everything they need to know to decide' },
        options: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from, if any' },
      },
      required: ['question'],
    },
  },
  {
    type: 'function',
    name: 'report_progress',
    description: 'Say in a few words what you are doing now. It interrupts no one.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
];

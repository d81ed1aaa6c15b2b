import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import {
  type AskingBosun,
  type AskKeys,
  askKeys,
  endNow,
  type FileAccess,
  type FileTool,
  type Patience,
  tellAnswer,
  whyDenied,
} from '../../jobs/asks/index.js';
import { readVersion } from '../version.js';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const maxQuestionChars = 8_000;
const maxProgressChars = 2_000;

export interface ServerTools {
  readonly asksPermission: boolean;
  readonly files: readonly { readonly tool: FileTool; readonly access: FileAccess }[];
}

export function toolServer(bosun: AskingBosun, { asksPermission, files }: ServerTools): McpServer {
  const server = new McpServer({ name: 'bosun', version: readVersion() });
  const keys = askKeys();
  server.registerTool(
    'ask_human',
    {
      description:
        'Ask the person who follows this work, and wait for the answer. Use it for decisions that only they can make, not for facts that you can find in the code.',
      inputSchema: {
        question: z.string().min(1).max(maxQuestionChars).describe('Everything they need to know to decide'),
        options: z.array(z.string().min(1).max(200)).max(10).optional().describe('Answers to choose from, if any'),
      },
    },
    ({ question, options = [] }, extra) => askHuman(bosun, keys, { question, options }, extra),
  );
  for (const { tool, access } of files) {
    const { name, description, schema } = tool;
    server.registerTool(name, { description, inputSchema: schema.shape }, (input: unknown) => {
      const { ok, text } = tool.call(input, access);
      return ok ? told(text) : failed(text);
    });
  }
  if (asksPermission) registerPermissions(server, bosun, keys);
  server.registerTool(
    'report_progress',
    {
      description: 'Say in a few words what you are doing now. It notifies no one.',
      inputSchema: { text: z.string().min(1).max(maxProgressChars) },
    },
    ({ text }, { signal }) => reportProgress(bosun, text, signal),
  );
  return server;
}

function registerPermissions(server: McpServer, bosun: AskingBosun, keys: AskKeys): void {
  server.registerTool(
    'permission_prompt',
    {
      description:
        'Ask the person who follows this work whether you may use a tool. The agent program calls this itself.',
      inputSchema: {
        tool_name: z.string().min(1).max(200),
        input: z.record(z.string(), z.unknown()),
        tool_use_id: z.string().max(500).optional(),
      },
    },
    ({ tool_name: tool, input, tool_use_id: id }, extra) => askPermission(bosun, keys, { tool, input, id }, extra),
  );
}

async function askHuman(
  bosun: AskingBosun,
  keys: AskKeys,
  asked: { readonly question: string; readonly options: readonly string[] },
  extra: Extra,
): Promise<CallToolResult> {
  if (bosun.missing !== null) return failed(`Cannot ask a person: ${bosun.missing}. ${endNow}`);
  const { key, settle } = keys.of('question', asked);
  const answer = await bosun.ask('/agent/ask', { key, ...asked }, patienceOf(extra));
  if (answer.state === 'unreachable') return failed(`Cannot ask a person: ${answer.why}. ${endNow}`);
  settle();
  return told(tellAnswer(answer));
}

async function askPermission(
  bosun: AskingBosun,
  keys: AskKeys,
  use: { readonly tool: string; readonly input: Record<string, unknown>; readonly id: string | undefined },
  extra: Extra,
): Promise<CallToolResult> {
  const { tool, input, id } = use;
  if (bosun.missing !== null) return ruling({ behavior: 'deny', message: `Cannot ask a person: ${bosun.missing}.` });
  const { key, settle } = keys.of('permission', { tool, input }, id);
  const answer = await bosun.ask('/agent/permission', { key, tool, input }, patienceOf(extra));
  if (answer.state !== 'unreachable') settle();
  if (answer.state === 'allowed') return ruling({ behavior: 'allow', updatedInput: input });
  return ruling({ behavior: 'deny', message: whyDenied(answer) });
}

async function reportProgress(bosun: AskingBosun, text: string, signal: AbortSignal): Promise<CallToolResult> {
  if (bosun.missing !== null) return failed(`Progress not reported: ${bosun.missing}. Continue with your work.`);
  const problem = await bosun.tell(text, signal);
  return problem === null ? told('Noted.') : failed(`Progress not reported: ${problem.why}. Continue with your work.`);
}

/** Progress keeps the client's tool timeout from expiring. */
function patienceOf({ signal, _meta, sendNotification }: Extra): Patience {
  const progressToken = _meta?.progressToken;
  let progress = 0;
  const onWait = () => {
    if (progressToken === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message: 'waiting for a person' };
    sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  return { signal, onWait };
}

/** Claude Code expects JSON as text here. */
function ruling(said: Readonly<Record<string, unknown>>): CallToolResult {
  return told(JSON.stringify(said));
}

function told(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

function failed(text: string): CallToolResult {
  return { ...told(text), isError: true };
}

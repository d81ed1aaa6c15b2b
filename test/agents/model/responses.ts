// OpenAI's Responses API, as far as Codex speaks it.
import { z } from 'zod';
import { inShell } from './in-shell.js';
import type { Use, Words } from './talk.js';
import { type About, content, type Events, inWords, newestPrompt, pieces, toolNamed, type Wire } from './wire.js';

const item = z.looseObject({
  type: z.string().default('message'),
  role: z.string().optional(),
  content: content.optional(),
  output: z.unknown().optional(),
});

const tool = z.looseObject({ type: z.string(), name: z.string().optional() });
/** Those of an MCP server stand together. */
const offered = tool.extend({ tools: z.array(tool).optional() });
const body = z.looseObject({ input: z.array(item), tools: z.array(offered).default([]) });

export const responsesWire: Wire = {
  path: '/v1/responses',
  read(raw) {
    const { input, tools } = body.parse(raw);
    const { prompt, before, since } = newestPrompt(input, (one) => (one.role === 'user' ? (one.content ?? '') : null));
    const results = since.filter(({ type }) => type.endsWith('_output')).map(({ output }) => textOf(output));
    return { prompt, before, results, since: JSON.stringify(since), tools: tools.flatMap(namesOf) };
  },
  error: (_status, message) => ({ error: { message, type: 'server_error', code: codeOf(message), param: null } }),
  reply,
};

function namesOf({ type, name = type, tools }: z.infer<typeof offered>): readonly string[] {
  return type === 'namespace' ? (tools ?? []).map((one) => `${name}__${one.name ?? ''}`) : [name];
}

/** A tool of a server is called by its own name, beside that of the server. */
function calledBy(name: string) {
  const [, namespace, own] = /^(mcp__.+?|multi_agent_v\d+)__(.+)$/.exec(name) ?? [];
  return namespace === undefined || own === undefined ? { name } : { namespace, name: own };
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output ?? '');
}

function codeOf(message: string): string | null {
  return /context/i.test(message) ? 'context_length_exceeded' : null;
}

async function reply(out: Events, move: Words | Use, about: About): Promise<void> {
  let sequence = 0;
  const event = (type: string, more: object) => out.send({ type, sequence_number: sequence++, ...more }, type);
  const response = { id: `resp_${about.id}`, object: 'response', created_at: 1, model: about.model };
  event('response.created', { response: { ...response, status: 'in_progress', output: [] } });
  const item =
    move.do === 'say' || move.do === 'crawl' ? await sayIt(out, move, about, event) : callIt(move, about, event);
  event('response.output_item.done', { output_index: 0, item });
  event('response.completed', {
    response: { ...response, status: 'completed', output: [item], usage: usageOf(about) },
  });
}

function usageOf({ tokens: { input, cached, output } }: About) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

type Tell = (type: string, more: object) => void;

async function sayIt(out: Events, move: Words, { id }: About, event: Tell) {
  const item = { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed' };
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  event('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } });
  event('response.content_part.added', { ...at, part: { type: 'output_text', text: '', annotations: [] } });
  await inWords(out, move, (delta) => event('response.output_text.delta', { ...at, delta }));
  event('response.output_text.done', { ...at, text: move.text });
  return { ...item, content: [{ type: 'output_text', text: move.text, annotations: [] }] };
}

function callIt(move: Use, about: About, event: Tell) {
  const { name, input } = toolOf(move, about);
  const text = JSON.stringify(input);
  const item = {
    type: 'function_call',
    id: `fc_${about.id}`,
    call_id: `call_${about.id}`,
    ...calledBy(name),
    status: 'completed',
  };
  event('response.output_item.added', { output_index: 0, item: { ...item, arguments: '', status: 'in_progress' } });
  for (const delta of pieces(text)) {
    event('response.function_call_arguments.delta', { item_id: item.id, output_index: 0, delta });
  }
  event('response.function_call_arguments.done', { item_id: item.id, output_index: 0, arguments: text });
  return { ...item, arguments: text };
}

/** It has a shell and nothing else for files. */
function toolOf(move: Use, about: About) {
  if (move.do === 'call') return { name: toolNamed(about, [move.tool]), input: move.input };
  const command = inShell(move);
  const name = toolNamed(about, ['exec_command', 'shell_command', 'shell']);
  if (name === 'exec_command') return { name, input: { cmd: command } };
  return { name, input: { command: name === 'shell' ? ['bash', '-lc', command] : command } };
}

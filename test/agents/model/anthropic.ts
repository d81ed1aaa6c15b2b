// Anthropic's Messages API, as far as Claude Code speaks it.
import { z } from 'zod';
import type { Use, Words } from './talk.js';
import { type About, content, type Events, inWords, newestPrompt, pieces, toolNamed, type Wire } from './wire.js';

const result = z.looseObject({ type: z.literal('tool_result'), content: content.optional() });

const body = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(z.looseObject({}))]) })),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
});

export const anthropicWire: Wire = {
  path: '/v1/messages',
  read(raw) {
    const { messages, tools } = body.parse(raw);
    const { prompt, before, since } = newestPrompt(messages, (one) =>
      one.role === 'user' ? content.parse(one.content) : null,
    );
    const results = since.flatMap((one) => (Array.isArray(one.content) ? one.content : []).flatMap(resultOf));
    return { prompt, before, results, since: JSON.stringify(since), tools: tools.map(({ name }) => name) };
  },
  error: (status, message) => ({ type: 'error', error: { type: typeOf(status), message } }),
  reply,
};

function resultOf(block: unknown): readonly string[] {
  const parsed = result.safeParse(block);
  return parsed.success ? [parsed.data.content ?? ''] : [];
}

function typeOf(status: number): string {
  const types = new Map([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [429, 'rate_limit_error'],
    [529, 'overloaded_error'],
  ]);
  return types.get(status) ?? 'api_error';
}

async function reply(out: Events, move: Words | Use, about: About): Promise<void> {
  const event = (type: string, more: object = {}) => out.send({ type, ...more }, type);
  const isText = move.do === 'say' || move.do === 'crawl';
  const { input, cached, output } = about.tokens;
  const fresh = { input_tokens: input - cached, cache_creation_input_tokens: 0, cache_read_input_tokens: cached };
  const usage = { ...fresh, output_tokens: 1 };
  const message = { id: `msg_${about.id}`, type: 'message', role: 'assistant', model: about.model, content: [], usage };
  event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } });
  event('ping');
  if (isText) {
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
    await inWords(out, move, (text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }));
  } else {
    const { name, input } = toolOf(move, about);
    const block = { type: 'tool_use', id: `toolu_${about.id}`, name, input: {} };
    event('content_block_start', { index: 0, content_block: block });
    for (const piece of pieces(JSON.stringify(input))) {
      event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: piece } });
    }
  }
  event('content_block_stop', { index: 0 });
  const stop = { stop_reason: isText ? 'end_turn' : 'tool_use', stop_sequence: null };
  event('message_delta', { delta: stop, usage: { output_tokens: output } });
  event('message_stop');
}

function toolOf(move: Use, about: About) {
  switch (move.do) {
    case 'run':
      return { name: 'Bash', input: { command: move.command, description: 'Run it' } };
    case 'read':
      return { name: 'Read', input: { file_path: move.path } };
    case 'write':
      return { name: 'Write', input: { file_path: move.path, content: move.text } };
    case 'call':
      return { name: toolNamed(about, [move.tool]), input: move.input };
  }
}

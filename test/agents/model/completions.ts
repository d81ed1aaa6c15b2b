// OpenAI's chat completions, as far as OpenCode speaks them.
import { z } from 'zod';
import type { Use, Words } from './talk.js';
import { type About, content, type Events, inWords, newestPrompt, pieces, toolNamed, type Wire } from './wire.js';

const body = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: content.optional() })),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
});

export const completionsWire: Wire = {
  path: '/v1/chat/completions',
  read(raw) {
    const { messages, tools } = body.parse(raw);
    const { prompt, before, since } = newestPrompt(messages, (one) =>
      one.role === 'user' ? (one.content ?? '') : null,
    );
    const results = since.filter(({ role }) => role === 'tool').map((one) => one.content ?? '');
    return { prompt, before, results, since: JSON.stringify(since), tools: tools.map((one) => one.function.name) };
  },
  error: (_status, message) => ({ error: { message, type: 'server_error', code: null, param: null } }),
  reply,
};

async function reply(out: Events, move: Words | Use, about: About): Promise<void> {
  const chunk = (delta: object, finish: string | null = null) =>
    out.send({
      id: `chatcmpl-${about.id}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: about.model,
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...(finish === null ? {} : { usage: usageOf(about) }),
    });
  const isText = move.do === 'say' || move.do === 'crawl';
  if (isText) {
    chunk({ role: 'assistant', content: '' });
    await inWords(out, move, (text) => chunk({ content: text }));
  } else {
    const { name, input } = toolOf(move, about);
    const first = { index: 0, id: `call_${about.id}`, type: 'function', function: { name, arguments: '' } };
    chunk({ role: 'assistant', content: null, tool_calls: [first] });
    for (const piece of pieces(JSON.stringify(input))) {
      chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    }
  }
  chunk({}, isText ? 'stop' : 'tool_calls');
  out.send('[DONE]');
}

function usageOf({ tokens: { input, output } }: About) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function toolOf(move: Use, about: About) {
  switch (move.do) {
    case 'run':
      return { name: 'bash', input: { command: move.command, description: 'Run it' } };
    case 'read':
      return { name: 'read', input: { filePath: move.path } };
    case 'write':
      return { name: 'write', input: { filePath: move.path, content: move.text } };
    case 'call':
      return { name: toolNamed(about, [move.tool]), input: move.input };
  }
}

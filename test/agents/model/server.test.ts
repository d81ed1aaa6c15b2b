// The model server itself, asked as each of the real programs asks it.
import { request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { startModel } from './server.js';
import { type Brain, call, fail, hang, read, run, say, scripted, write } from './talk.js';

async function given(brain: Brain) {
  const model = await startModel(brain);
  onTestFinished(() => model.close());
  const post = (path: string, body: unknown) =>
    fetch(`${model.url}${path}`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', stream: true, ...Object(body) }),
    });
  return { model, post };
}

/** What a client gathers: the data of each event. */
async function events(response: Response): Promise<readonly string[]> {
  const text = await response.text();
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
}

const prompt = (step: string) => `You are executing step ${step} for shop.\n\nDo it.`;
const script = scripted({
  Build: [run('npm test'), say('It is built.')],
  Ask: [call('ask_human', { question: 'Which?' })],
});

/** One conversation with a tool's result in it, as each provider writes it down. */
const wires = [
  {
    name: 'Messages',
    path: '/v1/messages?beta=true',
    body: (step: string, result: string | null) => ({
      tools: [{ name: 'Bash' }, { name: 'mcp__bosun__ask_human' }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: prompt(step) }] },
        ...(result === null
          ? []
          : [
              { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] },
              { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: result }] },
            ]),
      ],
    }),
    shell: { command: 'npm test', description: 'Run it' },
  },
  {
    name: 'Responses',
    path: '/v1/responses',
    body: (step: string, result: string | null) => ({
      tools: [
        { type: 'function', name: 'exec_command' },
        { type: 'namespace', name: 'mcp__bosun', tools: [{ type: 'function', name: 'ask_human' }] },
      ],
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt(step) }] },
        ...(result === null
          ? []
          : [
              { type: 'function_call', name: 'exec_command', call_id: 'c', arguments: '{}' },
              { type: 'function_call_output', call_id: 'c', output: result },
            ]),
      ],
    }),
    shell: { cmd: 'npm test' },
  },
  {
    name: 'chat completions',
    path: '/v1/chat/completions',
    body: (step: string, result: string | null) => ({
      tools: ['bash', 'bosun_ask_human'].map((name) => ({ type: 'function', function: { name } })),
      messages: [
        { role: 'user', content: prompt(step) },
        ...(result === null
          ? []
          : [
              { role: 'assistant', content: null, tool_calls: [] },
              { role: 'tool', tool_call_id: 'c', content: result },
            ]),
      ],
    }),
    shell: { command: 'npm test', description: 'Run it' },
  },
] as const;

/** The pieces of a tool's arguments, or of a text, put together again. */
function gathered(data: readonly string[], names: readonly string[]): string {
  const found: string[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (names.includes(key) && typeof inner === 'string') found.push(inner);
      else look(inner);
    }
  };
  for (const one of data) {
    const event: unknown = one === '[DONE]' ? null : JSON.parse(one);
    const isWhole = typeof event === 'object' && event !== null && /done$|completed$/.test(String(Object(event).type));
    if (!isWhole) look(event);
  }
  return found.join('');
}

it.each(wires)('streams tool calls and text: $name', async ({ path, body, shell }) => {
  const { model, post } = await given(script);
  const called = await events(await post(path, body('Build', null)));
  expect(JSON.parse(gathered(called, ['partial_json', 'delta', 'arguments']))).toEqual(shell);
  const said = await events(await post(path, body('Build', 'all green')));
  expect(gathered(said, ['text', 'delta', 'content']).replace(/^assistant/, '')).toContain('It is built.');
  expect(said.length).toBeGreaterThan(5);
  expect((await events(await post(path, body('Ask', null)))).join('\n')).toContain('bosun');
  expect(model.asked.map(({ talk }) => talk.results)).toEqual([[], ['all green'], []]);
  expect([...model.peers]).toEqual(['127.0.0.1']);
});

it.each(wires)('returns a scripted error with Retry-After: $name', async ({ path, body }) => {
  const { post } = await given(() => fail(429, 'slow down', 7));
  const response = await post(path, body('Build', null));
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('7');
  expect(await response.text()).toContain('slow down');
});

it('hangs without a response, and drops the connection on close', async () => {
  const { model, post } = await given(() => hang);
  const [wire] = wires;
  const asked = post(wire.path, wire.body('Build', null)).then(
    () => 'answered',
    () => 'gone',
  );
  while (model.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await model.close();
  expect(await asked).toBe('gone');
});

it('records and rejects requests to other hosts or paths', async () => {
  const { model } = await given(script);
  const { port } = new URL(model.url);
  const status = await new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method: 'CONNECT', path: 'example.com:443' });
    asked.once('connect', (response) => resolve(response.statusCode)).once('error', reject);
    asked.end();
  });
  expect(status).toBe(502);
  expect((await fetch(`${model.url}/v2/track`, { method: 'POST', body: '{}' })).status).toBe(404);
  expect(model.strangers).toEqual(['example.com:443', 'POST /v2/track']);
});

it('writes and reads files through a shell if there is no other tool', async () => {
  const { post } = await given(scripted({ Build: [write('a/b.txt', 'one\ntwo\n'), read('a/b.txt')] }));
  const [, responses] = wires;
  const first = await events(await post(responses.path, responses.body('Build', null)));
  expect(gathered(first, ['delta'])).toContain('mkdir -p');
  const second = await events(await post(responses.path, responses.body('Build', 'ok')));
  expect(JSON.parse(gathered(second, ['delta']))).toEqual({ cmd: "cat 'a/b.txt'" });
});

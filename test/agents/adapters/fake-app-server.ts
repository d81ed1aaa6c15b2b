// A program that speaks the wire format of `codex app-server`, and the Bosun that its worker asks.
import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { givenFolder, put } from '../attempts/given.js';

/**
 * `turn` runs once the turn has begun, with what a server does: `tell`, `ask`, `usage`, `item`, `end`, `raw`, `call` for
 * each message from Bosun, and `mark` to leave a trace in the file `done`.
 */
export function appServer(turn: string, more = ''): string {
  const source = `#!${process.execPath}
const { appendFileSync } = require('node:fs');
const raw = (line) => process.stdout.write(line + '\\n');
const send = (message) => raw(JSON.stringify(message));
const tell = (method, params) => send({ method, params });
const ids = { threadId: 't-1', turnId: 'u-1' };
const mark = (what) => appendFileSync('done', what + '\\n');
const waiting = new Map();
const ask = (id, method, params) => new Promise((resolve) => {
  waiting.set(id, resolve);
  send({ id, method, params: { ...ids, ...params } });
});
const approve = (id, command, rest) => ask(id, 'item/commandExecution/requestApproval', { kind: 'command', itemId: 'i' + id, command: "/bin/bash -lc '" + command + "'", cwd: process.cwd(), reason: 'it must be', ...rest });
const item = (type, more, done = true) => tell(done ? 'item/completed' : 'item/started', { ...ids, item: { type, id: type, ...more } });
const usage = (input, output) => tell('thread/tokenUsage/updated', { ...ids, tokenUsage: { total: { inputTokens: input, cachedInputTokens: 0, outputTokens: output } } });
const end = (status = 'completed', error = null) => tell('turn/completed', { threadId: 't-1', turn: { id: 'u-1', status, error } });
const say = (text) => item('agentMessage', { text });
let interrupted = () => end('interrupted');
let begin = async () => { ${turn} };
${more}
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
  const lines = text.split('\\n');
  text = lines.pop();
  for (const line of lines) take(JSON.parse(line));
});
process.stdin.on('end', () => process.exit(0));
const reply = (id, result) => send({ id, result });
function take(message) {
  appendFileSync('heard', JSON.stringify(message) + '\\n');
  const { id, method, params } = message;
  if (method === undefined) { waiting.get(id)?.(message.result ?? message.error); waiting.delete(id); return; }
  const own = answers[method];
  if (own) own(id, params);
}
const answers = {
  initialize: (id) => reply(id, { userAgent: 'fake' }),
  'thread/start': (id) => reply(id, { thread: { id: 't-1' } }),
  'thread/resume': (id, { threadId }) => reply(id, { thread: { id: threadId } }),
  'turn/start': (id) => { reply(id, { turn: { id: 'u-1', status: 'inProgress' } }); begin(); },
  'turn/interrupt': (id) => { reply(id, {}); interrupted(); },
  'turn/steer': (id) => reply(id, {}),
  ...(typeof changed === 'undefined' ? {} : changed),
};
`;
  const path = put(givenFolder(), 'codex.cjs', source);
  chmodSync(path, 0o755);
  return path;
}

export interface AskedBosun {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

type Answering = (asked: AskedBosun) => Readonly<Record<string, unknown>> | null;

/**
 * Answers by what is asked, a `status` in it as such; `null`: nobody answers as long as the test runs. An agent that
 * waits for words of people is answered by `words`, and is not among `asked`.
 */
export async function bosunThatAnswers(
  answer: Answering,
  words: Answering = () => null,
): Promise<{ readonly url: string; readonly asked: AskedBosun[] }> {
  const asked: AskedBosun[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const one = { path: request.url ?? '', body: z.record(z.string(), z.unknown()).parse(JSON.parse(text)) };
    const isForWords = one.path === '/agent/words';
    if (!isForWords) asked.push(one);
    const said = isForWords ? words(one) : answer(one);
    if (said === null) return;
    const status = typeof said['status'] === 'number' ? said['status'] : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, asked };
}

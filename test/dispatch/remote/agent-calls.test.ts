// What an agent elsewhere says reaches Bosun's own HTTP side, under the token of its attempt and no other.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { answerCalls } from '../../../src/dispatch/remote/index.js';
import { attemptToken } from '../../../src/jobs/attempt-token.js';

const secret = 'a'.repeat(64);
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function listen(answer: (request: IncomingMessage, body: string, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => answer(request, body, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

describe('a call of a remote agent', () => {
  it('is forwarded with the token that Bosun derives itself', async () => {
    const url = await listen(({ url: path, headers }, body, response) => {
      response.statusCode = 409;
      response.end(JSON.stringify({ path, body, token: headers.authorization }));
    });
    const call = answerCalls({ secret, url: () => url });
    const reply = await call('r1-a-g1-a1', { path: '/agent/ask', body: '{"key":"k"}' });
    expect(reply.status).toBe(409);
    const token = `Bearer ${attemptToken(secret, 'r1-a-g1-a1')}`;
    expect(JSON.parse(reply.body)).toEqual({ path: '/agent/ask', body: '{"key":"k"}', token });
  });

  it('is answered with 503 if Bosun has no HTTP side, fails, redirects or answers too much', async () => {
    const call = { path: '/agent/progress', body: '{}' } as const;
    const good = await listen((_request, _body, response) => response.end('{}'));
    const long = await listen((_request, _body, response) => response.end('x'.repeat(60_001)));
    const cut = await listen((request) => request.socket.destroy());
    const elsewhere = await listen((_request, _body, response) => {
      response.writeHead(302, { location: good }).end();
    });
    for (const url of ['', cut, long, elsewhere]) {
      const { status } = await answerCalls({ secret, url: () => url })('r1', call);
      expect(status, url).toBe(503);
    }
  });
});

import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { permissionMark } from '../../../src/agents/adapters/shared/denials.js';
import { plain, redactor } from '../../../src/base/redaction/index.js';
import { emptyEnvelope } from '../../../src/engine/index.js';
import type { AgentCall, AgentReply } from '../../../src/jobs/remote-calls.js';
import { type AgentProxy, openAgentProxy, type RelayLimits } from '../../../src/worker/remote/agent-proxy.js';
import { placesOf } from '../../../src/worker/remote/path-mapping.js';
import { translatePaths } from '../../../src/worker/remote/path-translation.js';

async function givenRelay(limits: RelayLimits = {}): Promise<AgentProxy> {
  const relay = await openAgentProxy(limits);
  onTestFinished(() => relay.close());
  return relay;
}

const answering =
  (reply: AgentReply, heard: AgentCall[] = []) =>
  (call: AgentCall) => {
    heard.push(call);
    return Promise.resolve(reply);
  };

function post(relay: AgentProxy, path: string, { token = 'own', body = '{}', headers = {} } = {}): Promise<Response> {
  const said = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
  return fetch(new URL(path, relay.url), { method: 'POST', headers: said, body });
}

describe('the local proxy between agents and Bosun', () => {
  it.each(['/agent/ask', '/agent/permission', '/agent/progress', '/agent/words'])(
    'forwards calls to %s',
    async (path) => {
      const relay = await givenRelay();
      const heard: AgentCall[] = [];
      relay.admit('own', answering({ status: 200, body: '{"state":"noted"}' }, heard));
      const response = await post(relay, path, { body: '{"text":"ä"}' });
      expect([response.status, await response.json()]).toEqual([200, { state: 'noted' }]);
      expect(heard).toEqual([{ path, body: '{"text":"ä"}' }]);
    },
  );

  it('listens on loopback only, on a port of its own', async () => {
    const [one, other] = [await givenRelay(), await givenRelay()];
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(one.url).not.toBe(other.url);
  });

  it('returns Bosun’s error responses unchanged', async () => {
    const relay = await givenRelay();
    relay.admit('own', answering({ status: 409, body: '{"detail":"not now"}' }));
    const response = await post(relay, '/agent/ask');
    expect([response.status, await response.json()]).toEqual([409, { detail: 'not now' }]);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
  });

  it('rejects the token of an attempt that does not run here, and routes by token', async () => {
    const relay = await givenRelay();
    const [mine, theirs]: [AgentCall[], AgentCall[]] = [[], []];
    const undo = relay.admit('own', answering({ status: 200, body: '{}' }, mine));
    relay.admit('other', answering({ status: 200, body: '{}' }, theirs));
    const strange = await post(relay, '/agent/ask', { token: 'ow' });
    expect(strange.status).toBe(403);
    expect(await strange.json()).toMatchObject({
      status: 403,
      error: { code: 'not_allowed', hint: expect.any(String) },
    });
    expect((await post(relay, '/agent/ask', { token: 'other' })).status).toBe(200);
    expect([mine.length, theirs.length]).toEqual([0, 1]);
    undo();
    expect((await post(relay, '/agent/ask')).status).toBe(403);
  });

  it.each([
    ['GET', '/agent/ask', {}, 405],
    ['POST', '/agent', {}, 404],
    ['POST', '/api/say', {}, 404],
    ['POST', '/agent/ask/', {}, 404],
    ['POST', '/agent/ask', { authorization: '' }, 401],
    ['POST', '/agent/ask', { authorization: 'Basic own' }, 401],
    ['POST', '/agent/ask', { origin: 'https://elsewhere.example' }, 403],
  ])('rejects %s %s with %o', async (method, path, headers, status) => {
    const relay = await givenRelay();
    const heard: AgentCall[] = [];
    relay.admit('own', answering({ status: 200, body: '{}' }, heard));
    const said = { authorization: 'Bearer own', ...headers };
    const response = await fetch(new URL(path, relay.url), {
      method,
      headers: said,
      ...(method === 'POST' && { body: '{}' }),
    });
    expect([response.status, heard]).toEqual([status, []]);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.json()).toMatchObject({ type: 'about:blank', status, title: expect.any(String) });
  });

  it('rejects requests with another Host header', async () => {
    const relay = await givenRelay();
    relay.admit('own', answering({ status: 200, body: '{}' }));
    const [line = ''] = (
      await raw(
        relay,
        'POST /agent/ask HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer own\r\nContent-Length: 2\r\n\r\n{}',
      )
    ).split('\r\n');
    expect(line).toContain(' 403 ');
  });

  it('limits the size of a request body', async () => {
    const relay = await givenRelay();
    const heard: AgentCall[] = [];
    relay.admit('own', answering({ status: 200, body: '{}' }, heard));
    const most = 'x'.repeat(70_000);
    expect((await post(relay, '/agent/progress', { body: most })).status).toBe(200);
    expect((await post(relay, '/agent/progress', { body: `${most}x` })).status).toBe(413);
    expect(heard).toHaveLength(1);
  });

  it('returns 503 if Bosun does not answer or cannot be reached', async () => {
    const relay = await givenRelay({ answerMs: 50 });
    relay.admit('own', () => new Promise(() => undefined));
    relay.admit('other', () => Promise.reject(new Error('no Redis')));
    for (const token of ['own', 'other']) {
      const response = await post(relay, '/agent/ask', { token });
      expect([response.status, await response.json()]).toMatchObject([503, { error: { code: 'queue' } }]);
    }
  });

  it('cuts off slow clients, while others are served', async () => {
    const relay = await givenRelay({ patienceMs: 200 });
    relay.admit('own', answering({ status: 200, body: '{}' }));
    const slow =
      'POST /agent/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer own\r\nContent-Length: 20\r\n\r\n{';
    const host = new URL(relay.url).host;
    const said = await raw(relay, slow.replace('Host: 127.0.0.1', `Host: ${host}`));
    expect(said).not.toContain(' 200 ');
    // Others are served all the while.
    expect((await post(relay, '/agent/ask')).status).toBe(200);
  });

  it('does not wait for open calls on close', async () => {
    const relay = await openAgentProxy();
    let called: () => void = () => undefined;
    const isCalled = new Promise<void>((resolve) => {
      called = resolve;
    });
    relay.admit('own', () => {
      called();
      return new Promise(() => undefined);
    });
    const open = post(relay, '/agent/ask').catch(() => 'cut');
    await isCalled;
    await relay.close();
    expect(await open).toBe('cut');
  });
});

/** What comes back until the other side ends it. */
function raw(relay: AgentProxy, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(relay.url).port), '127.0.0.1', () => socket.write(text));
    let said = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
    socket.on('close', () => resolve(said)).on('error', reject);
  });
}

describe('the path translation of an agent’s calls', () => {
  const places = placesOf([{ there: '/srv/shop', here: '/w/tree' }]);

  it('sends Bosun’s paths, and translates the answer back', async () => {
    const heard: AgentCall[] = [];
    const call = answering({ status: 200, body: '{"state":"answered","text":"see /srv/shop/b","by":"ada"}' }, heard);
    const talk = translatePaths({ fetch: () => Promise.reject(new Error('no')), call }, places, plain);
    const reply = await talk.call({ path: '/agent/ask', body: '{"question":"May I change /w/tree/a?"}' });
    expect(heard.map(({ body }) => JSON.parse(body))).toEqual([{ question: 'May I change /srv/shop/a?' }]);
    expect(JSON.parse(reply.body)).toEqual({ state: 'answered', text: 'see /w/tree/b', by: 'ada' });
  });

  it('forwards a body that is not JSON unchanged', async () => {
    const heard: AgentCall[] = [];
    const call = answering({ status: 400, body: 'no' }, heard);
    const talk = translatePaths({ fetch: () => Promise.reject(new Error('no')), call }, places, plain);
    expect(await talk.call({ path: '/agent/ask', body: '/w/tree{' })).toEqual({ status: 400, body: 'no' });
    expect(heard[0]?.body).toBe('/w/tree{');
  });

  it('redacts this machine’s secrets, and denies a command in which redaction would hide more than a secret', async () => {
    const heard: AgentCall[] = [];
    const call = answering({ status: 200, body: '{"state":"allowed"}' }, heard);
    const redact = redactor(['hunter2hunter2', 'a; rm -rf b']);
    const talk = translatePaths({ fetch: () => Promise.reject(new Error('no')), call }, places, redact);
    const input = {
      command: 'curl -u hunter2hunter2 x',
      url: 'http://x/?hunter2hunter2',
      hunter2hunter2: ['hunter2hunter2'],
    };
    await talk.call({ path: '/agent/permission', body: JSON.stringify({ key: 'k', tool: 'Bash', input }) });
    await talk.call({ path: '/agent/progress', body: 'no JSON: hunter2hunter2{' });
    const bare = { command: 'curl -u [redacted] x', url: 'http://x/?[redacted]', '[redacted]': ['[redacted]'] };
    expect(JSON.parse(heard[0]?.body ?? '')).toEqual({ key: 'k', tool: 'Bash', input: bare });
    expect(heard[1]?.body).toBe('no JSON: [redacted]{');
    const hiding = { key: 'l', tool: 'Bash', input: { command: 'ls a; rm -rf b' } };
    const refused = await talk.call({ path: '/agent/permission', body: JSON.stringify(hiding) });
    expect(JSON.parse(refused.body)).toMatchObject({
      state: 'denied',
      by: 'Bosun',
      why: expect.stringMatching(/secret/),
    });
    expect(heard).toHaveLength(2);
    // A grant is found by what Bosun was asked.
    const permission = { tool: 'Bash', what: '', mark: permissionMark('Bash', input) };
    const known = talk.known({ ...emptyEnvelope, asks: [{ kind: 'permission', text: '', options: [], permission }] });
    expect(known.asks?.[0]?.permission?.mark).toBe(permissionMark('Bash', bare));
  });

  it('finds a denied permission again under the mark that Bosun gave it', async () => {
    const call = answering({ status: 200, body: '{"state":"denied"}' });
    const talk = translatePaths({ fetch: () => Promise.reject(new Error('no')), call }, places, plain);
    const input = { command: 'rm /w/tree/a' };
    await talk.call({ path: '/agent/permission', body: JSON.stringify({ key: 'k', tool: 'Bash', input }) });
    const permission = { tool: 'Bash', what: 'rm /w/tree/a', mark: permissionMark('Bash', input) };
    const other = { ...permission, mark: 'another' };
    const asks = [permission, other].map((one) => ({
      kind: 'permission' as const,
      text: '',
      options: [],
      permission: one,
    }));
    const known = talk.known({ ...emptyEnvelope, asks });
    const inBosuns = permissionMark('Bash', { command: 'rm /srv/shop/a' });
    expect(known.asks?.map((ask) => ask.permission?.mark)).toEqual([inBosuns, 'another']);
  });
});

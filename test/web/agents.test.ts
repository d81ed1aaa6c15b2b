// What an agent at work asks over HTTP, with the token of its attempt.
import { writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { attemptToken } from '../../src/jobs/attempt-token.js';
import { type Given, given, type Reply, waitingAgent } from './given.js';

interface AtWork extends Given {
  readonly token: string;
  ask(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** The card that is open. */
  card(): Promise<{ readonly id: string; readonly text: string; readonly options: readonly { press: string }[] }>;
}

const question = { key: 'k1', question: 'Which?', options: ['JWT', 'a cookie'] };
const permission = { key: 'p1', tool: 'Bash', input: { command: 'npm publish' } };

const deep = `{"key":"k","tool":"T","input":{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}}`;

/** A Bosun with an agent that is at work until it is let go. */
async function atWork(): Promise<AtWork> {
  const bosun = await given({ work: true, agent: waitingAgent });
  await bosun.post('/api/say', { text: 'A: wait' });
  await bosun.post('/api/say', { text: 'continue A' });
  const id = await bosun.attempt();
  await vi.waitFor(() => expect(bosun.app.runtime.store.attempt(id)?.attempt.state).toBe('running'), 10_000);
  const token = attemptToken(bosun.home.secret, id);
  return {
    ...bosun,
    token,
    ask: (path, body, headers = {}) =>
      bosun.call(`/agent/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    card: () =>
      vi.waitFor(
        () => {
          const [open] = bosun.app.runtime.store.openInteractions('shop');
          if (!open) throw new Error('nothing is asked');
          const { id: code, text, options } = open.interaction;
          return { id: code, text, options: options.map((one) => ({ press: `${code}.${one.id}` })) };
        },
        { interval: 10, timeout: 10_000 },
      ),
  };
}

describe('an agent over HTTP', () => {
  it("gets a person's answer, and the same answer again under the same key", async () => {
    const bosun = await atWork();
    const answer = bosun.ask('ask', question);
    const { id, text } = await bosun.card();
    expect(text).toBe('Which?');
    await bosun.post('/api/press', { press: `${id}.pick-2` });
    const heard = { state: 'answered', text: 'a cookie', by: 'owner' };
    expect((await answer).json()).toEqual(heard);
    expect((await bosun.ask('ask', question)).json()).toEqual(heard);
    expect(bosun.app.runtime.store.openInteractions('shop')).toEqual([]);
  });

  it('is answered "waiting" until a person answers, with one card however often it asks', async () => {
    const bosun = await atWork();
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await bosun.ask('ask', { ...question, wait_s: 0.01 })).json()).toEqual({ state: 'waiting' });
    }
    expect(bosun.app.runtime.store.openInteractions('shop')).toHaveLength(1);
  });

  it('is allowed once by "once", and without asking again by "run"', async () => {
    const bosun = await atWork();
    const pressed = async (key: string, option: string) => {
      const answer = bosun.ask('permission', { ...permission, key });
      const { id } = await bosun.card();
      await bosun.post('/api/press', { press: `${id}.${option}` });
      return (await answer).json();
    };
    expect(await pressed('p1', 'once')).toEqual({ state: 'allowed', by: 'owner' });
    expect(await pressed('p2', 'deny')).toEqual({ state: 'denied', by: 'owner', why: null });
    expect(await pressed('p3', 'run')).toEqual({ state: 'allowed', by: 'owner' });
    expect((await bosun.ask('permission', { ...permission, key: 'p4' })).json()).toMatchObject({ state: 'allowed' });
    const other = { ...permission, key: 'p5', input: { command: 'npm publish --force' }, wait_s: 0 };
    expect((await bosun.ask('permission', other)).json()).toEqual({ state: 'waiting' });
  });

  it('can report its progress', async () => {
    const bosun = await atWork();
    expect((await bosun.ask('progress', { text: 'reading the tests' })).json()).toEqual({ state: 'noted' });
    expect(bosun.app.runtime.lastSign(await bosun.attempt())?.action).toBe('reading the tests');
  });

  it('gets "expired" when its attempt ends, and 403 after that', async () => {
    const bosun = await atWork();
    const answer = bosun.ask('permission', permission);
    await bosun.card();
    writeFileSync(bosun.goPath, '');
    expect((await answer).json()).toEqual({ state: 'expired' });
    const late = await bosun.ask('permission', permission);
    expect(late.status).toBe(403);
    expect(late.text).toContain('it has ended');
  });

  it('gets "expired" when a person aborts the run, and its card is closed', async () => {
    const bosun = await atWork();
    const answer = bosun.ask('ask', question);
    await bosun.card();
    await bosun.post('/api/say', { text: 'abort A' });
    const confirm = bosun.app.runtime.store.openInteractions('shop').find((one) => one.interaction.kind === 'confirm');
    await bosun.post('/api/press', { press: `${confirm?.interaction.id}.abort` });
    expect((await answer).json()).toEqual({ state: 'expired' });
    expect(bosun.app.runtime.store.openInteractions('shop')).toEqual([]);
  });

  it('that disconnects leaves its card, and can get the answer later', async () => {
    const bosun = await atWork();
    const stop = new AbortController();
    const gone = fetch(`${bosun.web.url}/agent/ask`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bosun.token}` },
      body: JSON.stringify(question),
      signal: stop.signal,
    }).catch((error: unknown) => error);
    const { id } = await bosun.card();
    stop.abort();
    await gone;
    await bosun.post('/api/press', { press: `${id}.pick-1` });
    expect((await bosun.ask('ask', question)).json()).toMatchObject({ state: 'answered', text: 'JWT' });
  });
});

describe('the agent endpoint', () => {
  it('accepts only the token of a running attempt', async () => {
    const bosun = await atWork();
    const statuses = async (headers: Record<string, string>) =>
      Promise.all(
        [
          ['ask', question],
          ['permission', permission],
          ['progress', { text: 'x' }],
          ['words', { wait_s: 0 }],
        ].map(async ([path, body]) => {
          const options = { method: 'POST', headers, body: JSON.stringify(body) };
          return (await bosun.call(`/agent/${path}`, options)).status;
        }),
      );
    expect(await statuses({})).toEqual([401, 401, 401, 401]);
    expect(await statuses({ authorization: 'Bearer guessed' })).toEqual([403, 403, 403, 403]);
    expect(await statuses({ authorization: `Bearer ${bosun.home.apiToken}` })).toEqual([403, 403, 403, 403]);
    const mine = `Bearer ${bosun.token}`;
    expect(await statuses({ authorization: mine, host: 'evil.example' })).toEqual([403, 403, 403, 403]);
    expect(await statuses({ authorization: mine, origin: 'http://evil.example' })).toEqual([403, 403, 403, 403]);
    expect(bosun.app.runtime.store.openInteractions('shop')).toEqual([]);
  });

  it('has a token that opens neither /api nor /metrics', async () => {
    const bosun = await atWork();
    const headers = { authorization: `Bearer ${bosun.token}` };
    for (const path of ['/api/projects', '/api/inbox', '/metrics']) {
      expect((await bosun.call(path, { headers })).status).toBe(401);
    }
    const body = JSON.stringify({ press: 'i1-1.run' });
    expect((await bosun.call('/api/press', { method: 'POST', headers, body })).status).toBe(401);
  });

  it.each([
    ['ask', 'no JSON', 'no JSON', 400],
    ['ask', 'no question', { key: 'k' }, 400],
    ['ask', 'an empty key', { ...question, key: '' }, 400],
    ['ask', 'a question of nothing', { ...question, question: ' \n' }, 400],
    ['ask', 'a question of more than 8 KB', { ...question, question: 'x'.repeat(8 * 1024 + 1) }, 400],
    ['ask', 'so many bytes of fewer letters', { ...question, question: 'é'.repeat(4 * 1024 + 1) }, 400],
    ['ask', 'eleven options', { ...question, options: Array.from({ length: 11 }, String) }, 400],
    ['ask', 'somebody else’s name', { ...question, as: 'ada' }, 400],
    ['ask', 'a body without end', { ...question, question: 'x'.repeat(100_000) }, 413],
    ['permission', 'an input that is no object', { ...permission, input: 'ls' }, 400],
    ['permission', 'an input of more than 64 KB', { ...permission, input: { command: 'x'.repeat(70_000) } }, 413],
    ['permission', 'an input nested without end', deep, 400],
    ['progress', 'no text', { text: '' }, 400],
    ['progress', 'a long text', { text: 'x'.repeat(2_001) }, 400],
  ])('rejects an invalid request to %s: %s', async (path, _, body, status) => {
    const bosun = await atWork();
    expect((await bosun.ask(path, body)).status).toBe(status);
    expect(bosun.app.runtime.store.openInteractions('shop')).toEqual([]);
    expect(bosun.logged).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { maxMessageChars, parseUp, type WorkerMessage } from '../../src/queue/redis/protocol/messages.js';
import { afarLine } from '../../src/queue/redis/protocol/remote-line.js';
import { stoppedClock } from './stopped-clock.js';

function lineOf() {
  const said: WorkerMessage[] = [];
  const ending = new AbortController();
  const time = stoppedClock(0);
  const line = afarLine({ id: 'a', clock: time.clock, signal: ending.signal, say: (up) => said.push(up) });
  return { said, ending, time, line };
}

const freight = {
  ...{ remote: 'git@host:shop', ref: 'refs/bosun/h/a/out', commit: 'c'.repeat(40), backRef: 'refs/bosun/h/a/back' },
  ...{ prefix: '', setup: null },
};
const ask = { path: '/agent/permission', body: '{}' } as const;

describe('a remote worker’s request to Bosun', () => {
  test('is retried every 10 s until it is answered', async () => {
    const { said, time, line } = lineOf();
    const got = line.fetch();
    expect(said).toEqual([{ type: 'fetch', id: 'a' }]);
    time.move(25_000);
    expect(said).toHaveLength(3);
    line.hear({ type: 'freight', id: 'a', freight, problem: null });
    expect(await got).toEqual(freight);
    time.move(60_000);
    expect([said.length, time.waiting()]).toEqual([3, 0]);
  });

  test('is rejected with Bosun’s error message', async () => {
    const { line } = lineOf();
    const got = line.fetch();
    line.hear({ type: 'freight', id: 'a', freight: null, problem: 'The remote "origin" takes no push.' });
    await expect(got).rejects.toMatchObject({ name: 'BosunError', message: 'The remote "origin" takes no push.' });
  });

  test('is rejected after an hour without an answer', async () => {
    const { time, line } = lineOf();
    const got = line.fetch();
    time.move(3_600_000);
    await expect(got).rejects.toThrow('within an hour');
  });

  test('of an agent call has a stable id of its own across retries', async () => {
    const { said, time, line } = lineOf();
    const first = line.call(ask);
    const second = line.call({ ...ask, path: '/agent/ask' });
    time.move(10_000);
    const names = said.map((up) => (up.type === 'call' ? up.call : ''));
    expect([names[0], names[1]]).toEqual([names[2], names[3]]);
    expect(new Set(names).size).toBe(2);
    line.hear({ type: 'reply', id: 'a', call: names[1] ?? '', status: 200, body: 'second' });
    line.hear({ type: 'reply', id: 'a', call: names[0] ?? '', status: 409, body: 'first' });
    expect(await first).toEqual({ status: 409, body: 'first' });
    expect(await second).toEqual({ status: 200, body: 'second' });
    expect(time.waiting()).toBe(0);
  });

  test('of an agent call returns 503 after a minute without an answer', async () => {
    const { said, time, line } = lineOf();
    const got = line.call(ask);
    time.move(60_000);
    expect(await got).toMatchObject({ status: 503 });
    expect(said.length).toBeLessThanOrEqual(7);
  });

  test('is rejected when the attempt ends', async () => {
    const { ending, time, line } = lineOf();
    const waiting = [line.fetch(), line.call(ask)];
    ending.abort('cancel');
    for (const one of waiting) await expect(one).rejects.toThrow('before Bosun answered');
    await expect(line.call(ask)).rejects.toThrow('before Bosun answered');
    expect(time.waiting()).toBe(0);
  });

  test.each([['\u0001'], ['"'], ['é']])('has room for a body of 70,000 characters, even of %j', (one) => {
    const { said, line } = lineOf();
    void line.call({ ...ask, body: one.repeat(70_000) }).catch(() => undefined);
    const sent = JSON.stringify(said[0]);
    expect(sent.length).toBeLessThan(maxMessageChars);
    expect(parseUp(sent)).toEqual(said[0]);
  });

  test('returns 413 at once if it is too large', async () => {
    const { said, line } = lineOf();
    expect(await line.call({ ...ask, body: 'x'.repeat(200_000) })).toMatchObject({ status: 413 });
    expect(said).toEqual([]);
  });
});

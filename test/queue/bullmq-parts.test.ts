import { describe, expect, test } from 'vitest';
import { type Envelope, emptyEnvelope } from '../../src/engine/index.js';
import { placeOf } from '../../src/queue/redis/connection/connect.js';
import { isOfRedis, problemsOf } from '../../src/queue/redis/connection/problems.js';
import { pack, unpack } from '../../src/queue/redis/offers/job-payload.js';
import { envelopeSchema } from '../../src/queue/redis/protocol/envelope-schema.js';
import { protocolVersion } from '../../src/queue/redis/protocol/messages.js';
import { canServe, needsKey } from '../../src/queue/redis/protocol/redis-keys.js';
import { compare } from '../../src/queue/redis/reconcile.js';
import { endingsOf } from '../../src/queue/redis/registry/batched-writes.js';
import { quota } from '../../src/queue/waiting/quota.js';
import { job } from '../contract/queue-contract.js';

describe('reconciling the job table with Redis', () => {
  const seen = { offered: ['o'], running: ['r'], isOpen: (id: string) => id !== 'x' };
  const nothing = { again: [], lost: [], unknown: [] };

  test.each([
    ['all is where it should be', ['o', 'r'], [], nothing],
    ['one that never began is gone', ['r'], [], { ...nothing, again: ['o'] }],
    ['one that began is gone', ['o'], [], { ...nothing, lost: ['r'] }],
    ['one that began is gone, and its envelope is there', ['o'], ['r'], nothing],
    ['there is one that is not open', ['o', 'r', 'x'], [], { ...nothing, unknown: ['x'] }],
    ['all is lost', [], [], { again: ['o'], lost: ['r'], unknown: [] }],
  ])('%s', (_, inRedis, results, expected) => {
    expect(compare({ ...seen, inRedis: new Set(inRedis), results: new Set(results) })).toEqual(expected);
  });
});

describe('messages of the job protocol', () => {
  const full: Envelope = {
    ...emptyEnvelope,
    fault: { code: 'limit', message: 'later', remedy: 'wait', waitMs: 5 },
    result: { status: 'pass', reason: null, summary: 'ok' },
    handoff: {
      front: {
        ...{ status: 'done', reason: null, summary: null, filesChanged: ['a'] },
        ...{ tests: { pass: 1, fail: 0, skip: 0 }, reviewDigest: null, questions: ['?'] },
      },
      body: 'text',
    },
    checks: [
      {
        ...{ name: 'tests', command: 'npm test', ok: false, exit: 1, timedOut: false, tail: 'x' },
        tests: { pass: 1, fail: 1, skip: 0, failing: ['one'] },
      },
    ],
    edits: { ok: true, ops: [{ operation: 'skip', target: 'step-1', reason: 'no' }] },
    team: [{ role: 'fe', exit: 0, filesChanged: [], conflicts: [], status: null, reason: null, summary: null }],
    session: 's',
    asks: [{ kind: 'permission', text: 't', options: ['a'], permission: { tool: 'Bash', what: 'rm', mark: 'm' } }],
    program: 'claude',
    filesKept: ['a'],
    strays: ['b'],
  };

  test.each([
    ['empty', emptyEnvelope],
    ['full', full],
  ])('round-trip an envelope: %s', (_, envelope) => {
    expect(envelopeSchema.parse(JSON.parse(JSON.stringify(envelope)))).toEqual(envelope);
  });

  test('round-trip a job, and reject one stored under another attempt’s id', () => {
    const { payload } = job('a');
    expect(unpack('a', pack(JSON.stringify(payload)), [])).toEqual({ ok: true, body: JSON.stringify(payload) });
    expect(unpack('b', pack(JSON.stringify(payload)), [])).toMatchObject({ ok: false, code: 'worker_job' });
    expect(unpack('a', { ...pack(JSON.stringify(payload)), body: '{' }, [])).toMatchObject({
      ok: false,
      code: 'worker_job',
    });
    expect(unpack('a', null, [])).toMatchObject({ ok: false, code: 'worker_job' });
  });
});

describe('a job in another version of the protocol', () => {
  const { payload } = job('a');

  test.each([1, protocolVersion + 1])('is rejected with a message that names both versions: %s', (version) => {
    const opened = unpack('a', { ...pack(JSON.stringify(payload)), version }, []);
    expect(opened).toMatchObject({ ok: false, code: 'worker_version' });
    expect(opened).toHaveProperty('message', expect.stringContaining(`version ${version} of the job protocol`));
    expect(opened).toHaveProperty('message', expect.stringContaining(`this worker speaks ${protocolVersion}.`));
  });
});

describe('the needs of a job', () => {
  test('have one key regardless of order, which cannot name another queue', () => {
    expect(needsKey(['macos', 'gpu', 'gpu'])).toBe('gpu+macos');
    expect(needsKey([])).toBe('');
    expect(['', 'a:b', 'a+b', 'A', ' '].map((odd) => needsKey([odd]))).toEqual(['-', 'a-b', 'a-b', 'a', '-']);
    expect(needsKey(['x'.repeat(99)])).toHaveLength(40);
  });

  test('are met by a worker that has all of them', () => {
    const can = new Set(['gpu', 'macos']);
    expect(['', 'gpu', 'gpu+macos'].map((key) => canServe(key, can))).toEqual([true, true, true]);
    expect(['cobol', 'cobol+gpu'].map((key) => canServe(key, can))).toEqual([false, false]);
  });
});

describe('a concurrency quota', () => {
  const counted = (id: string, project: string, kind: string, n: number) => ({ id, project, kind, priority: 0, n });

  test('admits jobs up to the limits per project and executor kind, and the next one when a job leaves', () => {
    const two = quota({
      ofProject: (name) => (name === 'shop' ? 1 : null),
      ofKind: (kind) => (kind === 'claude' ? 2 : null),
    });
    expect(two.enter(counted('a', 'shop', 'claude', 1))).toBe(true);
    expect(two.enter(counted('b', 'shop', 'command', 3))).toBe(false);
    expect(two.enter(counted('c', 'shop', 'command', 2))).toBe(false);
    expect(two.enter(counted('d', 'blog', 'claude', 4))).toBe(true);
    expect(two.enter(counted('e', 'news', 'claude', 5))).toBe(false);
    expect(two.leave('a').map(({ id }) => id)).toEqual(['c', 'e']);
    expect(two.remove('b')).toBe(true);
    expect(two.leave('c')).toEqual([]);
    expect(two.leave('c')).toEqual([]);
  });
});

describe('the table rows of settled jobs', () => {
  test('are deleted with the next batch if a delete failed', async () => {
    const forgotten: (readonly string[])[] = [];
    let isFull = true;
    const forget = (ids: readonly string[]) => {
      if (isFull) throw new Error('the disk is full');
      forgotten.push(ids);
    };
    const errors: unknown[] = [];
    const endings = endingsOf({ forget }, (error) => errors.push(error));
    endings.add('a');
    await expect.poll(() => errors).toHaveLength(1);
    isFull = false;
    endings.add('b');
    endings.add('c');
    await expect.poll(() => forgotten).toEqual([['a', 'b', 'c']]);
    expect(endings.has('a')).toBe(false);
  });
});

describe('a Redis problem', () => {
  test('is reported when it begins and when it ends', () => {
    const told: (string | null)[] = [];
    const problems = problemsOf(placeOf('redis://bosun:hunter2@redis.example:6379'), (one) => told.push(one));
    problems.note(new Error('connect ECONNREFUSED'));
    problems.note(new Error('Command timed out'));
    expect(problems.present).toMatch(/too slow/);
    problems.clear();
    problems.clear();
    problems.note(new Error("OOM command not allowed when used memory > 'maxmemory'."));
    const there = 'Redis at redis.example:6379 is';
    const [away, full] = [
      expect.stringContaining(`${there} unreachable`),
      expect.stringContaining(`${there} out of memory`),
    ];
    expect(told).toEqual([away, null, full]);
    problems.note(new Error('connect ECONNREFUSED redis://bosun:hunter2@redis.example:6379'));
    expect([...told, problems.present].join('\n')).not.toContain('hunter2');
  });

  test('is a connection error, as opposed to a bug of our own', () => {
    const ofTheWay = [
      'connect EHOSTUNREACH 10.0.0.1:6379',
      'connect ETIMEDOUT',
      'getaddrinfo ENOTFOUND redis',
      'write EPIPE',
    ];
    expect(ofTheWay.filter((said) => !isOfRedis(new Error(said)))).toEqual([]);
    expect(isOfRedis(new TypeError('x is not a function'))).toBe(false);
  });
});

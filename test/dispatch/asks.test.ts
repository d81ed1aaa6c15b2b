import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { permissionMark } from '../../src/agents/adapters/shared/denials.js';
import { BosunError } from '../../src/base/error.js';
import { type Redact, redactor } from '../../src/base/redaction/index.js';
import { AgentQuestions, type OpenAgentQuestion } from '../../src/dispatch/attempts/agent-questions.js';
import type { Plan } from '../../src/dispatch/plans/plan.js';
import type { AgentAnswer, Event } from '../../src/engine/index.js';
import { attemptToken } from '../../src/jobs/attempt-token.js';
import { permissionAsk } from '../../src/worker/attempt/tool-permission.js';
import { aJob } from '../store/values.js';

const secret = 'a secret';
const attempt = 'h-r1-_-impl-g1-d1';
const token = attemptToken(secret, attempt);
const withinMs = 60_000;
const question: OpenAgentQuestion = { kind: 'question', text: 'Which?', options: ['JWT', 'a cookie'] };
const allowed: AgentAnswer = { kind: 'allowed', by: 'ada' };

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

interface Options {
  readonly access?: 'read' | 'write';
  readonly redact?: Redact;
}

/** A room of one attempt that is at work, in which every event is taken. */
function given({ access = 'write', redact = redactor(['hunter2']) }: Options = {}) {
  const events: Event[] = [];
  const waits: boolean[] = [];
  const errors: unknown[] = [];
  const open: object[] = [];
  const row = { attempt: { id: attempt, state: 'running' }, run: 'r1', chain: '', node: 'n1', checkpoint: null };
  const executor = { kind: 'command', run: ['a'], env: {}, passEnv: [], answerWithinMs: withinMs } as const;
  const payload = { ...aJob(attempt).payload, access, executor };
  const world = { fails: false, ignored: null as string | null, onEvent: (_: Event): void => undefined };
  const asks = new AgentQuestions({
    store: {
      openAttempts: () => (row.attempt.state === 'settled' ? [] : [row as never]),
      attempt: () => row as never,
      spine: () => ({ interactions: open }) as never,
      jobs: { payload: () => payload },
    },
    queue: { wait: async (_, isWaiting) => waits.push(isWaiting) > 0 },
    secret,
    redactOf: () => redact,
    now: Date.now,
    submit: async (work) => {
      if (world.fails) throw new BosunError('disk', 'full');
      const plan: Plan = work({ at: Date.now() } as never);
      for (const event of plan.events) {
        events.push(event);
        world.onEvent(event);
      }
      return { ignored: [world.ignored], replies: [], messages: [], exit: 0 };
    },
    onError: (error) => errors.push(error),
  });
  const ask = (key: string, what: OpenAgentQuestion = question, waitMs?: number) =>
    asks.ask({ token, key, ask: what, ...(waitMs === undefined ? {} : { waitMs }) });
  const tell = (key: string, answer: AgentAnswer) => asks.tell({ type: 'tell_agent', attempt, key, answer });
  return { asks, ask, tell, events, waits, errors, world, row, open };
}

const bash = (command: string): OpenAgentQuestion => ({ kind: 'permission', tool: 'Bash', input: { command } });

it('returns the answer to a waiting agent, and again when the agent asks again', async () => {
  const { ask, tell, events, waits } = given();
  const heard = ask('k1');
  await vi.advanceTimersByTimeAsync(0);
  tell('k1', { kind: 'answered', text: 'JWT', by: 'ada' });
  expect(await heard).toEqual({ kind: 'answered', text: 'JWT', by: 'ada' });
  expect(await ask('k1')).toEqual({ kind: 'answered', text: 'JWT', by: 'ada' });
  // Its card says how long the agent waits.
  expect(events).toMatchObject([{ type: 'agent_asked', waitsUntil: 1_000_000 + withinMs }]);
  expect(waits).toEqual([true, false]);
});

it('returns "waiting" after at most 25 s, and stores one question for repeated calls', async () => {
  const { ask, events } = given();
  const heard = ask('k1', question, 3_600_000);
  const beside = ask('k1', question, 10);
  await vi.advanceTimersByTimeAsync(10);
  expect(await beside).toEqual({ kind: 'waiting' });
  await vi.advanceTimersByTimeAsync(24_990);
  expect(await heard).toEqual({ kind: 'waiting' });
  expect(events).toHaveLength(1);
});

it('returns an answer that arrived while no call was waiting', async () => {
  const { ask, tell } = given();
  expect(await Promise.all([ask('k1', question, 1), vi.advanceTimersByTimeAsync(1)])).toContainEqual({
    kind: 'waiting',
  });
  tell('k1', allowed);
  expect(await ask('k1')).toEqual(allowed);
});

it('returns an answer that is already stored without polling', async () => {
  const { ask, tell, world, waits } = given();
  world.onEvent = () => tell('k1', allowed);
  expect(await ask('k1', bash('ls'))).toEqual(allowed);
  expect(waits).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

it("expires a question after the executor's time limit", async () => {
  const { ask, tell, events, world, waits } = given();
  const heard = ask('k1', question, 1);
  await vi.advanceTimersByTimeAsync(withinMs - 1);
  expect(await heard).toEqual({ kind: 'waiting' });
  world.onEvent = (event) => event.type === 'ask_expired' && tell('k1', { kind: 'expired' });
  const again = ask('k1');
  await vi.advanceTimersByTimeAsync(1);
  expect(await again).toEqual({ kind: 'expired' });
  expect(events.at(-1)).toMatchObject({ type: 'ask_expired', run: 'r1', attempt, key: 'k1' });
  expect(waits).toEqual([true, false]);
});

it('expires a waiting call when the engine ignores the expiry because the question is no longer open', async () => {
  const { ask, world } = given();
  const heard = ask('k1', question, 1);
  await vi.advanceTimersByTimeAsync(1);
  await heard;
  world.ignored = 'not open';
  await vi.advanceTimersByTimeAsync(withinMs);
  expect(await ask('k1')).toEqual({ kind: 'expired' });
});

it('expires a waiting call even when the expiry cannot be stored', async () => {
  const { ask, world, errors, waits } = given();
  const heard = ask('k1', question, 1);
  await vi.advanceTimersByTimeAsync(1);
  await heard;
  world.fails = true;
  await vi.advanceTimersByTimeAsync(withinMs);
  expect(await ask('k1')).toEqual({ kind: 'expired' });
  expect(String(errors)).toContain('full');
  expect(waits).toEqual([true, false]);
});

it('marks the attempt as waiting while at least one question is open', async () => {
  const { ask, tell, waits } = given();
  const both = [ask('k1'), ask('k2', bash('ls'))];
  await vi.advanceTimersByTimeAsync(0);
  tell('k1', allowed);
  expect(waits).toEqual([true]);
  tell('k2', allowed);
  expect(waits).toEqual([true, false]);
  await Promise.all(both);
});

it('expires the open questions of a settled attempt and forgets them', async () => {
  const { asks, ask, row } = given();
  const heard = ask('k1');
  await vi.advanceTimersByTimeAsync(0);
  expect(asks.size).toBe(1);
  asks.look(new Set(['r1']));
  expect(asks.size).toBe(1);
  row.attempt.state = 'settled';
  asks.look(new Set(['r2']));
  expect(asks.size).toBe(1);
  asks.look(new Set(['r1']));
  expect(await heard).toEqual({ kind: 'expired' });
  expect([asks.size, vi.getTimerCount()]).toEqual([0, 0]);
});

it('returns "waiting" to open calls and clears every timer on close', async () => {
  const { asks, ask, events } = given();
  const heard = ask('k1');
  await vi.advanceTimersByTimeAsync(0);
  asks.close();
  expect(await heard).toEqual({ kind: 'waiting' });
  expect(vi.getTimerCount()).toBe(0);
  expect(events.map(({ type }) => type)).toEqual(['agent_asked']);
});

it('stops waiting when the caller disconnects, and keeps the question open', async () => {
  const { asks, ask, tell } = given();
  const gone = new AbortController();
  const heard = asks.ask({ token, key: 'k1', ask: question, gone: gone.signal });
  await vi.advanceTimersByTimeAsync(0);
  gone.abort();
  expect(await heard).toEqual({ kind: 'waiting' });
  tell('k1', allowed);
  expect(await ask('k1')).toEqual(allowed);
});

it('rejects a key that was used for another question, so that an approval covers only one request', async () => {
  const { ask, tell } = given();
  const heard = ask('k1', bash('ls'));
  await vi.advanceTimersByTimeAsync(0);
  tell('k1', allowed);
  expect(await heard).toEqual(allowed);
  await expect(ask('k1', bash('rm -rf .'))).rejects.toThrow('already belongs to another question');
});

it('rejects the token of an attempt that is unknown, still queued or settled', async () => {
  const { asks, ask, row } = given();
  await expect(asks.ask({ token: 'another', key: 'k1', ask: question })).rejects.toThrow('no running attempt');
  row.attempt.state = 'queued';
  await expect(ask('k1')).rejects.toThrow('no running attempt');
  row.attempt.state = 'settled';
  await expect(ask('k1')).rejects.toThrow('no running attempt');
  expect(asks.size).toBe(0);
});

it('expires a question when the attempt was superseded just before', async () => {
  const { ask, world } = given();
  world.ignored = 'superseded';
  expect(await ask('k1')).toEqual({ kind: 'expired' });
  expect(vi.getTimerCount()).toBe(0);
});

it('throws when the question cannot be stored, and accepts a retry', async () => {
  const { asks, ask, tell, world } = given();
  world.fails = true;
  await expect(ask('k1')).rejects.toThrow('full');
  expect(asks.size).toBe(0);
  world.fails = false;
  const heard = ask('k1');
  await vi.advanceTimersByTimeAsync(0);
  tell('k1', allowed);
  expect(await heard).toEqual(allowed);
});

it('limits an attempt to 20 open questions', async () => {
  const { ask } = given();
  const open = Array.from({ length: 20 }, (_, at) => ask(`k${at}`, question, 1));
  await expect(ask('one more')).rejects.toThrow('asks too many questions: 20 open');
  await vi.advanceTimersByTimeAsync(1);
  expect(await Promise.all(open)).toHaveLength(20);
});

it.each(['Bash', 'Edit', 'Write', 'NotebookEdit', 'MultiEdit', 'apply_patch'])(
  'denies %s in a read-only step without asking a person',
  async (tool) => {
    const { ask, events } = given({ access: 'read' });
    const heard = await ask('k1', { kind: 'permission', tool, input: {} });
    expect(heard).toMatchObject({ kind: 'denied', by: 'Bosun', why: expect.stringContaining('read-only') });
    expect(events).toEqual([]);
  },
);

it('recovers the open questions of an earlier process: keys still match, and deadlines still hold', async () => {
  const { asks, ask, tell, events, open } = given();
  const { mark } = permissionAsk({ tool: 'Bash', input: { command: 'ls' } }).permission ?? {};
  const permission = { tool: 'Bash', what: 'ls', mark };
  const since = Date.now() - withinMs / 2;
  open.push(
    { state: 'open', openedAt: since, subject: { type: 'agent_permission', attempt, key: 'p1', permission } },
    { state: 'open', openedAt: since, subject: { type: 'agent_question', attempt, key: 'q1', isLate: false } },
    { state: 'answered', openedAt: since, subject: { type: 'agent_question', attempt, key: 'q2', isLate: false } },
    { state: 'open', openedAt: since, subject: { type: 'agent_question', attempt: 'other', key: 'q3', isLate: false } },
  );
  asks.recover();
  const heard = ask('p1', bash('ls'));
  await expect(ask('p1', bash('rm'))).rejects.toThrow('another question');
  tell('p1', allowed);
  expect(await heard).toEqual(allowed);
  expect(events).toEqual([]);
  await vi.advanceTimersByTimeAsync(withinMs / 2);
  expect(events).toEqual([expect.objectContaining({ type: 'ask_expired', key: 'q1' })]);
  expect(await ask('q1')).toEqual({ kind: 'expired' });
});

it('redacts secrets in a question, and computes the permission mark from the original command', async () => {
  const { ask, events } = given();
  const asked = [
    ask('k1', { kind: 'question', text: 'Is hunter2 right?', options: ['hunter2'] }, 1),
    ask('k2', bash('login hunter2'), 1),
  ];
  await vi.advanceTimersByTimeAsync(1);
  await Promise.all(asked);
  expect(JSON.stringify(events)).not.toContain('hunter2');
  const mark = permissionMark('Bash', { command: 'login hunter2' });
  expect(events[1]).toMatchObject({ ask: { permission: { what: 'login [redacted]', mark } } });
});

it('asks a person about other tools in a read-only step', async () => {
  const { ask, events } = given({ access: 'read' });
  const heard = ask('k1', { kind: 'permission', tool: 'WebFetch', input: { url: 'http://x' } }, 1);
  await vi.advanceTimersByTimeAsync(1);
  await heard;
  expect(events).toHaveLength(1);
});

it.each([
  'echo -----BEGIN PRIVATE KEY-----|curl local/some/long/script|sh',
  'ls ://a:b;rm$IFS-rf$IFS.;@y',
  `${'true; '.repeat(600)}ls ://a:b;rm$IFS.;@y`,
])('denies a command in which redaction would hide more than a secret, without asking: %s', async (command) => {
  const { ask, events } = given();
  expect(await ask('k1', bash(command))).toMatchObject({ kind: 'denied', by: 'Bosun' });
  expect(events).toEqual([]);
});

it('leaks no part of a secret at the cut of a long command', async () => {
  const { ask, events } = given({ redact: redactor(['a-very-secret-word']) });
  const heard = ask('k1', bash(`${'x'.repeat(1_990)} a-very-secret-word --and more`), 0);
  await vi.advanceTimersByTimeAsync(1);
  expect(await heard).toEqual({ kind: 'waiting' });
  expect(JSON.stringify(events)).not.toContain('a-very');
});

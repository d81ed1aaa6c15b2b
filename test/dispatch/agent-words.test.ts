// Words on their way to a running agent: only the attempt with the token gets them.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BosunError } from '../../src/base/error.js';
import { AgentWords } from '../../src/dispatch/people/agent-words.js';
import type { Plan } from '../../src/dispatch/plans/plan.js';
import type { Event, HumanNote } from '../../src/engine/index.js';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const gone = new AbortController().signal;
const said = (to: string | null): HumanNote => ({
  ...{ kind: 'remark', question: null, text: 'Use JWT', by: 'ada', node: 'n1' },
  words: { key: 'k1', to },
});

function given() {
  const events: Event[] = [];
  const notes: HumanNote[] = [];
  const words = new AgentWords({
    store: { chain: () => ({ notes }) as never },
    attemptOf: (token) => {
      if (token !== 'its token') throw new BosunError('not_allowed', 'that token belongs to no running attempt');
      return { attempt: { id: 'a2' }, run: 'r1', chain: 'US-1' } as never;
    },
    now: Date.now,
    submit: async (work) => {
      const plan: Plan = work({ at: Date.now() } as never);
      events.push(...plan.events);
      return { ignored: [null], replies: [], messages: [], exit: 0 };
    },
  });
  const next = (heard: { key: string; isHeard: boolean } | null = null, token = 'its token') =>
    words.next({ token, heard, waitMs: 25_000, gone });
  return { words, next, notes, events };
}

it('a waiting agent gets the words once their commit is told', async () => {
  const { words, next, notes } = given();
  expect(words.hears('a2')).toBe(false);
  const reply = next();
  await vi.advanceTimersByTimeAsync(0);
  expect(words.hears('a2')).toBe(true);
  notes.push(said('a2'));
  words.look(new Set(['r1']));
  expect(await reply).toEqual({ kind: 'words', key: 'k1', text: 'Use JWT', by: 'ada' });
});

it.each([['a1'], [null]])('words to %s never reach the attempt that replaced it', async (to) => {
  const { words, next, notes } = given();
  notes.push(said(to));
  const reply = next();
  words.look(new Set(['r1']));
  await vi.advanceTimersByTimeAsync(25_000);
  expect(await reply).toEqual({ kind: 'waiting' });
});

it('what became of words is recorded for that attempt, before the next ones are fetched', async () => {
  const { words, next, events } = given();
  const reply = next({ key: 'k1', isHeard: true });
  await vi.advanceTimersByTimeAsync(0);
  words.close();
  expect(await reply).toEqual({ kind: 'waiting' });
  const heard = { type: 'words_heard', run: 'r1', chain: 'US-1', attempt: 'a2', key: 'k1', isHeard: true };
  expect(events).toEqual([{ ...heard, at: 1_000_000 }]);
});

it('an agent that no longer calls is not offered words, and a wrong token gets none', async () => {
  const { words, next } = given();
  void next();
  await vi.advanceTimersByTimeAsync(40_000);
  expect(words.hears('a2')).toBe(false);
  await expect(next(null, 'another')).rejects.toThrow('no running attempt');
});

// People are told again in time, once, and after whatever came between: a restart, a machine that slept, quiet hours.
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { QuietHours } from '../../src/config/index.js';
import { emptyPlan } from '../../src/dispatch/index.js';
import { Reminders } from '../../src/dispatch/people/reminders.js';
import type { Approvals } from '../../src/engine/index.js';
import { def, workflow } from '../engine/builders.js';
import { type Bench, begun, givenBench } from './given.js';

const hour = 3_600_000;
const night: QuietHours = { fromMinute: 22 * 60, toMinute: 7 * 60, zone: 'UTC', questionsRing: false };

afterEach(() => void vi.useRealTimers());

interface Given {
  readonly bench: Bench;
  /** Hours since the question, of each that was told. */
  told(): readonly string[];
  reminders: Reminders;
  /** As if Bosun was started anew. */
  restart(): Promise<void>;
  at(hours: number): Promise<void>;
}

/** A review that is asked at `from`, by the clock of UTC. */
async function given(patch: Partial<Approvals>, from = '2026-05-04T10:00:00Z', quiet: QuietHours | null = null) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.parse(from) });
  let noted: Reminders | null = null;
  const clocked = { get: () => Date.now() };
  const bench = givenBench({
    onAct: () => undefined,
  });
  Object.defineProperty(bench, 'clock', { get: clocked.get, set: () => undefined });
  const approvals = {
    quorum: 1,
    notRequester: false,
    remindAfterMs: null,
    escalateAfterMs: null,
    escalateTo: [],
    ...patch,
  };
  const submit = bench.dispatcher.submit.bind(bench.dispatcher);
  const errors: unknown[] = [];
  const begin = async (): Promise<Reminders> => {
    const made = new Reminders({
      ...{ store: bench.store, submit, now: () => Date.now(), quietHours: () => quiet },
      onError: (error) => void errors.push(error),
    });
    onTestFinished(() => made.close());
    await made.recover((run) => bench.store.spine(run));
    noted = made;
    return made;
  };
  await begun(bench, 1, { workflow: workflow([def('review', { kind: 'human', approvals })]) });
  const asked = bench.store.openInteractions(null)[0]?.interaction.openedAt ?? 0;
  const all: Given = {
    bench,
    reminders: await begin(),
    told: () =>
      bench.store
        .messages('t1', null, 100)
        .filter(({ view }) => ['reminded', 'escalated', 'snooze_over'].includes(view.text))
        .map(({ view, at }) => `${view.text} ${Math.round((at - asked) / 36_000) / 100}`),
    restart: async () => {
      all.reminders.close();
      all.reminders = await begin();
    },
    at: async (hours) => {
      vi.setSystemTime(asked + hours * hour);
      await all.reminders.look();
      noteChanges();
    },
  };
  /** As the room does after each commit. */
  const noteChanges = () => {
    const open = bench.store.openInteractions(null);
    noted?.note(open.map(({ run, interaction }) => ({ run, project: 'shop', interaction })));
  };
  return all;
}

describe('a reminder of an unanswered question', () => {
  it('is sent three times, after one interval and then twice as long each time, and then no more', async () => {
    const { reminders, told, at } = await given({ remindAfterMs: hour });
    for (const hours of [0.5, 1, 2.9, 3, 5, 7, 20]) await at(hours);
    expect(told()).toEqual(['reminded 1', 'reminded 3', 'reminded 7']);
    expect(reminders.size).toBe(0);
  });

  it('is sent once after the machine slept, not once for each missed time', async () => {
    const { told, at } = await given({ remindAfterMs: hour, escalateAfterMs: 8 * hour, escalateTo: ['bob'] });
    await at(50);
    await at(50.1);
    expect(told()).toEqual(['reminded 50', 'escalated 50']);
    await at(52);
    expect(told().at(-1)).toBe('reminded 52');
  });

  it('keeps its schedule over restarts', async () => {
    const all = await given({ remindAfterMs: hour });
    await all.at(1);
    await all.restart();
    await all.at(2.9);
    await all.restart();
    await all.at(3);
    await all.restart();
    expect(all.told()).toEqual(['reminded 1', 'reminded 3']);
  });

  it('is cancelled when the question is answered', async () => {
    const { bench, reminders, told, at } = await given({ remindAfterMs: hour });
    expect(reminders.size).toBe(1);
    const [open] = bench.store.openInteractions(null);
    const said = { type: 'answered', run: 'r1', chain: '', at: 9, by: 'bob', option: 'approve' } as const;
    await bench.dispatcher.submitEvent({ ...said, interaction: open?.interaction.id ?? '', text: null, behind: null });
    await at(1);
    expect([reminders.size, told()]).toEqual([0, []]);
  });

  it('whose workflow wants no reminder is never tracked', async () => {
    const { reminders, told, at } = await given({});
    expect(reminders.size).toBe(0);
    await at(50);
    expect([reminders.size, told()]).toEqual([0, []]);
  });

  it('is sent by a timer, without a call', async () => {
    const { told } = await given({ remindAfterMs: hour });
    await vi.advanceTimersByTimeAsync(hour - 1_000);
    expect(told()).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    await vi.waitFor(() => expect(told()).toEqual(['reminded 1']));
  });
});

describe('reminders in quiet hours', () => {
  it('are held until the quiet hours end, then sent once', async () => {
    const { told, at } = await given(
      { remindAfterMs: hour, escalateAfterMs: 2 * hour, escalateTo: ['bob'] },
      '2026-05-04T21:30:00Z',
      night,
    );
    for (const hours of [1, 3, 9.4]) await at(hours);
    expect(told()).toEqual([]);
    await at(9.5);
    await at(9.6);
    expect(told()).toEqual(['reminded 9.5', 'escalated 9.5']);
  });

  it('are held even if they were due before and missed', async () => {
    const { told, at } = await given({ remindAfterMs: hour }, '2026-05-04T20:00:00Z', night);
    await at(5);
    expect(told()).toEqual([]);
    await at(11);
    expect(told()).toEqual(['reminded 11']);
  });
});

describe('the end of a snooze', () => {
  async function snoozed(hours: number, quiet: QuietHours | null = null) {
    const all = await given({}, '2026-05-04T20:00:00Z', quiet);
    const [open] = all.bench.store.openInteractions(null);
    if (open === undefined) throw new Error('nothing is open');
    const { id, chain, openedAt } = open.interaction;
    const until = openedAt + hours * hour;
    const event = { type: 'snooze', run: open.run, chain, at: openedAt, by: 'ada', interaction: id, until } as const;
    await all.bench.dispatcher.submit(() => ({ ...emptyPlan, events: [event] }));
    await all.at(0);
    return all;
  }

  it('is told once, when its time has come', async () => {
    const { told, at, reminders } = await snoozed(2);
    for (const hours of [1.9, 2, 2.1, 9]) await at(hours);
    expect([told(), reminders.size]).toEqual([['snooze_over 2'], 0]);
  });

  it('is told once after a restart, and waits for the end of quiet hours', async () => {
    const all = await snoozed(3, night);
    await all.at(2.5);
    await all.restart();
    for (const hours of [3, 10.9, 11, 12]) await all.at(hours);
    expect(all.told()).toEqual(['snooze_over 11']);
  });
});

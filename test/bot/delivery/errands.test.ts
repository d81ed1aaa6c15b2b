// Calls that are no messages: signs, made at once or not at all, and errands, which wait for their turn.
import { describe, expect, it } from 'vitest';
import type { PostResult } from '../../../src/bot/delivery/index.js';
import { openedCourier, posted } from './given.js';

const done: PostResult = { kind: 'unchanged' };
const rings = { rings: true, kind: 'report' };

describe('an aside call', () => {
  it('delays no message and leaves half of each minute to messages', async () => {
    const { clock, rows, calls, courier } = openedCourier();
    const began = clock.now();
    expect(await courier.aside('1', async () => done)).toBe(true);
    courier.take([rows.commit('1', 'a')]);
    await clock.pass(5_000);
    expect(calls.map(({ at }) => at - began)).toEqual([0]);
    const told: boolean[] = [];
    for (let sign = 0; sign < 40; sign += 1) told.push(await courier.aside('1', async () => done));
    expect(told.filter(Boolean)).toHaveLength(28);
  });

  it('never exceeds the calls that a lane may make in a minute', async () => {
    const { clock, rows, calls, courier } = openedCourier();
    let signs = 0;
    for (let at = 0; at < 40; at += 1) {
      if (await courier.aside('-1', async () => done)) signs += 1;
      if (at === 25) courier.take([rows.commit('-1', 'a')]);
      await clock.pass(1_100);
    }
    expect([signs, calls.length]).toEqual([10, 1]);
  });

  it('counts against the limit of the bot, unless the platform counts it for no chat', async () => {
    const { courier } = openedCourier();
    const told: boolean[] = [];
    for (let chat = 0; chat < 2_000; chat += 1) told.push(await courier.aside(String(chat), async () => done));
    const shown = told.filter(Boolean).length;
    expect(shown).toBeLessThan(1_000);
    expect(told.slice(0, shown).every(Boolean)).toBe(true);
    expect(await courier.aside('presses', async () => done, false)).toBe(true);
  });
});

it('rate-limited aside calls outside any chat delay no message', async () => {
  const { clock, rows, calls, courier } = openedCourier();
  for (const kind of ['add', 'remove', 'publish', 'answer']) {
    expect(await courier.aside(kind, async () => ({ kind: 'wait', ms: 60_000 }), false)).toBe(false);
  }
  courier.take([rows.commit('1', 'a')]);
  await clock.pass(1_000);
  expect(calls).toHaveLength(1);
});

it('a hanging aside call does not delay shutdown', async () => {
  const { clock, courier } = openedCourier();
  const asked = courier.aside('1', () => new Promise<PostResult>(() => undefined));
  const closed = courier.close();
  await clock.pass(2_000);
  await closed;
  expect(await asked).toBe(false);
});

describe('an errand', () => {
  it('runs after ringing messages and before the rest, at the pace of its lane', async () => {
    const { clock, rows, calls, courier } = openedCourier();
    const began = clock.now();
    courier.take([rows.commit('1', 'first'), rows.commit('1', 'answer'), rows.commit('1', 'final', rings)]);
    const made: number[] = [];
    const ended = courier.errand('1', async () => {
      made.push(clock.now() - began);
      return { kind: 'posted', place: '', ids: ['5'], isWhole: true };
    });
    await clock.pass(10_000);
    expect(await ended).toMatchObject({ ids: ['5'] });
    expect(calls.map(({ text, at }) => [text, at - began])).toEqual([
      ['final', 0],
      ['first', 2_000],
      ['answer', 3_000],
    ]);
    expect(made).toEqual([1_000]);
  });

  it('that is cosmetic runs after every message', async () => {
    const { clock, rows, calls, courier } = openedCourier();
    courier.take([rows.commit('1', 'a'), rows.commit('1', 'working', { kind: 'progress' })]);
    const made: number[] = [];
    const ended = courier.errand('1', async () => ({ ...done, at: made.push(calls.length) }), 60_000, true);
    await clock.pass(20_000);
    expect([await ended, made]).toEqual([expect.objectContaining(done), [2]]);
  });

  it('is retried after a rate limit, and its lane waits with it', async () => {
    const { clock, rows, calls, courier } = openedCourier();
    const began = clock.now();
    const answers: PostResult[] = [{ kind: 'wait', ms: 30_000 }, done];
    const made: number[] = [];
    const ended = courier.errand('1', async () => {
      made.push(clock.now() - began);
      return answers.shift() ?? done;
    });
    courier.take([rows.commit('1', 'a')]);
    await clock.pass(60_000);
    expect([await ended, made]).toEqual([done, [0, 30_000]]);
    expect(calls[0]?.at).toBeGreaterThan(began + 30_000);
  });

  it('is dropped when a rate limit or a busy lane outlasts its deadline', async () => {
    const { clock, rows, courier } = openedCourier();
    let made = 0;
    const call = async (): Promise<PostResult> => {
      made += 1;
      return { kind: 'wait', ms: 600_000 };
    };
    expect(await courier.errand('1', call)).toEqual({ kind: 'wait', ms: 600_000 });
    const second = courier.errand('1', call, 5_000);
    courier.take([rows.commit('1', 'a')]);
    await clock.pass(6_000);
    expect([await second, made]).toEqual([{ kind: 'wait', ms: 5_000 }, 1]);
    await clock.pass(600_000);
    expect([made, rows.open()]).toEqual([1, []]);
  });

  it('follows its chat to a new id', async () => {
    const { clock, courier } = openedCourier();
    const lanes: string[] = [];
    const ended = courier.errand('1', async (lane) => {
      lanes.push(lane);
      return lane === '1' ? { kind: 'moved', to: '-1001' } : done;
    });
    await clock.pass(10_000);
    expect([await ended, lanes]).toEqual([done, ['1', '-1001']]);
  });

  it('is resolved at shutdown instead of being left waiting', async () => {
    const { clock, rows, courier } = openedCourier(posted);
    courier.take([rows.commit('1', 'a')]);
    const all = Array.from({ length: 25 }, () => courier.errand('1', async () => done));
    await clock.pass(100);
    await courier.close();
    const ended = await Promise.all(all);
    expect(ended.every(({ kind }) => kind === 'wait')).toBe(true);
    expect(await courier.errand('1', async () => done)).toMatchObject({ kind: 'wait' });
  });
});

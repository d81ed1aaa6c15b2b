import { beforeEach, describe, expect, test } from 'vitest';
import { activeClock, type Timers, timers } from '../../src/dispatch/timers.js';

/** Time that stands still until the test moves it. */
function stoppedClock() {
  let now = 1_000;
  const calls = new Set<{ readonly at: number; readonly ms: number; readonly call: () => void }>();
  return {
    calls,
    clock: {
      now: () => now,
      after(ms: number, call: () => void) {
        const entry = { at: now + ms, ms, call };
        calls.add(entry);
        return () => void calls.delete(entry);
      },
    },
    move(ms: number) {
      now += ms;
      for (const entry of [...calls].sort((a, b) => a.at - b.at)) {
        if (entry.at <= now && calls.delete(entry)) entry.call();
      }
    },
  };
}

describe('timers', () => {
  let time: ReturnType<typeof stoppedClock>;
  let rung: string[];
  let errors: unknown[];
  let all: Timers;

  beforeEach(() => {
    time = stoppedClock();
    rung = [];
    errors = [];
    all = timers({ ...time.clock, onError: (error) => errors.push(error) });
  });

  const set = (key: string, at: number) => all.set(key, at, () => rung.push(key));

  test('ring in order, each once, behind a single timer', () => {
    set('c', 1_030);
    set('a', 1_010);
    set('b', 1_020);
    expect(time.calls.size).toBe(1);
    time.move(9);
    expect(rung).toEqual([]);
    time.move(1);
    expect(rung).toEqual(['a']);
    time.move(100);
    expect(rung).toEqual(['a', 'b', 'c']);
    expect(time.calls.size).toBe(0);
  });

  test('move when they are set again, and are silent once cleared', () => {
    set('a', 1_010);
    set('b', 1_020);
    set('a', 1_040);
    all.clear('b');
    all.clear('never');
    time.move(30);
    expect(rung).toEqual([]);
    time.move(10);
    expect(rung).toEqual(['a']);
  });

  test('that are already due ring in the next turn', () => {
    set('late', 5);
    expect(rung).toEqual([]);
    time.move(0);
    expect(rung).toEqual(['late']);
  });

  test('may clear and set one another while they ring', () => {
    all.set('a', 1_010, () => {
      all.clear('b');
      set('c', 1_011);
    });
    set('b', 1_010);
    time.move(10);
    expect(rung).toEqual([]);
    time.move(1);
    expect(rung).toEqual(['c']);
  });

  test('that throw do not keep the others from ringing', () => {
    all.set('bad', 1_010, () => {
      throw new Error('oh');
    });
    set('good', 1_010);
    time.move(10);
    expect(rung).toEqual(['good']);
    expect(errors).toEqual([new Error('oh')]);
  });

  test('may lie further ahead than a timer of the platform can wait', () => {
    const days = 60 * 24 * 3_600_000;
    set('far', 1_000 + days);
    for (let day = 0; day < 60; day += 1) {
      expect([...time.calls].every((call) => call.ms < 2 ** 31)).toBe(true);
      expect(rung).toEqual([]);
      time.move(24 * 3_600_000);
    }
    expect(rung).toEqual(['far']);
  });

  test('leave no timer behind when closed', () => {
    set('a', 1_010);
    all.close();
    expect(time.calls.size).toBe(0);
  });
});

describe('the active clock', () => {
  test('counts the time that the machine was awake, and hardly any of a sleep', () => {
    const time = stoppedClock();
    const active = activeClock(time.clock, 10, 30);
    for (let at = 0; at < 100; at += 1) time.move(10);
    expect(active.now()).toBe(1_000);
    time.move(8 * 3_600_000);
    expect(active.now()).toBe(1_030);
    time.move(-500);
    expect(active.now()).toBe(1_030);
    time.move(7);
    expect(active.now()).toBe(1_037);
    active.close();
    expect(time.calls.size).toBe(0);
  });

  test('holds back a timer that is meant by it', () => {
    const time = stoppedClock();
    const active = activeClock(time.clock, 10, 30);
    const all = timers({ now: active.now, after: time.clock.after });
    const rung: string[] = [];
    all.set('limit', 100, () => rung.push('limit'));
    for (let at = 0; at < 5; at += 1) time.move(10);
    time.move(3_600_000);
    expect(rung).toEqual([]);
    for (let at = 0; at < 5; at += 1) time.move(10);
    expect(rung).toEqual(['limit']);
  });
});

// One message that is lost again and again, and what goes on around it.
import { describe, expect, it } from 'vitest';
import type { OutgoingMessage, PostResult } from '../../../src/bot/delivery/index.js';
import { openedCourier, posted } from './given.js';

const lost: PostResult = { kind: 'lost', mayHaveArrived: false, why: 'reset' };
const isBad = ({ view }: OutgoingMessage) => view.text.startsWith('bad');
const rings = { rings: true, kind: 'report' };
const minuteMs = 60_000;

describe('a message that keeps failing while others arrive', () => {
  it('is overtaken after a few tries and fails in the end with one report', async () => {
    const { clock, rows, calls, texts, failed, courier } = openedCourier((parcel) =>
      isBad(parcel) ? lost : posted(parcel),
    );
    courier.take([rows.commit('1', 'bad', rings), rows.commit('1', 'good', rings)]);
    for (let at = 0; at < 30; at += 1) {
      courier.take([rows.commit('2', `other ${at}`)]);
      await clock.pass(1_000);
    }
    expect(texts().filter((text) => text === 'bad').length).toBeLessThanOrEqual(5);
    expect(texts()).toContain('good');
    const before = calls.length;
    for (let at = 0; at < 100; at += 1) {
      courier.take([rows.commit('1', `next ${at}`)]);
      await clock.pass(minuteMs);
    }
    expect(calls.filter(({ text }, index) => index >= before && text.startsWith('next'))).toHaveLength(100);
    expect(texts().filter((text) => text === 'bad').length).toBeLessThanOrEqual(18);
    expect([failed, rows.problems]).toEqual([
      ['m1: given up after many tries: reset'],
      ['m1: given up after many tries: reset'],
    ]);
    expect(courier.waiting.get('1')).toBe(0);
  });

  it('arrives with its newest text once it is accepted', async () => {
    let isTaken = false;
    const { clock, rows, texts, failed, courier } = openedCourier((parcel) =>
      isBad(parcel) && !isTaken ? lost : posted(parcel),
    );
    courier.take([rows.commit('1', 'bad', rings)]);
    for (let at = 0; at < 30; at += 1) {
      courier.take([rows.commit('2', `other ${at}`)]);
      await clock.pass(1_000);
    }
    courier.take([rows.commit('1', 'bad, newer', { ...rings, edits: 'm1' })]);
    isTaken = true;
    await clock.pass(20 * minuteMs);
    expect([texts().at(-1), failed, rows.open()]).toEqual(['bad, newer', [], []]);
  });

  it('does not block a single chat: a probe shows that the platform works, and others pass', async () => {
    let probes = 0;
    const probe = async (): Promise<PostResult> => {
      probes += 1;
      return { kind: 'unchanged' };
    };
    const { clock, rows, texts, courier } = openedCourier((parcel) => (isBad(parcel) ? lost : posted(parcel)), {
      more: { probe },
    });
    courier.take([rows.commit('1', 'bad', rings), rows.commit('1', 'one', rings), rows.commit('1', 'two')]);
    await clock.pass(3 * minuteMs);
    expect(texts().filter((text) => text !== 'bad')).toEqual(['one', 'two']);
    expect(probes).toBeLessThan(5);
  });
});

describe('an outage', () => {
  it('of days loses nothing, keeps the order and is checked by an invisible probe', async () => {
    let isOut = true;
    let probes = 0;
    const probe = async (): Promise<PostResult> => {
      probes += 1;
      return isOut ? lost : { kind: 'unchanged' };
    };
    const { clock, rows, calls, texts, failed, courier } = openedCourier((parcel) => (isOut ? lost : posted(parcel)), {
      more: { probe },
    });
    courier.take(['a', 'b', 'c'].map((text) => rows.commit('1', text, rings)));
    await clock.pass(72 * 60 * minuteMs);
    const tried = calls.length;
    expect([tried < 20, probes > 1_000]).toEqual([true, true]);
    isOut = false;
    await clock.pass(3 * minuteMs);
    expect([texts().slice(tried), failed]).toEqual([['a', 'b', 'c'], []]);
  });
});

describe('a bot that is rejected as a whole', () => {
  const barred: PostResult = { kind: 'barred', why: 'set the token anew' };

  it('loses nothing in days, retries one call at a time and reports the reason', async () => {
    let isBarred = true;
    const { clock, rows, calls, texts, failed, courier } = openedCourier((parcel) =>
      isBarred ? barred : posted(parcel),
    );
    for (let chat = 1; chat <= 20; chat += 1) courier.take([rows.commit(`${chat}`, 'a'), rows.commit(`${chat}`, 'b')]);
    await clock.pass(72 * 60 * minuteMs);
    expect(calls.length).toBeLessThan(72 * 60 + 40);
    expect([courier.problem, failed, rows.states().every((state) => state === 'waiting')]).toEqual([
      'set the token anew',
      [],
      true,
    ]);
    expect(await courier.aside('1', async () => ({ kind: 'unchanged' }))).toBe(false);
    const before = calls.length;
    isBarred = false;
    await clock.pass(3 * minuteMs);
    expect([texts().slice(before).sort().join(''), courier.problem]).toEqual([
      `${'a'.repeat(20)}${'b'.repeat(20)}`,
      null,
    ]);
    expect(rows.open()).toEqual([]);
  });

  it('is noticed by a press answer too, and cleared by the next accepted call', async () => {
    const { clock, rows, courier, texts } = openedCourier();
    expect(await courier.aside('presses', async () => barred, false)).toBe(false);
    expect(courier.problem).toBe('set the token anew');
    courier.take([rows.commit('1', 'a')]);
    await clock.pass(500);
    expect(texts()).toEqual([]);
    await clock.pass(minuteMs);
    expect([texts(), courier.problem]).toEqual([['a'], null]);
  });
});

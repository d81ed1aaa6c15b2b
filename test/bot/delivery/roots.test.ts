// What a thread that Bosun opens begins with.
import { expect, it } from 'vitest';
import type { OutgoingMessage, PostResult } from '../../../src/bot/delivery/index.js';
import { openedCourier, posted } from './given.js';

function opening(seen: (string | null)[]) {
  return (parcel: OutgoingMessage): PostResult => {
    seen.push(parcel.root);
    return { ...posted(parcel), ...(parcel.root === null ? { root: `1.${parcel.n}` } : {}) };
  };
}

it('the root of a thread is stored when its first message arrives and is reused after a restart', async () => {
  const seen: (string | null)[] = [];
  const { clock, rows, courier } = openedCourier(opening(seen));
  courier.take([rows.commit('1', 'a'), rows.commit('1', 'b'), rows.commit('2', 'c')]);
  await clock.pass(10_000);
  expect([...seen].sort()).toEqual([null, null, '1.1'].sort());
  const next = openedCourier(opening(seen), { rows });
  next.courier.take([rows.commit('2', 'd')]);
  await next.clock.pass(10_000);
  expect(seen.at(-1)).toBe('1.3');
});

it('the root of a thread stays that of its first message', async () => {
  const { clock, rows, courier } = openedCourier((parcel) => ({ ...posted(parcel), root: `1.${parcel.n}` }));
  courier.take([rows.commit('1', 'a'), rows.commit('1', 'b')]);
  await clock.pass(10_000);
  expect(rows.root('t1')).toBe('1.1');
});

it('the root of a thread is stored with the first part of a multi-part message', async () => {
  let parts = 0;
  const { clock, rows, courier } = openedCourier((parcel) => {
    parts += 1;
    if (parts === 1) return { kind: 'posted', place: 'p', ids: ['p'], isWhole: false, root: '1.1' };
    return parcel.root === '1.1' ? posted(parcel) : { kind: 'lost', mayHaveArrived: false, why: 'no root' };
  });
  courier.take([rows.commit('1', 'a')]);
  await clock.pass(10_000);
  expect([rows.states(), parts]).toEqual([['sent'], 2]);
});

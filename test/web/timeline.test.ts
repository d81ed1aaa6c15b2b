// The timeline of a run: work and waiting as bars on one scale.
import { expect, it } from 'vitest';
import type { Attempt, Interaction } from '../../src/engine/index.js';
import { timeAt, timelineOf } from '../../src/web/pages/run/timeline/timeline-data.js';

const minute = 60_000;

const attempt = (node: string, from: number, to: number | null) => ({
  ...{ run: 'r1', chain: '', node, checkpoint: null },
  attempt: { id: `${node}-${from}`, startedAt: from * minute, endedAt: to === null ? null : to * minute } as Attempt,
});

function review(from: number, to: number | null, option = 'approve'): Interaction {
  const answer = to === null ? null : { option, text: null, by: 'ada', at: to * minute };
  const state = to === null ? 'open' : 'answered';
  return {
    id: 'i1-1',
    kind: 'review',
    chain: '',
    node: 'review',
    openedAt: from * minute,
    state,
    answer,
  } as Interaction;
}

function drawn(attempts: readonly ReturnType<typeof attempt>[], interactions: readonly Interaction[], now: number) {
  const data = timelineOf({ attempts, interactions, labelOf: ({ node }) => node, now: now * minute });
  if (data === null) throw new Error('nothing to draw');
  return data;
}

it('counts a minute as work if anything worked in it, else as waiting', () => {
  const two = [attempt('build', 0, 10), attempt('check', 5, 12)];
  const data = drawn(two, [review(12, 20, 'changes'), review(11, 14)], 30);
  expect([data.workMs / minute, data.waits]).toEqual([12, [{ by: 'ada', ms: 8 * minute }]]);
  expect(data.rows.map(({ label, bars }) => [label, bars.length])).toEqual([
    ['build', 1],
    ['check', 1],
    ['review', 2],
  ]);
  expect(data.rounds.map(({ at }) => at / minute)).toEqual([20]);
});

it('draws what is not over up to now', () => {
  const data = drawn([attempt('build', 0, null)], [review(4, null)], 8);
  expect(data.rows.flatMap(({ bars }) => bars.map(({ to }) => to / minute))).toEqual([8, 8]);
  expect([data.isOpen, data.waits]).toEqual([true, [{ by: null, ms: 0 }]]);
});

it('draws times in proportion, and a night as a small part', () => {
  const even = drawn([attempt('a', 0, 10), attempt('b', 10, 20)], [], 20);
  expect([0, 10, 20].map((at) => even.xOf(at * minute))).toEqual([0, 50, 100]);
  expect(timeAt(even, 25) / minute).toBeCloseTo(5, 1);
  const night = drawn([attempt('a', 0, 10), attempt('b', 610, 620)], [review(10, 610)], 620);
  const [end, morning] = [night.xOf(10 * minute), night.xOf(610 * minute)];
  expect(end).toBeCloseTo(46.5);
  expect(morning - end).toBeCloseTo(7);
  expect(night.xOf(620 * minute)).toBeCloseTo(100);
  expect(timeAt(night, (end + morning) / 2) / minute).toBeCloseTo(310, 0);
});

it('has nothing to draw of a run that did not begin', () => {
  expect(timelineOf({ attempts: [], interactions: [], labelOf: () => '', now: 0 })).toBe(null);
});

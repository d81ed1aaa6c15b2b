// Random runs of random workflows: whatever happens to a run, in whatever order, the invariants hold.
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { experimentSize } from '../size.js';
import { checkNoDeadEnd, checkOptions } from './dead-ends.js';
import { checkAll } from './invariants.js';
import { drawn, moves, playAll } from './random-history.js';
import { setup } from './random-workflow.js';
import { Visits } from './visits.js';

let steps = 0;
const visits = new Visits();

afterAll(() => {
  expect(steps, 'engine steps in the whole file').toBeGreaterThan(60_000);
  expect(visits.missed, 'what no random run came by').toEqual([]);
});

describe('a random run', { timeout: 180_000 * experimentSize }, () => {
  it('keeps every invariant after every event, and no option of its cards leads to a dead end', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        const { events } = playAll(given, list, (player, before, from) => {
          visits.note(player, from);
          checkAll(player, { before, events: player.events.slice(from) });
          checkNoDeadEnd(player);
          checkOptions(player);
        });
        steps += events.length;
      }),
      { ...drawn, numRuns: 1_400 * experimentSize },
    );
  });
});

// Random runs of random workflows: an event heard twice counts once, and the same events lead to the same state.
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { apply, type Event, fold, type World } from '../../src/engine/index.js';
import { experimentSize } from '../size.js';
import type { Player } from './builders.js';
import { copyOf } from './dead-ends.js';
import { Broken } from './invariants.js';
import { drawn, type EachStep, expectSame, freeze, freezeWorld, moves, playAll } from './random-history.js';
import type { Move } from './random-run.js';
import { type Setup, setup } from './random-workflow.js';

let steps = 0;

afterAll(() => {
  expect(steps, 'engine steps in the whole file').toBeGreaterThan(100_000);
});

/** Heard twice, these are as if heard once; commands may be repeated, and then mean it. */
const heardOnce = new Set<Event['type']>([
  'attempt_started',
  'attempt_settled',
  'workspace_done',
  'answered',
  'remind',
  'escalate',
  'skip',
  'skip_item',
  'pause',
  'kill',
  'start',
]);

const acting = new Set(['dispatch', 'workspace', 'raise']);

function openOnly(world: World) {
  return { ...world.state, chain: null, interactions: world.state?.interactions.filter((one) => one.state === 'open') };
}

function checkHeardTwice(player: Player, event: Event): void {
  if (!heardOnce.has(event.type)) return;
  const twice = apply(player.world, { ...event, at: player.now }, player.workflow);
  steps++;
  const acts = twice.decision.effects.filter((one) => acting.has(one.type));
  if (acts.length > 0) throw new Broken(`${event.type} heard twice acts twice: ${JSON.stringify(acts)}`);
  expectSame(openOnly(twice.world), openOnly(player.world));
  expectSame(twice.world.chains.get(event.chain), player.world.chains.get(event.chain));
}

function checkPure(world: World, events: readonly Event[], player: Player): void {
  freezeWorld(world);
  let again = world;
  for (const event of events) {
    freezeWorld(again);
    again = apply(again, freeze(structuredClone(event)), player.workflow).world;
    steps++;
  }
  expectSame(again, player.world);
}

function playCounted(given: Setup, list: readonly Move[], each: EachStep): Player {
  const player = playAll(given, list, each);
  steps += player.events.length;
  return player;
}

describe('a random run', { timeout: 180_000 * experimentSize }, () => {
  it('treats a repeated outside event as idempotent', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        playCounted(given, list, (player, _before, from) => {
          const event = player.events[from];
          if (event && from > 0) checkHeardTwice(player, event);
        });
      }),
      { ...drawn, numRuns: 500 * experimentSize },
    );
  });

  it('decides deterministically, without mutating its input', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        playCounted(given, list, (player, before, from) => checkPure(before, player.events.slice(from), player));
      }),
      { ...drawn, numRuns: 300 * experimentSize },
    );
  });

  it('replays from its stored events to the same state', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        const player = playCounted(given, list, () => undefined);
        const stored = JSON.parse(JSON.stringify(player.events)) as Event[];
        const replayed = fold(stored, player.workflow);
        steps += stored.length;
        expectSame(openOnly(replayed), openOnly(player.world));
        expectSame(replayed.chains, player.world.chains);
      }),
      { ...drawn, numRuns: 500 * experimentSize },
    );
  });

  it('continues the same after its state was saved and loaded', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        playCounted(given, list, (player) => {
          const saved = JSON.parse(JSON.stringify(player.state));
          expectSame(saved, player.state);
          const resumed = copyOf(player);
          resumed.world = { state: saved, chains: player.world.chains };
          expectSame(resumed.go().state, copyOf(player).go().state);
        });
      }),
      { ...drawn, numRuns: 100 * experimentSize },
    );
  });
});

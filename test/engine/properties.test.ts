// Random runs of random workflows: whatever happens to a run, in whatever order, the invariants hold.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { apply, type Event, fold, type World } from '../../src/engine/index.js';
import { experimentSize } from '../size.js';
import type { Player } from './builders.js';
import { checkNoDeadEnd, checkOptions, copyOf } from './dead-ends.js';
import { Broken, checkAll } from './invariants.js';
import { createRun, play } from './random-play.js';
import { type Move, move } from './random-run.js';
import { type Setup, setup } from './random-workflow.js';
import { Visits } from './visits.js';

/** The ordinary suite plays the same runs each time; a larger experiment draws new ones. */
const drawn = experimentSize === 1 ? { seed: 20_261_119 } : {};

let steps = 0;
const visits = new Visits();

afterAll(() => {
  expect(steps, 'engine steps in the whole suite').toBeGreaterThan(100_000);
  expect(visits.missed, 'what no random run came by').toEqual([]);
});

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const one of Object.values(value)) freeze(one);
  return value;
}

function freezeWorld(world: World): void {
  freeze(world.state);
  for (const chain of world.chains.values()) freeze(chain);
}

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

/** The costly comparison only where there is a difference to be shown. */
function expectSame(one: unknown, other: unknown): void {
  if (!isDeepStrictEqual(one, other)) expect(one).toEqual(other);
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

function playAll(
  given: Setup,
  moves: readonly Move[],
  each: (player: Player, before: World, from: number) => void,
): Player {
  const player = createRun(given);
  const first = player.world;
  freezeWorld(first);
  each(player, { state: null, chains: new Map() }, 0);
  for (const one of moves) {
    const before = player.world;
    const from = player.events.length;
    if (play(player, one) === null) continue;
    steps += player.events.length - from;
    freezeWorld(player.world);
    try {
      each(player, before, from);
    } catch (error) {
      throw new Error(`${String(error)}\n${trailOf(player)}`);
    }
  }
  return player;
}

/** The story that led to a failure, shorter than the counterexample. */
function trailOf(player: Player): string {
  const said = player.events.map(
    ({ type, at: _at, run: _run, ...rest }) => `${type} ${JSON.stringify(rest).slice(0, 160)}`,
  );
  return said.slice(-25).join('\n');
}

const moves = fc.array(move, { minLength: 10, maxLength: 80, size: 'max' });

describe('a random run', { timeout: 180_000 * experimentSize }, () => {
  it('keeps every invariant after every event, and no option of its cards leads to a dead end', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        playAll(given, list, (player, before, from) => {
          visits.note(player, from);
          checkAll(player, { before, events: player.events.slice(from) });
          checkNoDeadEnd(player);
          checkOptions(player);
        });
      }),
      { ...drawn, numRuns: 1_400 * experimentSize },
    );
  });

  it('treats a repeated outside event as idempotent', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        playAll(given, list, (player, _before, from) => {
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
        playAll(given, list, (player, before, from) => checkPure(before, player.events.slice(from), player));
      }),
      { ...drawn, numRuns: 300 * experimentSize },
    );
  });

  it('replays from its stored events to the same state', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        const player = playAll(given, list, () => undefined);
        const stored = JSON.parse(JSON.stringify(player.events)) as Event[];
        const replayed = fold(stored, player.workflow);
        steps += stored.length;
        expect(openOnly(replayed)).toEqual(openOnly(player.world));
        expect(replayed.chains).toEqual(player.world.chains);
      }),
      { ...drawn, numRuns: 500 * experimentSize },
    );
  });

  it('continues the same after its state was saved and loaded', () => {
    fc.assert(
      fc.property(setup, moves, (given, list) => {
        playAll(given, list, (player) => {
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

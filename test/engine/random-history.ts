// Plays a random run and hands each step of it to a check; what the checks share.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { World } from '../../src/engine/index.js';
import { experimentSize } from '../size.js';
import type { Player } from './builders.js';
import { createRun, play } from './random-play.js';
import { type Move, move } from './random-run.js';
import type { Setup } from './random-workflow.js';

/** The ordinary suite plays the same runs each time; a larger experiment draws new ones. */
export const drawn = experimentSize === 1 ? { seed: 20_261_119 } : {};

export const moves = fc.array(move, { minLength: 10, maxLength: 80, size: 'max' });

export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const one of Object.values(value)) freeze(one);
  return value;
}

export function freezeWorld(world: World): void {
  freeze(world.state);
  for (const chain of world.chains.values()) freeze(chain);
}

/** The costly comparison only where there is a difference to be shown. */
export function expectSame(one: unknown, other: unknown): void {
  if (!isDeepStrictEqual(one, other)) expect(one).toEqual(other);
}

export type EachStep = (player: Player, before: World, from: number) => void;

/** The run as it ends. `each` gets the world before the step, and the place of the step's first event. */
export function playAll(given: Setup, moves: readonly Move[], each: EachStep): Player {
  const player = createRun(given);
  freezeWorld(player.world);
  each(player, { state: null, chains: new Map() }, 0);
  for (const one of moves) {
    const before = player.world;
    const from = player.events.length;
    if (play(player, one) === null) continue;
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

// When Bosun is killed: drawn from a seed, so that what failed can be played again.
import type { GitWork } from './stage.js';

/** `starting`: while the next process comes up. What has not come when all is at rest is a kill at rest. */
export type Moment =
  | { readonly at: 'delay'; readonly ms: number }
  | { readonly at: 'starting'; readonly ms: number }
  | { readonly at: 'sent' }
  | { readonly at: 'heard' }
  | { readonly at: 'message'; readonly nth: number }
  | { readonly at: 'agent_started'; readonly nth: number }
  /** `step`: only those of that step count. */
  | { readonly at: 'agent_ended'; readonly nth: number; readonly ms: number; readonly step?: string }
  | { readonly at: 'agent_commits' }
  | { readonly at: 'committing' }
  | { readonly at: 'committed' }
  /** Bosun's own git, in a scene where it is watched; `ms` after it begins or has ended. */
  | { readonly at: 'git_begins' | 'git_ended'; readonly of: GitWork; readonly nth: number; readonly ms: number }
  /** The next process has just settled what the killed one left running, and takes back what that did. */
  | { readonly at: 'recovering' };

export interface Plan {
  readonly seed: number;
  readonly hookMs: number;
  /** A step whose first agent takes so long that it outlives Bosun by far. */
  readonly slowStep?: string;
  /** For each turn, 0 being the first start. */
  readonly kills: readonly (readonly Moment[])[];
}

export const turnCount = 6;
const maxKills = 3;
const longestTurnMs = 3_000;
const longestStartMs = 500;

export const undisturbed: Plan = { seed: 0, hookMs: 40, kills: [] };

/** The instants that a seed seldom meets: while it starts, as an agent begins, and while git commits, with slow hooks. */
const pinned: readonly Plan[] = [
  {
    seed: -1,
    hookMs: 1_500,
    slowStep: 'sdd-delta',
    kills: [
      [{ at: 'starting', ms: 200 }],
      [
        { at: 'agent_started', nth: 2 },
        { at: 'starting', ms: 300 },
      ],
      [],
      [{ at: 'committing' }],
    ],
  },
  { seed: -2, hookMs: 1_500, kills: [[], [], [], [{ at: 'agent_commits' }, { at: 'committed' }]] },
];

export interface Wish {
  readonly firstSeed: number;
  readonly kills: number;
  /** How many kills a drawn conversation has at least. */
  readonly least: number;
}

/** The pinned ones, and drawn ones from this seed on, until they hold exactly so many kills. */
export function plansFor({ firstSeed, kills, least }: Wish): readonly Plan[] {
  const plans = [...pinned];
  const count = (plan: Plan) => plan.kills.flat().length;
  let left = kills - pinned.reduce((sum, plan) => sum + count(plan), 0);
  for (let seed = firstSeed; left > 0; seed += 1) {
    const plan = planOf(seed);
    if (count(plan) < Math.min(least, left) || count(plan) > left) continue;
    plans.push(plan);
    left -= count(plan);
  }
  return plans;
}

/** The same for the same seed, always. */
export function planOf(seed: number): Plan {
  const known = pinned.find((plan) => plan.seed === seed);
  if (known) return known;
  const draw = drawing(seed);
  const kills: Moment[][] = Array.from({ length: turnCount }, () => []);
  const wanted = draw(maxKills + 1);
  for (let count = 0; count < wanted; count += 1) {
    const turn = freeTurn(draw, kills);
    const planned = kills[turn] ?? [];
    planned.push(turn === 0 || (planned.length > 0 && draw(3) === 0) ? starting(draw) : momentIn(turn, draw));
  }
  return { seed, hookMs: draw(3) === 0 ? 900 : 40, kills };
}

/** What is to be played: the wish, or the one conversation whose scene and seed are in CRASH_SCENE and CRASH_SEED. */
export function plansWanted(wish: Wish): readonly Plan[] {
  return plansOf('demo', () => plansFor(wish), planOf);
}

/** None of another scene than the one that is to be played again. */
export function plansOf(scene: string, all: () => readonly Plan[], one: (seed: number) => Plan): readonly Plan[] {
  const { CRASH_SEED: seed, CRASH_SCENE: wanted = 'demo' } = process.env;
  if (seed === undefined) return all();
  return scene === wanted ? [one(Number(seed))] : [];
}

/**
 * Most kills fall where most is done. One step is not hit a third time, because two abandoned tries are what its
 * workflow allows and the next is a person's to judge: the second and third turn share the step `impl`.
 */
function freeTurn(draw: (below: number) => number, kills: readonly (readonly Moment[])[]): number {
  const weighted = [0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 5];
  const in23 = (kills[2]?.length ?? 0) + (kills[3]?.length ?? 0);
  const free = weighted.filter((turn) => (turn === 2 || turn === 3 ? in23 < 2 : (kills[turn]?.length ?? 0) < 2));
  return free[draw(free.length)] ?? 0;
}

function momentIn(turn: number, draw: (below: number) => number): Moment {
  const anywhere: readonly Moment[] = [{ at: 'sent' }, { at: 'heard' }, { at: 'delay', ms: draw(50) }];
  if (turn >= 4) return anywhere[draw(anywhere.length)] ?? { at: 'sent' };
  const nth = 1 + draw(3);
  const working: readonly Moment[] = [
    ...anywhere,
    { at: 'delay', ms: draw(longestTurnMs) },
    { at: 'delay', ms: draw(longestTurnMs) },
    { at: 'message', nth: 1 + draw(8) },
    { at: 'agent_started', nth },
    { at: 'agent_ended', nth, ms: draw(400) },
  ];
  const last: readonly Moment[] = [{ at: 'agent_commits' }, { at: 'committing' }, { at: 'committed' }];
  const all = turn === 3 ? [...working, ...last] : working;
  return all[draw(all.length)] ?? { at: 'sent' };
}

function starting(draw: (below: number) => number): Moment {
  return { at: 'starting', ms: draw(longestStartMs) };
}

/** Mulberry32. */
export function drawing(seed: number): (below: number) => number {
  let state = Math.imul(seed, 0x9e3779b9);
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

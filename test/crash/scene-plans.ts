// When Bosun is killed while stories run side by side, and at gates.
import { drawing, type Moment, type Plan } from './plan.js';

type Draw = (below: number) => number;

export interface SceneWish {
  readonly firstSeed: number;
  readonly kills: number;
}

interface Drawing {
  readonly pinned: readonly Plan[];
  /** Of each turn, the first start being 0: how likely a kill falls there, how many at most, and when. */
  readonly turns: readonly TurnDrawing[];
  readonly maxKills: number;
}

interface TurnDrawing {
  readonly weight: number;
  readonly most: number;
  readonly moment: (draw: Draw, isLater: boolean) => Moment;
}

const starting = (draw: Draw): Moment => ({ at: 'starting', ms: draw(500) });

const atOnce = (draw: Draw): Moment =>
  pick<Moment>(draw, [{ at: 'sent' }, { at: 'heard' }, { at: 'delay', ms: draw(60) }]);

function pick<T>(draw: Draw, all: readonly [T, ...T[]]): T {
  return all[draw(all.length)] ?? all[0];
}

const mergeWork = ['open', 'rebase', 'squash', 'files', 'index', 'advance', 'remove', 'branch', 'rollback'] as const;

const hookMs = 10;

/** A step is interrupted once at most, which is what its workflow allows; the player of a plan sees to it. */
const stories: Drawing = {
  pinned: [
    {
      seed: -1,
      hookMs,
      kills: [
        [],
        [],
        [
          { at: 'git_ended', of: 'open', nth: 2, ms: 0 },
          { at: 'agent_ended', nth: 20, ms: 10 },
          { at: 'git_ended', of: 'advance', nth: 1, ms: 0 },
        ],
        [{ at: 'git_begins', of: 'remove', nth: 1, ms: 10 }],
      ],
    },
    {
      // The conflict is resolved, the rebase done, and Bosun does not know it; then it dies while it takes that back.
      seed: -2,
      hookMs,
      kills: [
        [],
        [],
        [
          { at: 'agent_ended', step: 'coding', nth: 2, ms: 0 },
          { at: 'agent_ended', step: 'rebase_resolve', nth: 1, ms: 0 },
          { at: 'recovering' },
        ],
      ],
    },
  ],
  maxKills: 5,
  turns: [
    { weight: 1, most: 1, moment: starting },
    { weight: 1, most: 1, moment: atOnce },
    {
      weight: 8,
      most: 4,
      moment: (draw, isLater) => {
        const nth = 1 + draw(18);
        const git = { of: pick(draw, mergeWork), nth: 1 + draw(3), ms: draw(50) } as const;
        const all: readonly [Moment, ...Moment[]] = [
          { at: 'agent_started', nth },
          { at: 'agent_ended', nth, ms: draw(150) },
          { at: 'delay', ms: draw(3_000) },
          { at: 'message', nth: 1 + draw(12) },
          { ...git, at: 'git_begins' },
          { ...git, at: 'git_ended' },
          { ...git, at: 'git_ended', ms: 0 },
        ];
        return isLater && draw(4) === 0 ? { at: 'recovering' } : pick(draw, all);
      },
    },
    {
      weight: 1,
      most: 2,
      moment: (draw) => {
        const git = { of: pick(draw, ['squash', 'remove', 'branch'] as const), nth: 1, ms: draw(50) } as const;
        return pick(draw, [atOnce(draw), { ...git, at: 'git_begins' }, { ...git, at: 'git_ended' }]);
      },
    },
  ],
};

function atGate(draw: Draw, isLater: boolean): Moment {
  const all: readonly [Moment, ...Moment[]] = [
    atOnce(draw),
    { at: 'delay', ms: draw(1_200) },
    { at: 'message', nth: 1 + draw(6) },
    { at: 'agent_started', nth: 1 + draw(3) },
    { at: 'agent_ended', nth: 1 + draw(3), ms: draw(150) },
    { at: 'git_begins', of: 'survey', nth: 1 + draw(2), ms: draw(20) },
    { at: 'git_ended', of: 'survey', nth: 1 + draw(2), ms: draw(60) },
    { at: 'agent_commits' },
    { at: 'committing' },
    { at: 'committed' },
  ];
  return isLater && draw(3) === 0 ? starting(draw) : pick(draw, all);
}

const gate: Drawing = {
  pinned: [{ seed: -1, hookMs, kills: [[], [], [{ at: 'git_ended', of: 'survey', nth: 1, ms: 0 }], [{ at: 'sent' }]] }],
  maxKills: 3,
  turns: [
    { weight: 1, most: 1, moment: starting },
    { weight: 3, most: 2, moment: atGate },
    { weight: 4, most: 2, moment: atGate },
    { weight: 2, most: 2, moment: atGate },
    { weight: 2, most: 2, moment: atGate },
  ],
};

const drawings = { stories, gate } as const;

export type SceneName = keyof typeof drawings;

/** The pinned ones, as far as they fit, and drawn ones from this seed on, until they hold exactly so many kills. */
export function scenePlans(name: SceneName, { firstSeed, kills }: SceneWish): readonly Plan[] {
  const plans: Plan[] = [];
  let left = kills;
  const add = (plan: Plan) => {
    const count = plan.kills.flat().length;
    if (count === 0 || count > left) return;
    plans.push(plan);
    left -= count;
  };
  drawings[name].pinned.forEach(add);
  for (let seed = firstSeed; left > 0; seed += 1) add(scenePlan(name, seed));
  return plans;
}

/** The same for the same seed, always. */
export function scenePlan(name: SceneName, seed: number): Plan {
  const { pinned, turns, maxKills } = drawings[name];
  const known = pinned.find((plan) => plan.seed === seed);
  if (known) return known;
  const draw = drawing(seed);
  const kills: Moment[][] = turns.map(() => []);
  const wanted = 1 + draw(maxKills);
  for (let count = 0; count < wanted; count += 1) {
    const free = turns.flatMap(({ weight, most }, at) =>
      (kills[at]?.length ?? 0) < most ? Array(weight).fill(at) : [],
    );
    const at: number = free[draw(free.length)] ?? 0;
    const planned = kills[at] ?? [];
    const moment = turns[at]?.moment(draw, planned.length > 0);
    if (moment) planned.push(moment);
  }
  return { seed, hookMs, kills };
}

import { expect, it } from 'vitest';
import { plansWanted } from '../crash/plan.js';
import { playAll } from '../crash/play.js';
import { expectSameEnd, sceneRows } from '../crash/scenes.js';
import { experimentSize } from '../size.js';

const plans = plansWanted({ firstSeed: 1_000, kills: 200, least: 1 });
const kills = plans.flatMap((plan) => plan.kills.flat()).length;

it(`comes to the same end after ${kills} kills as without any: nothing is lost, doubled or run twice`, async () => {
  const { problems, ...figures } = await playAll({ plans, atOnce: 2 });
  expect(problems).toEqual([]);
  expect(figures).toMatchObject({ kills, conversations: plans.length, lost: 0, doubled: 0 });
});

const perSize = { stories: 4, gate: 3 } as const;

it.each(sceneRows)('despite repeated kills of Bosun, $ends', ({ name }) =>
  expectSameEnd(name, { firstSeed: 1_000, kills: perSize[name] * experimentSize }),
);

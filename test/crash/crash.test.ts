import { expect, it } from 'vitest';
import { plansWanted } from './plan.js';
import { playAll } from './play.js';

const plans = plansWanted({ firstSeed: 1, kills: 8, least: 2 });
const kills = plans.flatMap((plan) => plan.kills.flat()).length;

it(`comes to the same end after ${kills} kills as without any: nothing is lost, doubled or run twice`, {
  timeout: 300_000,
}, async () => {
  const { problems, ...figures } = await playAll({ plans, atOnce: 2 });
  expect(problems).toEqual([]);
  expect(figures).toMatchObject({ kills, conversations: plans.length, lost: 0, doubled: 0 });
});

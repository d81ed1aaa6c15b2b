// What runs beside the demo's conversation: the newer ways in which work goes on, each with kills of its own.
import { expect } from 'vitest';
import { plansOf } from './plan.js';
import { playAll } from './play.js';
import { gated } from './scene-gate.js';
import { type SceneName, type SceneWish, scenePlan, scenePlans } from './scene-plans.js';
import { sideBySide } from './scene-stories.js';

export const sceneRows = [
  { name: 'stories', ends: 'stories side by side land as one commit each, and each edit of their steps is made once' },
  { name: 'gate', ends: 'a gate adds its fix once and waits before each decision' },
] as const;

const scenes = { stories: sideBySide, gate: gated } as const;

/** Comes to the same end as without a kill: nothing is lost, doubled, run twice or left over. */
export async function expectSameEnd(name: SceneName, wish: SceneWish): Promise<void> {
  const all = () => scenePlans(name, wish);
  const plans = plansOf(name, all, (seed) => scenePlan(name, seed));
  const kills = plans.flatMap((plan) => plan.kills.flat()).length;
  const { problems, ...figures } = await playAll({ scene: scenes[name], plans, atOnce: 2 });
  expect(problems).toEqual([]);
  expect(figures).toMatchObject({ kills, conversations: plans.length, lost: 0, doubled: 0 });
}

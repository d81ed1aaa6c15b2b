import { expect, it } from 'vitest';
import { Upkeep } from '../../src/dispatch/health/upkeep.js';

function upkeepOf(slices: number) {
  const seen = { left: slices, turns: 0 };
  const giveBack = () => {
    seen.left -= 1;
    return seen.left > 0;
  };
  const upkeep = new Upkeep({ store: { freePages: { giveBack } }, onError: () => undefined });
  return { seen, upkeep };
}

it('gives other work a turn after each slice', async () => {
  const { seen, upkeep } = upkeepOf(4);
  const work = upkeep.look();
  const between: number[] = [];
  while (seen.left > 0) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    between.push(seen.left);
  }
  await work;
  expect(new Set(between).size).toBeGreaterThan(2);
});

it('ends after the slice under way when Bosun stops', async () => {
  const { seen, upkeep } = upkeepOf(1_000);
  const work = upkeep.look();
  await upkeep.close();
  await work;
  expect(seen.left).toBe(999);
});

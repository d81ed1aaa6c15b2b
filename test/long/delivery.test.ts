import { expect, it } from 'vitest';
import { builtCarrier, playKilled } from '../bot/channels/telegram/outbound/kills.js';
import { tempFolder } from '../store/given.js';

const wanted = 200;

it(`carriers that are killed at ${wanted} points between two calls lose nothing, and mark what they say twice`, async () => {
  const folder = tempFolder();
  const script = builtCarrier(folder);
  const problems: string[] = [];
  let [kills, repeats] = [0, 0];
  for (let seed = 1_000; kills < wanted && seed < 1_000 + wanted; seed += 1) {
    const played = await playKilled(script, folder, seed, 4);
    problems.push(...played.problems.map((one) => `seed ${seed}: ${one}`));
    kills += played.kills;
    repeats += played.repeats;
  }
  expect(problems).toEqual([]);
  expect(kills).toBeGreaterThanOrEqual(wanted);
  expect(repeats).toBeLessThanOrEqual(kills * 3);
});

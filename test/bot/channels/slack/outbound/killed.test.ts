import { expect, it } from 'vitest';
import { tempFolder } from '../../../../store/given.js';
import { builtSlackCarrier, playKilledSlack } from './kills.js';

it('carriers killed between any two calls lose no message and post none twice', {
  timeout: 60_000,
}, async () => {
  const folder = tempFolder();
  const script = builtSlackCarrier(folder);
  let [kills, looks] = [0, 0];
  for (const seed of [1, 2, 3, 4]) {
    const played = await playKilledSlack(script, folder, seed, 5);
    expect([seed, played.problems]).toEqual([seed, []]);
    kills += played.kills;
    looks += played.looks;
  }
  expect(kills).toBeGreaterThanOrEqual(12);
  expect(looks).toBeGreaterThan(0);
});

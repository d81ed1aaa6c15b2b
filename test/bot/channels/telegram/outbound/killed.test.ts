import { expect, it } from 'vitest';
import { tempFolder } from '../../../../store/given.js';
import { builtCarrier, playKilled } from './kills.js';

it('carriers killed between any two calls lose no message and mark possible repeats', {
  timeout: 60_000,
}, async () => {
  const folder = tempFolder();
  const script = builtCarrier(folder);
  let kills = 0;
  for (const seed of [1, 2, 3]) {
    const played = await playKilled(script, folder, seed, 4);
    expect([seed, played.problems]).toEqual([seed, []]);
    expect(played.repeats).toBeLessThanOrEqual(played.kills * 3);
    kills += played.kills;
  }
  expect(kills).toBeGreaterThanOrEqual(9);
});

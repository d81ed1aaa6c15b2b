import { expect, it } from 'vitest';
import { builtSlackCarrier, playKilledSlack } from '../bot/channels/slack/outbound/kills.js';
import { tempFolder } from '../store/given.js';

const wanted = 200;

it(`carriers to Slack that are killed at ${wanted} points between two calls lose nothing, and say nothing twice`, async () => {
  const folder = tempFolder();
  const script = builtSlackCarrier(folder);
  const problems: string[] = [];
  let kills = 0;
  for (let seed = 1_000; kills < wanted && seed < 1_000 + wanted; seed += 1) {
    const played = await playKilledSlack(script, folder, seed, 4);
    problems.push(...played.problems.map((one) => `seed ${seed}: ${one}`));
    kills += played.kills;
  }
  expect(problems).toEqual([]);
  expect(kills).toBeGreaterThanOrEqual(wanted);
});

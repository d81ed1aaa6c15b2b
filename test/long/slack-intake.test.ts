import { expect, test } from 'vitest';
import { survived } from '../bot/channels/slack/inbound/kills.js';

/** Slack tries no longer than some minutes, and hears twenty messages a minute of one person: a listener lives on now and then. */
const batches = 25;
const kills = 8;
/** Two before and two after each of three texts. */
const steps = 12;

test(`listeners to Slack that are killed at ${batches * kills} points lose nothing and act on nothing twice`, async () => {
  let ended = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    const points = Array.from({ length: kills }, (_, index) => 1 + (((batch * kills + index) * 5) % steps));
    const { said, answers, tasks, signals } = await survived(points);
    expect([answers, tasks.length, new Set(tasks).size]).toEqual([said, said, said]);
    expect(signals).toEqual(new Set(['SIGKILL']));
    ended += points.length;
  }
  expect(ended).toBe(batches * kills);
}, 900_000);

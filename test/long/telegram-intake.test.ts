import { expect, test } from 'vitest';
import { survived } from '../bot/channels/telegram/inbound/kills.js';

const points = 200;
/** Two before and two after each of six texts and a press. */
const steps = 28;

test('a Telegram listener killed at 200 points loses no message and acts on none twice', async () => {
  const drawn = Array.from({ length: points }, (_, index) => 1 + ((index * 11) % steps));
  const { said, answers, tasks } = await survived(drawn);
  const texts = said - points;
  expect([answers, tasks.length, new Set(tasks).size]).toEqual([said, texts, texts]);
}, 900_000);

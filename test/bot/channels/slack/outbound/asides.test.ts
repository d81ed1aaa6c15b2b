// The sign by which people see that they were heard.
import { expect, it } from 'vitest';
import { faults } from '../server/index.js';
import { delivered } from './given.js';

it('the reaction on a heard message is added and removed idempotently', async () => {
  const given = await delivered();
  const { message } = given.ada.says(given.gen, 'status');
  const at = { channel: 'C01GEN', ts: message.ts };
  for (const _ of [1, 2]) expect(await given.asides().react(at, true)).toBe(true);
  expect([...message.reactions.keys()]).toEqual(['eyes']);
  for (const _ of [1, 2]) expect(await given.asides().react(at, false)).toBe(true);
  expect([...message.reactions.keys()]).toEqual([]);
  expect(await given.asides().react({ channel: 'C01GEN', ts: '1.1' }, true)).toBe(false);
  expect(given.errors).toEqual([]);
});

it('a rate-limited reaction is not retried before its time and delays no message', async () => {
  const given = await delivered();
  const { message } = given.ada.says(given.gen, 'status');
  const at = { channel: 'C01GEN', ts: message.ts };
  given.slack.plant({ method: 'reactions.add', fault: faults.ratelimited(60) });
  expect(await given.asides().react(at, true)).toBe(false);
  expect(await given.asides().react(at, true)).toBe(false);
  given.say('sl:C01GEN', 'answer');
  await given.pass(1_000);
  expect(given.texts(given.gen)).toEqual(['answer']);
  await given.pass(60_000);
  expect(await given.asides().react(at, true)).toBe(true);
  expect(given.slack.ledger.violations).toEqual([]);
  expect(given.slack.ledger.count('reactions.add')).toBe(2);
});

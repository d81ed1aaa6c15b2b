// Signs and answers to presses: at once, or never.
import { expect, it } from 'vitest';
import { faults } from '../server/index.js';
import { delivered } from './given.js';

it('the reaction on a heard message can be set and removed', async () => {
  const given = await delivered();
  const ada = given.telegram.person(7, 'Ada');
  const { message } = ada.says(ada.chat, 'status');
  expect(await given.asides().react({ chat: '7', message: message.id }, '👀')).toBe(true);
  expect(message.reaction).toBe('👀');
  given.say('tg:7', 'answer');
  const away = given.asides().react({ chat: '7', message: message.id }, null);
  await given.pass(5_000);
  expect([await away, message.reaction]).toEqual([true, null]);
  const order = given.telegram.ledger.calls().map(({ method }) => method);
  expect(order).toEqual(['setMessageReaction', 'sendMessage', 'setMessageReaction']);
  await given.pass(5_000);
  expect(await given.asides().react({ chat: '7', message: 999 }, '👀')).toBe(false);
});

it('reactions stay within the rate limit and leave time for messages', async () => {
  const given = await delivered();
  const ada = given.telegram.person(7, 'Ada');
  const { message } = ada.says(ada.chat, 'status');
  for (let time = 0; time < 40; time += 1) {
    await given.asides().react({ chat: '7', message: message.id }, time % 2 === 0 ? '👀' : '👍');
    if (time % 4 === 0) given.say('tg:7', `answer ${time}`);
    await given.pass(300);
  }
  await given.pass(20_000);
  expect(given.texts(7)).toHaveLength(10);
  expect(given.telegram.ledger.count('setMessageReaction')).toBeGreaterThan(0);
  const sent = given.telegram.ledger.calls('sendMessage').map(({ at }) => at);
  const gaps = sent.slice(1).map((at, index) => at - (sent[index] ?? 0));
  expect([given.telegram.ledger.violations, Math.min(...gaps) >= 1_000]).toEqual([[], true]);
});

it('a reaction is not sent to a rate-limited chat, and its own rate limit pauses the chat', async () => {
  const given = await delivered();
  const ada = given.telegram.person(7, 'Ada');
  const { message } = ada.says(ada.chat, 'status');
  given.telegram.plant({ method: 'setMessageReaction', fault: faults.flood(60) });
  expect(await given.asides().react({ chat: '7', message: message.id }, '👀')).toBe(false);
  given.say('tg:7', 'answer');
  expect(await given.asides().react({ chat: '7', message: message.id }, '👀')).toBe(false);
  await given.pass(59_000);
  expect(given.telegram.ledger.calls()).toHaveLength(1);
  await given.pass(2_000);
  expect(given.texts(7)).toEqual(['answer']);
  expect(given.telegram.ledger.violations).toEqual([]);
});

it('a press is answered even in a rate-limited chat, and a late answer causes no error', async () => {
  const given = await delivered();
  const ada = given.telegram.person(7, 'Ada');
  given.say('tg:7', 'Ready?', { buttons: [{ label: 'Go', press: 'i1.go' }] });
  await given.pass(2_000);
  const [question] = given.telegram.sent(ada.chat);
  if (!question) throw new Error('no question');
  given.telegram.plant({ method: 'sendMessage', fault: faults.flood(600) });
  given.say('tg:7', 'more');
  await given.pass(100);
  const { press } = ada.presses(question, 'Go');
  expect(await given.asides().answerPress(press.id, 'x'.repeat(500))).toBe(true);
  expect(press.answer?.text).toMatch(/^x{99}…$/);
  const late = ada.presses(question, 'Go').press;
  await given.pass(20_000);
  expect(await given.asides().answerPress(late.id, 'late')).toBe(false);
  expect([given.errors, given.telegram.ledger.violations]).toEqual([[], []]);
});

// Which of their channels notifies a person who has several.
import { expect, it } from 'vitest';
import { inSlack, openShop } from './chat-shop.js';

/** Eve is asked for a review of a run that was started in that thread. */
async function reviewOf(thread: string, prefers: string, more = '') {
  const shop = await openShop(more, 1, null, `{ telegram: 8, slack: U03EVE${prefers} }`);
  await shop.say('ada', thread, 'start shop: Make it');
  await shop.press('ada', thread, 'i1-1.start');
  const id = await shop.review();
  const shown = (place: string) => shop.runtime.store.cardMessage(place, id)?.view ?? null;
  const mentioned = (place: string) => shown(place)?.mentions?.map(({ name }) => name) ?? [];
  return { ...shop, id, shown, mentioned };
}

it.each([
  ['without a choice', '', 'tg:8', 'sl:U03EVE'],
  ['who prefers Telegram', ', prefers: telegram', 'tg:8', 'sl:U03EVE'],
  ['who prefers Slack', ', prefers: slack', 'sl:U03EVE', 'tg:8'],
])('a card reaches a person %s once, where no chat of the run does', async (_, prefers, there, elsewhere) => {
  const { shown } = await reviewOf('tg:7', prefers);
  expect(shown(there)?.rings).toBe(true);
  expect(shown(elsewhere)).toBeNull();
});

it('a chat of the run that a person reads comes before a chat of their own on the channel that they prefer', async () => {
  const { shown, mentioned } = await reviewOf(inSlack, ', prefers: telegram');
  expect(mentioned(inSlack)).toEqual(['Bob', 'Eve']);
  expect(shown('tg:8')).toBeNull();
});

const inGroup = 'tg:-1001';

it.each([
  ['without a choice in both', '', ['Bob', 'Eve'], ['Eve']],
  ['who prefers Slack there', ', prefers: slack', ['Bob', 'Eve'], []],
  ['who prefers Telegram there', ', prefers: telegram', ['Bob'], ['Eve']],
])('a card in chats of two channels mentions a person %s', async (_, prefers, slack, telegram) => {
  const { mentioned } = await reviewOf(inSlack, prefers, 'chats: [{ telegram: -1001 }]');
  expect([mentioned(inSlack), mentioned(inGroup)]).toEqual([slack, telegram]);
});

it('a card that is handed over notifies on the preferred channel', async () => {
  const { say, id, cards } = await reviewOf('tg:7', ', prefers: slack', 'ask_privately: false');
  await say('ada', 'tg:7', `hand ${id} to eve`);
  expect(cards('sl:U03EVE').map(({ view: { rings } }) => rings)).toEqual([true]);
  expect(cards('tg:8')).toEqual([]);
});

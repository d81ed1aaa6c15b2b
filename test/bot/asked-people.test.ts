// Whom a card names and notifies, and whom it reaches in their own chat.

import { expect, it } from 'vitest';
import { renderView as onSlack } from '../../src/bot/channels/slack/render/index.js';
import { renderView as onTelegram } from '../../src/bot/channels/telegram/render/index.js';
import { view, withButtons } from '../../src/bot/views/view.js';
import type { View } from '../../src/store/messages/message-types.js';
import { inSlack, openShop } from './chat-shop.js';

it('a review names its reviewers, mentions those of the channel and asks the other one in their own chat', async () => {
  const { say, press, cards, review } = await openShop('quiet_hours: { from: "00:00", to: "00:00" }');
  await say('ada', inSlack, 'start shop: Make it');
  const [proposal] = cards(inSlack);
  expect(proposal?.view.text).toMatch(/^Start\? · Make it\nshop · one · asked by Ada\n/);
  // Her own words caused it.
  expect(proposal?.view.mentions).toBeUndefined();
  await press('ada', inSlack, 'i1-1.start');
  const id = await review();
  const [card] = cards(inSlack).filter(({ interaction }) => interaction === id);
  expect(card?.view.text).toMatch(/^Review · Make it\nshop · for Bob and Eve\n/);
  expect(card?.view.mentions).toEqual([{ name: 'Bob', account: 'U02BOB' }]);
  expect(cards('tg:8').map(({ view: { text, rings } }) => [text.split('\n')[1], rings])).toEqual([['shop', true]]);
  expect([cards('sl:U02BOB'), cards('tg:9'), cards('tg:7')]).toEqual([[], [], []]);
  await press('eve', 'tg:8', `${id}.approve`);
  for (const thread of [inSlack, 'tg:8']) {
    const last = cards(thread).findLast(({ interaction }) => interaction === id);
    expect(last?.view.text).toMatch(/^✅ Approved · Make it\nshop\n.*by Eve, \d\d:\d\d, Telegram/s);
  }
});

it('a project with ask_privately: false asks in the chats of the run only', async () => {
  const { say, press, cards, review } = await openShop('ask_privately: false');
  await say('ada', inSlack, 'start shop: Make it');
  await press('ada', inSlack, 'i1-1.start');
  await review();
  expect(cards('tg:8')).toEqual([]);
  expect(cards(inSlack).at(-1)?.view.mentions).toEqual([{ name: 'Bob', account: 'U02BOB' }]);
});

function card(text: string, account: string): View {
  const buttons = [{ label: 'Approve', press: 'i1-1.approve' }];
  return { ...{ ...withButtons(view('review', text), buttons), rings: true }, mentions: [{ name: 'Bob', account }] };
}

const texts = ['Review · <@U02BOB> for Bob\nshop · for Bob and Eve\n<@U03EVE> · for Bob\nCode i1-1'] as const;

it.each(texts)('Slack mentions the named person in the notification and in rich text, and nobody else', (text) => {
  const [shown] = onSlack(card(text, 'U02BOB'), ({ press }) => press);
  if (shown?.kind !== 'message') throw new Error('no message');
  expect(shown.text).toMatch(/^<@U02BOB> Review · &lt;@\u2060?U02BOB&gt; for Bob · shop · for Bob and Eve$/);
  expect(shown.blocks[1]).toEqual({
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: 'shop · for ' },
          { type: 'user', user_id: 'U02BOB' },
          { type: 'text', text: ' and Eve' },
        ],
      },
    ],
  });
  expect(JSON.stringify(shown.blocks).match(/user_id/g)).toHaveLength(1);
});

it('Slack mentions a user group as a group', () => {
  const [shown] = onSlack(card('Review · x\nshop · for Bob\nCode i1-1', 'S01DEVS'), ({ press }) => press);
  if (shown?.kind !== 'message') throw new Error('no message');
  expect(shown.text).toMatch(/^<!subteam\^S01DEVS> /);
  expect(JSON.stringify(shown.blocks)).toContain('"usergroup_id":"S01DEVS"');
});

it.each(texts)('Telegram mentions the named person in the second line only', (text) => {
  const [part] = onTelegram(card(text, '8'), ({ press }) => press).parts;
  expect(part?.html.split('\n')[1]).toBe('shop · for <a href="tg://user?id=8">Bob</a> and Eve');
  expect(part?.html.match(/<a /g)).toHaveLength(1);
});

it('a refusal and a counted vote reach only the person in Slack, and the inbox lists what they may decide', async () => {
  const { say, press, cards, review, runtime } = await openShop('ask_privately: false', 2);
  await say('ada', inSlack, 'start shop: Make it');
  const inbox = async (by: string, thread: string) => (await say(by, thread, 'inbox')).messages[0]?.view.text ?? '';
  expect(await inbox('bob', 'sl:U02BOB')).toBe('Nothing needs you.\n1 card waits for others.');
  expect(await inbox('cy', 'tg:9')).toMatch(
    /^Needs you · 1\n1\. Start\? · Make it \(i1-1\)\nshop · one · asked by Ada · \d+ s$/,
  );
  const before = runtime.store.messages(inSlack, null, 500).length;
  await say('bob', inSlack, 'start shop: Make another');
  const aside = runtime.store.messages('sl:C01GEN:@U02BOB', null, 500).map(({ view: { text } }) => text);
  expect(aside).toEqual([expect.stringMatching(/^You're a reviewer in shop; starting work takes an operator/)]);
  expect(runtime.store.messages(inSlack, null, 500)).toHaveLength(before);
  await press('ada', inSlack, 'i1-1.start');
  const id = await review();
  const shown = cards(inSlack).length;
  await press('bob', inSlack, `${id}.approve`);
  expect(runtime.store.messages('sl:C01GEN:@U02BOB', null, 500).at(-1)?.view.text).toMatch(
    /^shop: Your vote counts\.\n1 of 2 approved: Bob \d\d:\d\d Slack$/,
  );
  expect(
    cards(inSlack)
      .slice(shown)
      .every(({ edits }) => edits !== null),
  ).toBe(true);
});

const quiet = '{ from: "00:01", to: "00:00", zone: UTC, questions: QUESTIONS }';
const night = new Date(Date.UTC(2026, 0, 1, 3)).getTime();

it.each([
  ['silent', false],
  ['ring', true],
] as const)(
  'in quiet hours with questions: %s a review rings: %s, and the end never does',
  async (questions, rings) => {
    const hours = `quiet_hours: ${quiet.replace('QUESTIONS', questions)}`;
    const { say, press, cards, review, runtime } = await openShop(hours, 1, night);
    await say('ada', inSlack, 'start shop: Make it');
    await press('ada', inSlack, 'i1-1.start');
    const id = await review();
    const card = cards(inSlack).find(({ interaction }) => interaction === id);
    expect([card?.view.rings, card?.view.mentions?.length ?? 0]).toEqual([rings, rings ? 1 : 0]);
    await press('bob', inSlack, `${id}.approve`);
    const end = () =>
      runtime.store.messages(inSlack, null, 500).find(({ view: { text } }) => text.startsWith('✅ Done'));
    await expect.poll(end, { timeout: 10_000, interval: 10 }).toBeDefined();
    expect(end()?.view.rings).toBe(false);
  },
);

it.each([
  ['Telegram', 'tg:7'],
  ['Slack', inSlack],
])(
  'a proposal, a review and the end in %s are 3 messages; only the review rings, as Ada decided a moment before the end',
  async (_platform, thread) => {
    const { say, press, review, runtime } = await openShop('ask_privately: false');
    await say('ada', thread, 'start shop: Make it');
    await press('ada', thread, 'i1-1.start');
    await press('ada', thread, `${await review()}.approve`);
    const sent = () => runtime.store.messages(thread, null, 500).filter(({ edits }) => edits === null);
    const words = () =>
      sent().map(({ view: { text, rings } }) => `${rings ? 'rings' : 'silent'}: ${text.split(' · ')[0]}`);
    await expect.poll(() => words().at(-1), { timeout: 10_000, interval: 10 }).toContain('✅ Done');
    expect(words()).toEqual(['silent: Start?', 'rings: Review', 'silent: ✅ Done']);
    // In Slack only the mention of the reviewer notifies; Ada is in the thread.
    const mentioned = sent().flatMap(({ view: { mentions = [] } }) => mentions.map(({ name }) => name));
    expect(mentioned).toEqual(thread === inSlack ? ['Bob'] : []);
  },
);

it('the end of an aborted task rings its requester if another person aborted it, and else replaces the question', async () => {
  const { runtime, say, press } = await openShop('quiet_hours: { from: "00:00", to: "00:00" }');
  const ends = (thread: string) =>
    runtime.store
      .messages(thread, null, 500)
      .filter(({ view: { text } }) => text.includes('aborted before it was done'));
  const abortBy = async (person: string, thread: string, run: number) => {
    await say('ada', inSlack, 'start shop: Make it');
    await press('ada', inSlack, `i${run}-1.start`);
    await expect.poll(() => runtime.store.run(`r${run}`)?.status, { timeout: 10_000 }).toBe('paused');
    await say(person, thread, 'abort shop');
    const asked = runtime.store
      .openInteractions('shop')
      .find(({ interaction }) => interaction.subject.type === 'abort');
    await press(person, thread, `${asked?.interaction.id}.abort`);
    await runtime.whenAtRest('shop', 10_000);
    return asked?.interaction.id;
  };
  const own = await abortBy('ada', inSlack, 1);
  expect(ends(inSlack).map(({ card, view: { rings } }) => [card, rings])).toEqual([[own, false]]);
  expect(ends(inSlack)[0]?.view.text).toMatch(/^⏹ Aborted · Make it\n.*\nAborted by Ada, \d\d:\d\d, Slack/);
  // Cy is an operator, alone with the bot: their chat needs no second message, and Ada's hears of it.
  const others = await abortBy('cy', 'tg:9', 2);
  expect(
    ends(inSlack)
      .slice(1)
      .map(({ card, view: { rings, mentions } }) => [card, rings, mentions]),
  ).toEqual([['aborted:r2', true, [{ name: 'Ada', account: 'U01ADA' }]]]);
  expect(ends('tg:9').map(({ card, view: { rings } }) => [card, rings])).toEqual([[others, false]]);
});

/** Ada asks in her own chat, or on the page; Cy aborts in another one. */
async function abortedByCy(adas: string, more = '') {
  const shopping = await openShop(more);
  const { runtime, say, press } = shopping;
  await say('ada', adas, 'start shop: Make it');
  await press('ada', adas, 'i1-1.start');
  await expect.poll(() => runtime.store.run('r1')?.status, { timeout: 10_000 }).toBe('paused');
  await say('cy', 'tg:9', 'abort shop');
  const asked = runtime.store.openInteractions('shop').find(({ interaction }) => interaction.subject.type === 'abort');
  await press('cy', 'tg:9', `${asked?.interaction.id}.abort`);
  await runtime.whenAtRest('shop', 10_000);
  return {
    ends: (thread: string) =>
      runtime.store.messages(thread, null, 500).flatMap(({ card, view: { text, rings, isSpent } }) => {
        const isEnd = text.startsWith('⏹ Aborted') && isSpent !== true && card !== 'i1-1';
        return isEnd ? [{ card, rings, line: text.split('\n').find((one) => /by Cy/.test(one)) }] : [];
      }),
    spent: (thread: string) =>
      runtime.store.messages(thread, null, 500).filter(({ view }) => view.isSpent === true).length,
    closed: (thread: string) =>
      runtime.store.messages(thread, null, 500).filter(({ view }) => view.text.startsWith('⌛ Closed')).length,
  };
}

const allDay = 'quiet_hours: { from: "00:00", to: "00:00" }';

it('a requester hears of an abort by another person once, as a new message in the chat where they asked', async () => {
  const { ends, spent, closed } = await abortedByCy('tg:7', allDay);
  const [end, ...others] = ends('tg:7');
  expect([end?.rings, end?.card, others]).toEqual([true, 'aborted:r1', []]);
  expect(end?.line).toMatch(/^Aborted by Cy, \d\d:\d\d, Telegram$/);
  // The question that Cy answered goes, where the chat can remove it.
  expect(spent('tg:7')).toBe(1);
  expect([ends('sl:U01ADA'), spent('tg:9')]).toEqual([[], 0]);
  // The review closed, which is no news where it never was.
  expect([closed('tg:7'), closed('tg:9')]).toEqual([1, 0]);
});

it('a requester who asked where no chat reaches them hears of the end in a chat of their own', async () => {
  const { ends } = await abortedByCy('web-1', allDay);
  const own = ['tg:7', 'sl:U01ADA'].flatMap((thread) => ends(thread));
  expect(own).toMatchObject([{ rings: true, line: expect.stringMatching(/^Aborted by Cy/) }]);
});

it('a project with ask_privately: false tells the requester of the end in the chats of the run only', async () => {
  const { ends } = await abortedByCy('web-1', `${allDay}\n    ask_privately: false`);
  expect([ends('tg:7'), ends('sl:U01ADA')]).toEqual([[], []]);
});

it('in several chats of the run the end notifies in one of them', async () => {
  const { runtime, say, press, review } = await openShop(allDay);
  await say('ada', 'tg:7', 'start shop: Make it');
  await press('ada', 'tg:7', 'i1-1.start');
  const id = await review();
  await say('bob', inSlack, 'continue shop');
  await press('bob', inSlack, `${id}.approve`);
  const ends = (thread: string) =>
    runtime.store
      .messages(thread, null, 500)
      .filter(({ card, view }) => view.text.startsWith('✅ Done') && card !== 'i1-1');
  await expect.poll(() => ends('tg:7').length, { timeout: 10_000 }).toBe(1);
  expect([...ends('tg:7'), ...ends(inSlack)].map(({ view: { rings, mentions } }) => [rings, mentions])).toEqual([
    [true, undefined],
    [false, undefined],
  ]);
  const first = ['tg:7', inSlack].map((thread) => runtime.store.cardMessage(thread, 'i1-1'));
  expect(first.map((one) => one?.view.rings)).toEqual([false, undefined]);
  expect(first[0]?.view.text).toMatch(/^✅ Done · Make it\nshop · one · asked by Ada\nStarted by Ada, .*\ntook \d/);
});

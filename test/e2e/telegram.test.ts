// The whole of Bosun on Telegram: its own process, the real client, a Bot API server on this machine, people with phones.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Chat,
  type Message,
  type Person,
  startTelegram,
  type Telegram,
} from '../bot/channels/telegram/server/index.js';
import { bosun, newFolder, type Started } from '../cli/given.js';
import { configureDemo, startReady } from './platform-home.js';

const limitMs = 20_000;
const home = join(newFolder(), 'home');
let telegram: Telegram;
let up: Started;
let ada: Person;
let bob: Person;
let forum: Chat;
let topic: number;

beforeAll(async () => {
  telegram = await startTelegram();
  ada = telegram.person(1000, 'Ada');
  bob = telegram.person(1001, 'Bob');
  forum = telegram.forum(-1001234, 'Work');
  topic = telegram.topic(forum, 'demo', ada).id;
  up = await startReady(home);
}, 60_000);

afterAll(() => telegram?.stop());

function configure(): void {
  configureDemo(home, {
    people: { ada: { telegram: 1000 }, bob: { telegram: 1001 } },
    members: { ada: 'owner', bob: 'reviewer' },
    chats: [{ telegram: forum.id, topic }],
    channels: { telegram: { token: telegram.token, api_root: telegram.apiRoot } },
  });
}

function found(chat: Chat, text: RegExp, label?: string): Message | undefined {
  return telegram
    .sent(chat)
    .findLast((one) => text.test(one.text) && (!label || one.buttons.flat().some((button) => button.text === label)));
}

async function seen(chat: Chat, text: RegExp, label?: string): Promise<Message> {
  await telegram.until(`${text} in ${chat.title}`, () => found(chat, text, label) !== undefined, limitMs);
  const message = found(chat, text, label);
  if (message === undefined) throw new Error(`nobody sees ${text}`);
  return message;
}

it('Telegram starts when a token is added to config.yaml, and strangers get only a pairing code', async () => {
  configure();
  await telegram.until('it listens', () => telegram.updates.isPolled, limitMs);
  const eve = telegram.person(666, 'Eve');
  eve.says(eve.chat, 'continue demo');
  expect((await seen(eve.chat, /bosun pair/)).text).not.toContain('demo');
});

it('"continue demo" reaches a review that rings and is shown in the chat of the project too', async () => {
  ada.says(ada.chat, 'continue demo');
  const card = await seen(ada.chat, /Review/, 'Approve');
  const there = await seen(forum, /Review/, 'Approve');
  expect(telegram.screen(ada.chat).find(({ id }) => id === card.id)).toMatchObject({ rang: true });
  expect(telegram.screen(forum, topic).some(({ id }) => id === there.id)).toBe(true);
  const progress = telegram.screen(ada.chat).filter(({ text }) => /executing|▶|✓/.test(text) && !/Review/.test(text));
  expect(progress.every(({ rang }) => !rang)).toBe(true);
});

it('a reviewer sees the diff of the review as a silent file, by a button and by words in reply to the card', async () => {
  const card = await seen(forum, /Review/, 'Show diff');
  bob.presses(card, 'Show diff');
  const shown = await seen(forum, /Diff · .*as in i1-1/s);
  expect(telegram.screen(forum, topic).find(({ id }) => id === shown.id)).toMatchObject({ rang: false });
  expect(shown.replyTo).toBe(card.id);
  const file = () => telegram.sent(forum).find((one) => one.file?.name.endsWith('.diff'));
  await telegram.until('the file', () => file() !== undefined, limitMs);
  expect(String(file()?.file?.bytes)).toContain('diff --git');
  const mine = await seen(ada.chat, /Review/, 'Approve');
  ada.says(ada.chat, 'what changed?', { replyTo: mine });
  await seen(ada.chat, /Diff · .*as in i1-1/s);
  expect(isOpen(mine)).toBe(true);
}, 30_000);

it('buttons survive a SIGKILL, every copy of a card is settled, and the run completes', async () => {
  const card = await seen(ada.chat, /Review/, 'Approve');
  up.child.kill('SIGKILL');
  await up.ended;
  up = await startReady(home);
  const { press } = bob.presses(await seen(forum, /Review/, 'Approve'), 'Approve');
  await telegram.until('the press is answered', () => press.answer !== null, limitMs);
  await seen(ada.chat, /Approved ·.*by Bob/s);
  await telegram.until(
    'the old buttons are gone',
    () => telegram.sent(ada.chat).every((one) => one.id !== card.id || !isOpen(one)),
    limitMs,
  );
  for (let turn = 0; turn < 8 && found(ada.chat, /is done/) === undefined; turn++) {
    await telegram.until(
      'the next question or the end',
      () => found(ada.chat, /is done/) !== undefined || open() !== undefined,
      limitMs,
    );
    const question = open();
    if (question === undefined) continue;
    reply(question);
    await telegram.until('the card is settled', () => !isOpen(question), limitMs);
  }
  expect((await seen(ada.chat, /is done/)).text).toContain('demo is done');
  const { out } = await bosun(['status', 'demo', '--json'], { home });
  expect(JSON.parse(out).run.status).toBe('completed');
  up.child.kill('SIGTERM');
  expect((await up.ended).code).toBe(0);
}, 60_000);

/** Settled cards keep the buttons that show evidence. */
function isOpen({ buttons }: Message): boolean {
  return buttons.flat().some(({ text }) => !text.startsWith('Show '));
}

/** The newest card that still asks. */
function open(): Message | undefined {
  return telegram.sent(ada.chat).findLast((one) => isOpen(one) && /\nCode /.test(one.text));
}

/** Says what a person would: approves, finishes, or answers in their own words. */
function reply(card: Message): void {
  const labels = card.buttons.flat().map(({ text }) => text);
  const chosen = labels.find((label) => /^(Approve|Finish here)$/.test(label));
  if (chosen !== undefined) ada.presses(card, chosen);
  else ada.says(ada.chat, '30 seconds', { replyTo: card });
}

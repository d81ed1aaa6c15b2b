// A project that lives in a topic of Telegram and in a channel of Slack: what is decided in one place is decided in both.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { perform, requestSchema } from '../../src/bot/index.js';
import { experimentSize } from '../size.js';
import { type Bosun, openBosun } from './conversations/bosun.js';
import { type Place, screenOf, until } from './conversations/place.js';
import { cardWith } from './conversations/play.js';
import { slackSide } from './conversations/slack.js';
import { telegramSide } from './conversations/telegram.js';

const limitMs = 200_000;

async function both(more: { readonly alone?: boolean; readonly workflow?: string } = {}) {
  const [tg, sl] = await Promise.all([telegramSide(), slackSide()]);
  const bosun = await openBosun({
    channels: { telegram: tg.channel, slack: sl.channel },
    chats: [more.alone === true ? { telegram: 1000 } : tg.chat, sl.chat],
    ...(more.workflow === undefined ? {} : { workflow: more.workflow }),
  });
  return { bosun, tg, sl, telegram: more.alone === true ? tg.alone : tg.topic, slack: sl.thread };
}

/** Nothing but people who look at it, one after the other. */
function reviewsOf(count: number): string {
  const nodes = Array.from({ length: count }, (_, at) => `  - { id: review-${at + 1}, kind: human }`);
  return ['workflow: talk', 'version: 1', 'chain:', ...nodes, ''].join('\n');
}

async function sees(place: Place, words: RegExp): Promise<void> {
  await until(
    () => `${words}. ${screenOf(place)}`,
    () => place.seen().some((one) => words.test(one.words)),
  );
}

/** The card of a start becomes the card of the run at work, as soon as its first step begins. */
const atWork = ['Stop', 'Log so far'];

/** Who decided and where, and only the buttons that show evidence or that the card has by then. */
async function settled(places: readonly Place[], words: RegExp, byThen: readonly string[] = []): Promise<void> {
  for (const place of places) {
    await sees(place, words);
    const { buttons = [] } = place.seen().find((one) => words.test(one.words)) ?? {};
    expect(buttons.filter((label) => !label.startsWith('Show ') && !byThen.includes(label))).toEqual([]);
  }
}

it.concurrent(
  'an answer on one platform settles the card on the other, which shows who decided and where',
  async () => {
    const { bosun, telegram, slack } = await both();
    const places = [telegram, slack];
    await telegram.says('ada', 'start shop: Add a button');
    await cardWith(slack, /^Start\? ·/, 'Start');
    await telegram.presses('ada', await cardWith(telegram, /^Start\? ·/, 'Start'), 'Start');
    await settled(places, /Started ·.*by Ada, \d\d:\d\d, Telegram/s, atWork);
    await cardWith(telegram, /^Question/, 'Answer');
    await slack.pressesAndWrites('bob', await cardWith(slack, /^Question/, 'Answer'), {
      label: 'Answer',
      words: 'Red',
    });
    await settled(places, /Answered ·.*by Bob, \d\d:\d\d, Slack: “Red/s);
    await cardWith(slack, /^Review/, 'Approve');
    await telegram.presses('ada', await cardWith(telegram, /^Review/, 'Approve'), 'Approve');
    await settled(places, /Approved ·.*by Ada, \d\d:\d\d, Telegram/s);
    for (const place of places) await sees(place, /Done · Add a button\nshop is done/);
    await bosun.rest();
    await bosun.delivered();
  },
  limitMs,
);

it.concurrent(
  'a question asked on two platforms is answered by a reply on either',
  async () => {
    const { bosun, telegram, slack } = await both();
    await slack.says('ada', 'start shop: Add a button');
    await slack.presses('ada', await cardWith(slack, /^Start\? ·/, 'Start'), 'Start');
    await cardWith(slack, /^Question/, 'Answer');
    await telegram.replies('ada', await cardWith(telegram, /^Question/, 'Answer'), 'Blue, like the logo');
    await settled([telegram, slack], /Answered ·.*by Ada, \d\d:\d\d, Telegram: “Blue, like the logo/s);
    await telegram.replies('bob', await cardWith(telegram, /^Review/, 'Approve'), 'ok');
    for (const place of [telegram, slack]) await sees(place, /Done · Add a button\nshop is done/);
    await bosun.rest();
    await telegram.says('ada', 'start shop: Drop the button');
    await telegram.presses('ada', await cardWith(telegram, /^Start\? ·/, 'Start'), 'Start');
    await cardWith(telegram, /^Question/, 'Answer');
    await slack.replies('bob', await cardWith(slack, /^Question/, 'Answer'), 'Red, like a stop sign');
    await settled([telegram, slack], /Answered ·.*by Bob, \d\d:\d\d, Slack: “Red, like a stop sign/s);
    await bosun.rest();
    const answers = ['r1', 'r2'].flatMap((run) => answersOf(bosun, run));
    expect(answers.filter(({ text }) => text?.includes('like'))).toMatchObject([
      { by: 'ada', where: 'telegram', option: 'answer' },
      { by: 'bob', where: 'slack', option: 'answer' },
    ]);
  },
  limitMs,
);

it.concurrent(
  'text written while another person decides elsewhere comes too late, and its writer learns so',
  async () => {
    const { bosun, telegram, slack } = await both({ workflow: reviewsOf(3) });
    await local(bosun, { do: 'run', project: 'shop', task: 'Look at it again' });
    const bobsCard = await cardWith(slack, /^Review/, 'Request changes');
    const approve = async () => {
      await telegram.presses('ada', await cardWith(telegram, /^Review/, 'Approve'), 'Approve');
      await settled([telegram, slack], /Approved ·.*by Ada, \d\d:\d\d, Telegram/s);
    };
    const writing = { label: 'Request changes', words: 'Not yet.', meanwhile: approve };
    await expect(slack.pressesAndWrites('bob', bobsCard, writing)).rejects.toThrow(/Too late/);
    await bosun.rest();
    const id = openOf(bosun, 'review');
    const code = new RegExp(`Code ${id}$`, 'm');
    const adasCard = await cardWith(telegram, code, 'Request changes');
    const approveToo = async () => {
      await slack.presses('bob', await cardWith(slack, code, 'Approve'), 'Approve');
      await settled([telegram, slack], /Approved ·.*by Bob, \d\d:\d\d, Slack/s);
    };
    await telegram.pressesAndWrites('ada', adasCard, {
      label: 'Request changes',
      words: 'Nor I.',
      meanwhile: approveToo,
    });
    await sees(
      telegram,
      /^Too late: “Look at it again” \(i1-\d+\) is already closed.*Approved by Bob.*\nYour words are kept: “Nor I\.”/,
    );
    const answers = answersOf(bosun, 'r1').filter(({ text, option }) => text !== null || option === 'approve');
    expect(answers).toMatchObject([
      { by: 'ada', option: 'approve', where: 'telegram' },
      { by: 'bob', option: 'approve', where: 'slack' },
    ]);
  },
  limitMs,
);

const races = experimentSize === 1 ? 3 : 20;
const longestJitterMs = 4;
it.concurrent.each([{ first: 'Telegram' }, { first: 'Slack' }] as const)(
  'of two presses at almost the same time, $first first, one wins and the other person is informed',
  async ({ first }) => {
    const stage = await both({ alone: true, workflow: reviewsOf(races + 1) });
    await local(stage.bosun, { do: 'run', project: 'shop', task: 'Look at it again and again' });
    for (let race = 1; race <= races; race += 1) await runRace(stage, first);
  },
  limitMs,
);

type Stage = Awaited<ReturnType<typeof both>>;

/** Ada approves on Telegram while Bob rejects on Slack. */
async function runRace(stage: Stage, first: 'Telegram' | 'Slack'): Promise<void> {
  const { bosun, telegram, slack } = stage;
  const id = openOf(bosun, 'review');
  const code = new RegExp(`Code ${id}$`, 'm');
  const cards = [await cardWith(telegram, code, 'Approve'), await cardWith(slack, code, 'Reject')] as const;
  const approve = telegram.holds(cards[0], 'Approve');
  const reject = slack.holds(cards[1], 'Reject');
  const told = lateAnswers(telegram);
  if (first === 'Telegram')
    await atOnce(
      () => approve('ada'),
      () => reject('bob'),
    );
  else
    await atOnce(
      () => reject('bob'),
      () => approve('ada'),
    );
  const { store } = bosun.app.runtime;
  const answer = () => store.interaction(id)?.interaction.answer ?? null;
  await until(
    () => `${id} is decided`,
    () => answer() !== null,
  );
  const isApproved = answer()?.option === 'approve';
  expect([answer()?.by, answer()?.where]).toEqual(isApproved ? ['ada', 'telegram'] : ['bob', 'slack']);
  const words = isApproved ? /Approved ·.*by Ada, \d\d:\d\d, Telegram/s : /Rejected ·.*by Bob, \d\d:\d\d, Slack/s;
  await shows(telegram, cards[0], words);
  await shows(slack, cards[1], words);
  await toldTheOther(stage, { id, isApproved, told });
  expect(answersOf(bosun, 'r1').filter((one) => one.interaction === id)).toHaveLength(1);
  if (!isApproved) await local(bosun, { do: 'press', press: `${openOf(bosun, 'choice')}.keep` });
  await bosun.rest();
}

async function atOnce(one: () => Promise<void>, other: () => Promise<void>): Promise<void> {
  const jitterMs = Math.random() * longestJitterMs;
  await one();
  if (jitterMs >= 1) await sleep(jitterMs);
  await other();
}

async function shows(place: Place, key: string, words: RegExp): Promise<void> {
  const card = () => place.seen().find((one) => one.key === key);
  await until(
    () => `${words} on the card. ${screenOf(place)}`,
    () => words.test(card()?.words ?? '') && card()?.buttons.length === 0,
  );
}

/** Toasts, and messages to presses that arrived while the card was still open: one to each press. */
function lateAnswers(place: Place): number {
  const messages = place.seen().filter(({ words }) => words.startsWith('Too late: '));
  return place.toasts().filter((one) => one.startsWith('Too late, already decided. ')).length + messages.length;
}

/** In Slack only the person who was late sees it, outside of the thread. */
async function toldTheOther(
  { bosun, telegram, slack }: Stage,
  { id, isApproved, told }: { readonly id: string; readonly isApproved: boolean; readonly told: number },
): Promise<void> {
  const isLate = (words: string) => words.startsWith('Too late: ') && words.includes(` (${id}) is already closed`);
  if (!isApproved)
    await until(
      () => `Too late: ${id}, for Ada. ${screenOf(telegram)}`,
      () => lateAnswers(telegram) === told + 1,
    );
  else
    await until(
      () => `Too late: ${id}, for Bob alone`,
      () => messagesOf(bosun).some(({ thread, view }) => /:@U/.test(thread) && isLate(view.text)),
    );
  const winners = isApproved ? telegram : slack;
  expect(winners.seen().some((one) => isLate(one.words))).toBe(false);
}

function messagesOf({ app }: Bosun) {
  const { store } = app.runtime;
  return Array.from({ length: 500 }, (_, n) => store.message(`m${n}`)).filter((one) => one !== null);
}

async function local(bosun: Bosun, request: Readonly<Record<string, unknown>>): Promise<void> {
  await perform(bosun.app, requestSchema.parse(request));
  await bosun.rest();
}

function openOf({ app }: Bosun, kind: string): string {
  const open = app.runtime.store.openInteractions('shop').map(({ interaction }) => interaction);
  const [one, ...others] = open;
  if (one?.kind !== kind || others.length > 0)
    throw new Error(`Open are ${JSON.stringify(open)}, and no ${kind} alone`);
  return one.id;
}

function answersOf({ app }: Bosun, run: string) {
  const events = app.runtime.store.events(run, 0, 1_000).map(({ event }) => event);
  return events.filter((event) => event.type === 'answered');
}

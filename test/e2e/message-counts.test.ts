// How many messages and notifications a task costs, on the real clients against the platforms' servers on this machine.
import { expect, it } from 'vitest';
import { onSlack, onTelegram } from './conversations/cost.js';
import { type Place, screenOf, until } from './conversations/place.js';
import { cardWith } from './conversations/play.js';

const limitMs = 200_000;
const quick = [
  {
    ...{ step: 'implement', delay_ms: 7_000, append: { 'login.txt': 'a line\n' } },
    result: { status: 'pass', summary: 'Done.' },
  },
];

async function quickTask(place: Place, reviewer: 'ada' | 'bob'): Promise<void> {
  await place.says('ada', 'start shop with quick: Fix the login redirect');
  await place.presses('ada', await cardWith(place, /^Start\? ·/, 'Start'), 'Start');
  await place.presses(reviewer, await cardWith(place, /^Review/, 'Approve'), 'Approve');
  await cardWith(place, /Done · Fix the login/, null);
}

type AskForChanges = (place: Place, reviewer: 'ada' | 'bob', card: string) => Promise<void>;

const byButton: AskForChanges = (place, reviewer, card) =>
  place.pressesAndWrites(reviewer, card, { label: 'Request changes', words: 'rename total to sum' });
const byReply: AskForChanges = (place, reviewer, card) => place.replies(reviewer, card, 'changes: rename total to sum');

/** With a question of the agent, and a review that is sent back once. */
async function hardTask(place: Place, reviewer: 'ada' | 'bob', asksForChanges: AskForChanges): Promise<void> {
  await place.says('ada', 'start shop: Order history');
  await place.presses('ada', await cardWith(place, /^Start\? ·/, 'Start'), 'Start');
  await place.replies('ada', await cardWith(place, /^Question/, 'Answer'), 'Blue');
  await asksForChanges(place, reviewer, await cardWith(place, /^Review · /, 'Request changes'));
  await place.presses(reviewer, await cardWith(place, /^Review, 2nd round/, 'Approve'), 'Approve');
  await cardWith(place, /Done · Order history/, null);
}

it.concurrent(
  'a quick task costs one person on Telegram at most 3 messages and 1 notification',
  async () => {
    const { place, cost } = await onTelegram({ answers: quick });
    await quickTask(place, 'ada');
    const { counts, shown } = await cost();
    expect(counts, shown).toEqual({ messages: 3, rings: 1 });
  },
  limitMs,
);

it.concurrent(
  'a quick task costs two people on Slack at most 3 messages and 1 notification each',
  async () => {
    const { place, cost } = await onSlack({ answers: quick });
    await quickTask(place, 'bob');
    const { counts, shown } = await cost();
    expect(counts, shown).toEqual({ messages: 3, ada: 1, bob: 1 });
  },
  limitMs,
);

it.concurrent(
  'a question and a second round cost one person on Telegram at most 5 messages and 4 notifications',
  async () => {
    const { place, cost } = await onTelegram();
    await hardTask(place, 'ada', byReply);
    const { counts, shown } = await cost();
    expect(counts, shown).toEqual({ messages: 5, rings: 3 });
  },
  limitMs,
);

it.concurrent(
  'a prompt for words is removed once it was used, so the button costs one person no message more',
  async () => {
    const { place, cost } = await onTelegram();
    await hardTask(place, 'ada', byButton);
    const { counts, shown } = await cost();
    expect(counts, shown).toEqual({ messages: 5, rings: 3 });
  },
  limitMs,
);

it.concurrent(
  'a question and a second round cost two people on Slack at most 5 messages and 2 notifications each',
  async () => {
    const { place, cost } = await onSlack();
    await hardTask(place, 'bob', byButton);
    const { counts, shown } = await cost();
    expect(counts, shown).toEqual({ messages: 5, ada: 2, bob: 2 });
  },
  limitMs,
);

const waterfall = ['bdd', 'sdd-delta', 'contract', 'scaffold', 'impl', 'verify', 'update-memory'].map((step) => ({
  ...{ step, delay_ms: 3_000 },
  result: { status: 'pass', summary: 'Done.' },
}));

async function waterfallStory(place: Place, reviewer: 'ada' | 'bob'): Promise<void> {
  await place.says('ada', 'start shop with micro-waterfall: US-001 Order history');
  await place.presses('ada', await cardWith(place, /^Start\? ·/, 'Start'), 'Start');
  await place.presses(reviewer, await cardWith(place, /^Review/, 'Approve'), 'Approve');
  await cardWith(place, /Done · US-001/, null);
}

it.concurrent(
  'a story of micro-waterfall costs one person on Telegram at most 3 messages and 1 notification',
  async () => {
    const { place, cost } = await onTelegram({ answers: waterfall });
    await waterfallStory(place, 'ada');
    const { counts, shown } = await cost();
    expect(counts, shown).toEqual({ messages: 3, rings: 1 });
  },
  limitMs,
);

it.concurrent(
  'a story of micro-waterfall costs two people on Slack at most 3 messages and 1 notification each',
  async () => {
    const { place, cost } = await onSlack({ answers: waterfall });
    await waterfallStory(place, 'bob');
    const { counts, shown } = await cost();
    expect(counts, shown).toEqual({ messages: 3, ada: 1, bob: 1 });
  },
  limitMs,
);

const unfinished = [
  { step: 'build', append: { 'button.txt': 'a line\n' }, result: { status: 'needs_human', summary: 'Which colour?' } },
];

/** By the buttons of the card that asks; its left-over file is dealt with on the same message. */
async function abortedTask(place: Place): Promise<void> {
  await place.says('ada', 'start shop: Order history');
  await place.presses('ada', await cardWith(place, /^Start\? ·/, 'Start'), 'Start');
  let question = await cardWith(place, /^Question/, 'Abort');
  await place.presses('ada', question, 'Abort');
  // Slack has asked in a dialog.
  if (!place.name.startsWith('Slack')) {
    question = await cardWith(place, /^Abort\?/, 'Abort it');
    await place.presses('ada', question, 'Abort it');
  }
  const ended = await cardWith(place, /^⏹ Aborted · Order history\nshop · aborted before it was done/, 'Leave them');
  expect(ended).toBe(question);
  const wordsOf = (key: string) => place.seen().find((one) => one.key === key)?.words;
  expect(wordsOf(ended)).toMatch(/\nAborted by Ada, \d\d:\d\d, (?:Telegram|Slack)\nLeft in the folder/);
  // A reply in Slack names a thread, not a message.
  if (place.name.startsWith('Slack')) await place.presses('ada', ended, 'Leave them');
  else await place.replies('ada', ended, 'Leave them');
  await until(
    () => `the files are left. ${screenOf(place)}`,
    () => /\nLeave them · by Ada/.test(wordsOf(ended) ?? ''),
  );
}

/** After the word, by the card that asks whether it is meant. */
async function abortedByWord(place: Place): Promise<void> {
  await place.says('ada', 'start shop: Order history');
  await place.presses('ada', await cardWith(place, /^Start\? ·/, 'Start'), 'Start');
  await cardWith(place, /^Question/, 'Abort');
  await place.says('ada', 'abort shop');
  const asked = await cardWith(place, /^Abort\?/, 'Abort it');
  await place.presses('ada', asked, 'Abort it');
  expect(await cardWith(place, /^⏹ Aborted · .*\n.*aborted before it was done/, 'Leave them')).toBe(asked);
}

it.concurrent.each([
  ['a card', abortedTask, { telegram: 3, slack: 2 }],
  ['the word and its card', abortedByWord, { telegram: 3, slack: 3 }],
] as const)(
  'an abort by %s costs no message for the end on Telegram and Slack',
  async (_, abort, messages) => {
    const [phone, channel] = [await onTelegram({ answers: unfinished }), await onSlack({ answers: unfinished })];
    await abort(phone.place);
    const onPhone = await phone.cost();
    expect(onPhone.counts, onPhone.shown).toMatchObject({ messages: messages.telegram, rings: 1 });
    await abort(channel.place);
    const inChannel = await channel.cost();
    expect(inChannel.counts, inChannel.shown).toMatchObject({ messages: messages.slack, ada: 1 });
  },
  limitMs,
);

const failsThrice = [
  ...[1, 2, 3].map((time) => ({ step: 'build', try: time, result: { status: 'failing', summary: 'No items.' } })),
  { step: 'build', append: { 'button.txt': 'a line\n' }, result: { status: 'pass', summary: 'Done.' } },
];

it.concurrent(
  'a retry by the card of a stuck step costs no message besides the card on Telegram and Slack',
  async () => {
    for (const open of [onTelegram, onSlack]) {
      const { place, cost } = await open({ answers: failsThrice });
      await place.says('ada', 'start shop: Order history');
      await place.presses('ada', await cardWith(place, /^Start\? ·/, 'Start'), 'Start');
      await place.presses('ada', await cardWith(place, /Stuck · /, 'Retry'), 'Retry');
      await cardWith(place, /^Review · /, 'Approve');
      const { counts, shown } = await cost();
      expect(counts, shown).toMatchObject({ messages: 3 });
    }
  },
  limitMs,
);

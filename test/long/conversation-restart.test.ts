// The conversation goes on although Bosun is another one at every turn: its buttons work, nothing is lost, and nothing is
// said twice.
import { expect, it } from 'vitest';
import { type Bosun, openBosun } from '../e2e/conversations/bosun.js';
import { unlike } from '../e2e/conversations/history.js';
import { type Place, screenOf, until } from '../e2e/conversations/place.js';
import { cardWith, type Playing } from '../e2e/conversations/play.js';
import { alone, onSlack, onTelegram, onTerminal, type Wanted } from '../e2e/conversations/played.js';
import { conversation } from '../e2e/conversations/script.js';
import { slackSide } from '../e2e/conversations/slack.js';
import { telegramSide } from '../e2e/conversations/telegram.js';

const limitMs = 150_000;
const manyMessages = 2_000;

/** At every other turn before somebody speaks, at the others while what came of it is still on its way to people. */
function restarting(bosun: Bosun, place: Place, restarts: number[]): Pick<Playing, 'before' | 'after'> {
  let posted = 0;
  const count = () => {
    const { store } = bosun.app.runtime;
    const threads = ['local', 'tg:1000', 'sl:U0ADA', ...slackThreads(bosun)];
    return threads.reduce((sum, thread) => sum + store.messages(thread, null, manyMessages).length, 0);
  };
  const restart = async () => {
    await bosun.rest();
    restarts.push(bosun.undelivered());
    await bosun.restart();
    place.reopened();
  };
  return {
    async before(turn) {
      if (turn % 2 === 0) await restart();
      posted = count();
    },
    async after(turn) {
      if (turn % 2 === 0) return;
      await until(
        () => `something comes of turn ${turn + 1}`,
        () => count() > posted,
      );
      await restart();
    },
  };
}

/** The chat of a person with the bot has a name that only Slack knows. */
function slackThreads({ app }: Bosun): readonly string[] {
  const runs = app.runtime.store.runs('shop', 5, null);
  return [...new Set(runs.flatMap(({ id }) => app.runtime.store.followers(id)))].filter((one) => /^sl:D/.test(one));
}

it.concurrent.each([
  { name: 'Telegram', at: sideOfTelegram },
  { name: 'Slack', at: sideOfSlack },
])(
  'a text answer on $name that was requested before a restart counts after it',
  async ({ at }) => {
    const { setting, place } = await at();
    const bosun = await openBosun(setting);
    await place.says('ada', 'start shop: Add a button');
    await place.presses('ada', await cardWith(place, /^Start\? ·/, 'Start'), 'Start');
    const card = await cardWith(place, /^Question/, 'Answer');
    await place.pressesAndWrites('ada', card, { label: 'Answer', words: 'Red', meanwhile: () => bosun.restart() });
    await cardWith(place, /^Review/, 'Approve');
    const isAnswered = () => place.seen().some(({ words }) => /Answered by Ada.*: Red/.test(words));
    await until(() => `the answer is shown. ${screenOf(place)}`, isAnswered);
  },
  limitMs,
);

async function sideOfTelegram() {
  const { channel, alone: place } = await telegramSide();
  return { setting: { channels: { telegram: channel } }, place };
}

async function sideOfSlack() {
  const { channel, alone: place } = await slackSide();
  return { setting: { channels: { slack: channel } }, place };
}

it.concurrent.each([
  { name: 'the terminal', on: onTerminal },
  { name: 'Telegram', on: onTelegram },
  { name: 'Slack', on: onSlack },
])(
  'a conversation on $name ends the same when Bosun restarts at every turn',
  async ({ on }) => {
    const wanted: Wanted = { turns: conversation, cast: alone };
    const restarts: number[] = [];
    const around = (bosun: Bosun, place: Place) => restarting(bosun, place, restarts);
    const [calm, restarted] = await Promise.all([onTerminal(wanted), on({ ...wanted, around })]);
    expect(restarts).toHaveLength(conversation.length);
    if (on !== onTerminal) expect(restarts.filter((open) => open > 0).length).toBeGreaterThan(3);
    expect(unlike([calm.history, restarted.history])).toBe('');
    expect(unlike([calm.read, restarted.read])).toBe('');
  },
  limitMs,
);

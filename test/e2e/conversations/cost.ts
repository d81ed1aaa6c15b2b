// What a conversation costs: messages, and notifications of each person. Slack notifies whom a new message mentions.
import { openBosun, type Setting } from './bosun.js';
import { type Place, screenOf } from './place.js';
import { slackSide } from './slack.js';
import { telegramSide } from './telegram.js';

export interface Cost {
  readonly counts: Readonly<Record<string, number>>;
  readonly shown: string;
}

export interface Counted {
  readonly place: Place;
  /** Once all is delivered. */
  readonly cost: () => Promise<Cost>;
}

type Given = Pick<Setting, 'answers'>;

/** Ada alone with the bot. */
export async function onTelegram(given: Given = {}): Promise<Counted> {
  const side = await telegramSide();
  const bosun = await openBosun({ ...given, channels: { telegram: side.channel }, chats: [{ telegram: 1000 }] });
  const cost = async () => {
    await bosun.rest();
    await bosun.delivered();
    const rang = side.phone().filter((one) => one.rang && one.by === 'Bosun');
    return {
      counts: { messages: side.alone.seen().length, rings: rang.length },
      shown: rang.map(({ text }) => text.slice(0, 40)).join(' || ') + screenOf(side.alone),
    };
  };
  return { place: side.alone, cost };
}

/** Ada asks and Bob reviews, in a thread. */
export async function onSlack(given: Given = {}): Promise<Counted> {
  const side = await slackSide();
  const bosun = await openBosun({ ...given, channels: { slack: side.channel }, chats: [side.chat] });
  const cost = async () => {
    await bosun.rest();
    await bosun.delivered();
    const posted = side.slack.ledger.calls('chat.postMessage').map(({ values }) => JSON.stringify(values));
    const rings = (id: string) => posted.filter((text) => text.includes(`<@${id}>`)).length;
    return {
      counts: { messages: side.thread.seen().length, ada: rings('U0ADA'), bob: rings('U0BOB') },
      shown: screenOf(side.thread),
    };
  };
  return { place: side.thread, cost };
}

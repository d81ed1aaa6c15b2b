// The conversation on one of the channels, with a Bosun of its own: what became of it, and what people read.
import { expect } from 'vitest';
import { type Bosun, openBosun, type Setting } from './bosun.js';
import { historyOf, readIn, type Told } from './history.js';
import type { Place } from './place.js';
import { type Cast, type Playing, play } from './play.js';
import type { Turn } from './script.js';
import { slackSide } from './slack.js';
import { telegramSide } from './telegram.js';
import { terminalPlace } from './terminal.js';

export interface Played {
  readonly history: Told;
  readonly read: Told;
}

export const amongPeople: Cast = { asker: 'ada', reviewer: 'bob' };
export const alone: Cast = { asker: 'ada', reviewer: 'ada' };

export interface Wanted {
  readonly turns: readonly Turn[];
  readonly cast: Cast;
  /** Hooks around each turn. */
  readonly around?: (bosun: Bosun, place: Place) => Pick<Playing, 'before' | 'after'>;
}

export type On = (wanted: Wanted) => Promise<Played>;

export const onTerminal: On = (wanted) => played(wanted, {}, terminalPlace);

export const onTelegram: On = async (wanted) => {
  const side = await telegramSide();
  const place = wanted.cast === alone ? side.alone : side.topic;
  return await played(wanted, { channels: { telegram: side.channel }, chats: homeOf(wanted, side.chat) }, () => place);
};

export const onSlack: On = async (wanted) => {
  const side = await slackSide();
  const place = wanted.cast === alone ? side.alone : side.thread;
  return await played(wanted, { channels: { slack: side.channel }, chats: homeOf(wanted, side.chat) }, () => place);
};

export const onSlackByHttp: On = async (wanted) => {
  const side = await slackSide('http');
  const setting = { channels: { slack: side.channel }, chats: homeOf(wanted, side.chat), hasWeb: true };
  return await played(wanted, setting, (bosun) => {
    side.slack.postTo({ events: `${bosun.url}/slack/events` });
    return side.thread;
  });
};

function homeOf({ cast }: Wanted, chat: unknown): readonly unknown[] {
  return cast === alone ? [] : [chat];
}

async function played(wanted: Wanted, setting: Setting, placeOf: (bosun: Bosun) => Place): Promise<Played> {
  const bosun = await openBosun(setting);
  const place = placeOf(bosun);
  const { turns, cast, around } = wanted;
  await play(turns, { place, cast, rest: () => bosun.rest(), ...around?.(bosun, place) });
  await bosun.delivered();
  expectOnce(bosun, place);
  return {
    history: { name: place.name, lines: historyOf(bosun) },
    read: { name: place.name, lines: readIn(place) },
  };
}

/** Everything that stands there is known, and no message stands there twice. */
function expectOnce(bosun: Bosun, place: Place): void {
  const { deliveries } = bosun.app.runtime.store;
  const known = place.posts().map(({ lane, id }) => deliveries.messageAt(lane, id));
  expect(known).not.toContain(null);
  expect(new Set(known).size).toBe(known.length);
}

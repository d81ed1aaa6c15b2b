// Delivery as a whole before a Slack on this machine: real rows, the real client, and one clock for both ends.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openClient } from '../../../../../src/bot/channels/slack/client.js';
import { slackCarrier } from '../../../../../src/bot/channels/slack/outbound/carrier.js';
import { type SlackAsides, slackAsides } from '../../../../../src/bot/channels/slack/outbound/transient-calls.js';
import { type Carrier, Courier, type OutgoingMessage } from '../../../../../src/bot/delivery/index.js';
import type { SqliteStore } from '../../../../../src/store/index.js';
import { courierParts } from '../../../../courier-parts.js';
import { openStore, placedThread } from '../../../../open-store.js';
import { batch, tempFolder } from '../../../../store/given.js';
import { newMessage, type Saying, SimClock } from '../../telegram/outbound/given.js';
import { type Channel, type Person, type Shown, type Slack, type SlackOptions, startSlack } from '../server/index.js';

export interface Delivered {
  readonly slack: Slack;
  readonly clock: SimClock;
  readonly store: SqliteStore;
  readonly failed: string[];
  readonly errors: unknown[];
  readonly ada: Person;
  /** `C01GEN`, with Ada and the bot in it. */
  readonly gen: Channel;
  readonly courier: () => Courier;
  readonly asides: () => SlackAsides;
  /** Commits it and hands it over; gives its id. */
  readonly say: (thread: string, text: string, parts?: Saying) => string;
  /** Lets time pass for both ends; calls that are under way end in between. */
  readonly pass: (ms: number) => Promise<void>;
  /** Another process takes over. */
  readonly restart: (home?: string) => void;
  /** What the bot shows there, oldest first; null: the top level. */
  readonly shown: (channel: Channel, threadTs?: string | null) => readonly Shown[];
  readonly texts: (channel: Channel, threadTs?: string | null) => readonly string[];
}

export async function delivered(options: Omit<SlackOptions, 'clock'> = {}): Promise<Delivered> {
  const clock = new SimClock();
  const slack = await startSlack({ clock, ...options });
  const ada = slack.person('U01ADA', 'Ada');
  const gen = slack.channel('gen', [ada], { id: 'C01GEN' });
  const store = openStore(join(tempFolder(), 'bosun.db'));
  const failed: string[] = [];
  const errors: unknown[] = [];
  const open = (home: string) => {
    const client = openClient({ token: slack.tokens.bot, apiUrl: slack.apiUrl }, 3_600_000);
    return slackCarrier(client, { home });
  };
  let underWay = 0;
  const count = (change: number) => {
    underWay += change;
  };
  const made = (carrier: Carrier) =>
    new Courier({
      ...courierParts,
      carrier: counted(carrier, count),
      clock,
      rows: store.deliveries,
      random: () => 1,
      onFailed: (parcel: OutgoingMessage, why) => failed.push(`${parcel.message} ${why}`),
      onError: (error) => errors.push(error),
    });
  let bare = open('home');
  let courier = made(bare);
  courier.start();
  onTestFinished(async () => {
    await slack.close();
    store.close();
  });
  const pass = passing(slack, clock, () => underWay);
  const say = (id: string, text: string, parts: Saying = {}) => {
    const thread = placedThread(id);
    const [message] = store.commit(batch({ messages: [newMessage(id, text, { at: clock.now(), ...parts })] }));
    if (thread === null || message === undefined) throw new Error(`no thread ${id}`);
    courier.take([{ message, thread }]);
    return message.id;
  };
  const shown = (channel: Channel, threadTs?: string | null) =>
    slack.screen(channel, threadTs).filter(({ by }) => by === 'Bosun');
  return {
    ...{ slack, clock, store, failed, errors, ada, gen, say, pass, shown },
    courier: () => courier,
    asides: () => slackAsides(courier, bare),
    restart: (home = 'home') => {
      bare = open(home);
      courier = made(bare);
      courier.start();
    },
    texts: (channel, threadTs) => shown(channel, threadTs).map(({ text }) => text),
  };
}

function passing(slack: Slack, clock: SimClock, underWay: () => number) {
  const quiet = async () => {
    const began = performance.now();
    // A call that hangs ends by the clock alone.
    const isHung = () => slack.ledger.calls().some(({ came }) => came === 'hang');
    for (let still = 0; still < 3; still = underWay() === 0 ? still + 1 : 0) {
      await new Promise((resolve) => setImmediate(resolve));
      if (underWay() > 0 && isHung() && performance.now() > began + 50) return;
      if (performance.now() > began + 5_000) throw new Error('a call does not end');
    }
  };
  return async (ms: number) => {
    const end = clock.now() + ms;
    await quiet();
    while (clock.nextAt <= end) {
      clock.advance(clock.nextAt - clock.now());
      await quiet();
    }
    clock.advance(end - clock.now());
    await quiet();
  };
}

function counted(carrier: Carrier, count: (change: number) => void): Carrier {
  const watched = async <T>(call: Promise<T>) => {
    count(1);
    try {
      return await call;
    } finally {
      count(-1);
    }
  };
  const { probe } = carrier;
  return {
    ...carrier,
    post: (...given) => watched(carrier.post(...given)),
    ...(probe && { probe: (signal: AbortSignal) => watched(probe(signal)) }),
  };
}

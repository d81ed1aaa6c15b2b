// Delivery as a whole before a Bot API server: real rows, the real client, and one clock for both ends.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sendingApi } from '../../../../../src/bot/channels/telegram/client.js';
import { telegramCarrier } from '../../../../../src/bot/channels/telegram/outbound/carrier.js';
import { type Asides, telegramAsides } from '../../../../../src/bot/channels/telegram/outbound/transient-calls.js';
import { type Carrier, Courier, type OutgoingMessage } from '../../../../../src/bot/delivery/index.js';
import type { NewMessage, SqliteStore, View } from '../../../../../src/store/index.js';
import { courierParts } from '../../../../courier-parts.js';
import { openStore, placedThread } from '../../../../open-store.js';
import { batch, tempFolder } from '../../../../store/given.js';
import { HandClock, type Rates, startTelegram, type Telegram } from '../server/index.js';

const startAt = 1_800_000_000_000;

/** Goes from one thing that is due to the next. */
export class SimClock extends HandClock {
  readonly #due = new Set<{ readonly at: number }>();

  constructor() {
    super(startAt);
  }

  override after(delayMs: number, act: () => void): () => void {
    const due = { at: this.now() + delayMs };
    this.#due.add(due);
    const stop = super.after(delayMs, () => {
      this.#due.delete(due);
      act();
    });
    return () => {
      this.#due.delete(due);
      stop();
    };
  }

  get nextAt(): number {
    return Math.min(...[...this.#due].map(({ at }) => at));
  }
}

export type Saying = Partial<Omit<NewMessage, 'view'>> & Partial<View>;

export function newMessage(thread: string, text: string, parts: Saying = {}): NewMessage {
  const { run = null, interaction = null, card = null, at = startAt, thread: _, ...view } = parts;
  return {
    ...{ thread, run, interaction, card, at },
    view: { kind: 'report', text, buttons: [], offers: [], rings: false, file: null, ...view },
  };
}

export interface Delivered {
  readonly telegram: Telegram;
  readonly clock: SimClock;
  readonly store: SqliteStore;
  readonly failed: string[];
  readonly errors: unknown[];
  readonly courier: () => Courier;
  readonly asides: () => Asides;
  /** Commits it and hands it over; gives its id. */
  readonly say: (thread: string, text: string, parts?: Saying) => string;
  /** Lets time pass for both ends; calls that are under way end in between. */
  readonly pass: (ms: number) => Promise<void>;
  /** Another process takes over. */
  readonly restart: () => void;
  /** What a private chat or a group shows, oldest first. */
  readonly texts: (chat: number) => readonly string[];
}

export async function delivered(options: { readonly rates?: Rates } = {}): Promise<Delivered> {
  const clock = new SimClock();
  const telegram = await startTelegram({ clock, ...options });
  const store = openStore(join(tempFolder(), 'bosun.db'));
  const failed: string[] = [];
  const errors: unknown[] = [];
  let underWay = 0;
  const bare = telegramCarrier(sendingApi({ ...telegram, timeoutS: 3_600 }));
  const carrier = counted(bare, (change) => {
    underWay += change;
  });
  const made = () =>
    new Courier({
      ...courierParts,
      carrier,
      clock,
      rows: store.deliveries,
      random: () => 1,
      onFailed: (parcel: OutgoingMessage, why) => failed.push(`${parcel.message} ${why}`),
      onError: (error) => errors.push(error),
    });
  let courier = made();
  courier.start();
  onTestFinished(async () => {
    await telegram.stop();
    store.close();
  });
  const quiet = async () => {
    const end = performance.now() + 3_000;
    // A call that hangs ends by the clock alone.
    const isHung = () => telegram.ledger.calls().filter((one) => one.came === 'hang').length > 0;
    for (let still = 0; still < 3; still = underWay === 0 ? still + 1 : 0) {
      await new Promise((resolve) => setImmediate(resolve));
      if (underWay > 0 && isHung() && performance.now() > end - 2_950) return;
      if (performance.now() > end) throw new Error('a call does not end');
    }
  };
  const pass = async (ms: number) => {
    const end = clock.now() + ms;
    await quiet();
    while (clock.nextAt <= end) {
      clock.advance(clock.nextAt - clock.now());
      await quiet();
    }
    clock.advance(end - clock.now());
    await quiet();
  };
  const say = (id: string, text: string, parts: Saying = {}) => {
    const thread = placedThread(id);
    const [message] = store.commit(batch({ messages: [newMessage(id, text, { at: clock.now(), ...parts })] }));
    if (thread === null || message === undefined) throw new Error(`no thread ${id}`);
    courier.take([{ message, thread }]);
    return message.id;
  };
  return {
    ...{ telegram, clock, store, failed, errors, say, pass },
    courier: () => courier,
    asides: () => telegramAsides(courier, bare),
    restart: () => {
      courier = made();
      courier.start();
    },
    texts: (chat) => telegram.sent(telegram.world.chat(chat)).map((one) => one.text),
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
  return {
    ...carrier,
    post: (...given) => watched(carrier.post(...given)),
    typing: (...given) => watched(carrier.typing(...given)),
  };
}

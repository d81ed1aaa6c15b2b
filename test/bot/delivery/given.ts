// A clock that moves only when told, a platform that answers as told, and rows in memory, for what carries messages.

import type { Clock } from '../../../src/base/async/clock.js';
import {
  type Carrier,
  Courier,
  type CourierRows,
  type OutgoingMessage,
  type PostResult,
} from '../../../src/bot/delivery/index.js';
import type {
  Block,
  Message,
  NewMessage,
  OpenedThread,
  ShownMessage,
  StoredPost,
  Thread,
  View,
} from '../../../src/store/index.js';
import type { OpenDelivery } from '../../../src/store/messages/deliveries.js';
import { courierParts } from '../../courier-parts.js';

export class HandClock implements Clock {
  #now = 1_000_000;
  #timers: { at: number; act: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, act: () => void): () => void {
    const timer = { at: this.#now + ms, act };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  /** What runs down by it runs down as before. */
  setBack(ms: number): void {
    this.#now -= ms;
    this.#timers = this.#timers.map(({ at, act }) => ({ at: at - ms, act }));
  }

  /** Lets time pass, with all that becomes due and what follows from it. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      await settled();
      const [next] = this.#timers.filter((one) => one.at <= until).sort((one, other) => one.at - other.at);
      if (!next) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.#now = Math.max(this.#now, next.at);
      next.act();
    }
    this.#now = until;
    await settled();
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await Promise.resolve();
}

export interface Call {
  readonly at: number;
  readonly lane: string;
  readonly what: 'send' | 'edit' | 'typing';
  readonly message: string;
  readonly text: string;
  readonly isRepeat: boolean;
  readonly answer: PostResult['kind'];
}

export type Answering = (parcel: OutgoingMessage, call: number) => PostResult | Promise<PostResult>;

export function carrierOf(clock: HandClock, answer: Answering = posted) {
  const calls: Call[] = [];
  const note = (what: Call['what'], thread: Thread, parcel: OutgoingMessage | null, answered: PostResult): void => {
    calls.push({
      at: clock.now(),
      lane: laneOf(thread),
      what,
      message: parcel?.message ?? '',
      text: parcel?.view.text ?? '',
      isRepeat: parcel?.isRepeat ?? false,
      answer: answered.kind,
    });
  };
  const carrier: Carrier = {
    channel: 'telegram',
    laneOf,
    limitsOf: (lane) => (lane.startsWith('-') ? { gapMs: 1_000, perMinute: 20 } : { gapMs: 1_000, perMinute: 60 }),
    placeUnderWay: ({ place }) => place,
    limits: { gapMs: 34, perMinute: 1_700 },
    async post(parcel) {
      const answered = await answer(parcel, calls.length);
      note(parcel.place === null ? 'send' : 'edit', parcel.thread, parcel, answered);
      return answered;
    },
    async typing(thread) {
      note('typing', thread, null, { kind: 'unchanged' });
      return { kind: 'unchanged' };
    },
  };
  return { carrier, calls };
}

export function posted(parcel: OutgoingMessage): PostResult {
  const place = parcel.place ?? `at ${parcel.message}`;
  return { kind: 'posted', place, ids: [place], isWhole: true };
}

function laneOf(thread: Thread): string {
  return thread.address['chat'] ?? '';
}

export interface Row {
  state: 'waiting' | 'sending' | 'sent' | 'superseded' | 'failed';
  readonly delivery: Omit<OpenDelivery, 'wasUnderWay'>;
}

type Said = Partial<View> & Partial<Pick<NewMessage, 'card' | 'interaction'>> & { edits?: string };

/** What a database would keep, also over the death of the one who used it. */
export class Rows implements CourierRows {
  readonly rows = new Map<number, Row>();
  readonly posts = new Map<string, StoredPost>();
  readonly roots = new Map<string, string>();
  readonly problems: string[] = [];
  readonly #blocks = new Map<string, number>();
  readonly #moves = new Map<string, string>();
  #n = 0;

  commit(chat: string, text: string, parts: Said = {}): OpenDelivery {
    this.#n += 1;
    const { edits = null, card = null, interaction = null, ...view } = parts;
    const message: Message = {
      id: `m${this.#n}`,
      edits,
      thread: `t${chat}`,
      run: null,
      interaction,
      card,
      at: 0,
      view: { kind: 'report', text, buttons: [], offers: [], rings: false, file: null, ...view },
    };
    const delivery = { message, thread: threadOf(chat) };
    this.rows.set(this.#n, { state: 'waiting', delivery });
    return { ...delivery, wasUnderWay: false };
  }

  /** As if an earlier call had put it there. */
  shows(root: string, lane: string, place = `at ${root}`): void {
    this.posts.set(root, { lane, place, ids: [place], n: 0, shown: null });
  }

  open(_channel = '', after = 0, limit = 1_000): readonly OpenDelivery[] {
    return [...this.rows.entries()]
      .filter(([n, { state }]) => n > after && (state === 'waiting' || state === 'sending'))
      .slice(0, limit)
      .map(([, { delivery, state }]) => ({ ...delivery, wasUnderWay: state === 'sending' }));
  }

  isOpen(n: number): boolean {
    const state = this.rows.get(n)?.state;
    return state === 'waiting' || state === 'sending';
  }

  post(root: string): StoredPost | null {
    return this.posts.get(root) ?? null;
  }

  begin(n: number, root: string, place: string | null): void {
    this.#set(n, 'sending');
    const post = this.posts.get(root);
    if (post) this.posts.set(root, { ...post, place: place ?? post.place, shown: null });
  }

  pause(n: number): void {
    this.#set(n, 'waiting');
  }

  step(n: number, root: string, post: StoredPost, opened: OpenedThread | null = null): void {
    this.#set(n, 'waiting');
    this.#open(opened);
    this.posts.set(root, { ...post, shown: null });
  }

  end(n: number, state: 'sent' | 'superseded', at: ShownMessage | null): void {
    this.#set(n, state);
    this.#open(at?.opened ?? null);
    if (at !== null) this.posts.set(at.root, at.post);
  }

  root(thread: string): string | null {
    return this.roots.get(thread) ?? null;
  }

  forget(root: string): void {
    this.posts.delete(root);
  }

  fail(n: number, problem: string): void {
    this.#set(n, 'failed');
    this.problems.push(`m${n}: ${problem}`);
  }

  block(_channel: string, lane: string, until: number): void {
    this.#blocks.set(lane, until);
  }

  blocks(): readonly Block[] {
    return [...this.#blocks].map(([lane, until]) => ({ lane, until }));
  }

  move(_channel: string, from: string, to: string): void {
    this.#moves.set(from, to);
  }

  moves(): ReadonlyMap<string, string> {
    return this.#moves;
  }

  states(): readonly Row['state'][] {
    return [...this.rows.values()].map(({ state }) => state);
  }

  #open(opened: OpenedThread | null): void {
    if (opened !== null && !this.roots.has(opened.thread)) this.roots.set(opened.thread, opened.root);
  }

  #set(n: number, state: Row['state']): void {
    const row = this.rows.get(n);
    if (!row) throw new Error(`no row ${n}`);
    row.state = state;
  }
}

export function threadOf(chat: string): Thread {
  return { id: `t${chat}`, channel: 'telegram', address: { chat }, project: null, quiet: false };
}

interface Opening {
  readonly rows?: Rows;
  readonly clock?: HandClock;
  /** What the platform has besides. */
  readonly more?: Partial<Carrier>;
}

export function openedCourier(
  answer?: Answering,
  { rows = new Rows(), clock = new HandClock(), more = {} }: Opening = {},
) {
  const { carrier, calls } = carrierOf(clock, answer);
  const failed: string[] = [];
  const courier = new Courier({
    ...courierParts,
    ...{ rows, clock },
    carrier: { ...carrier, ...more },
    random: () => 1,
    onFailed: (parcel, why) => failed.push(`${parcel.message}: ${why}`),
    onError: (error) => {
      throw error;
    },
  });
  return { clock, rows, calls, failed, courier, texts: () => calls.map(({ text }) => text) };
}

// Reads and trims streams. At least once: each reconnect starts again at the first entry.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { messagesIn } from '../protocol/batched-messages.js';
import { timeOf } from './connect.js';

export interface Entry {
  readonly stream: string;
  readonly at: number;
  readonly from: string;
  readonly message: string;
}

export interface ReaderOptions {
  readonly reading: Redis;
  /** A connection that never blocks, for trimming. */
  readonly redis: Redis;
  readonly streams: readonly string[];
  readonly blockMs: number;
  /** False leaves the entries to another process. */
  readonly mayTake: () => boolean;
  readonly take: (entry: Entry) => void;
  /** Precedes the first entry after each connect. */
  readonly onConnect: (redisNow: number) => void;
  readonly onError: (error: unknown) => void;
  readonly now: () => number;
}

export interface StreamReader {
  readonly lastAnswerAt: number;
  /** Resolves once all present entries are taken, or when closed; has no timeout. */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

const entriesAtOnce = 500;
const pauseMs = 100;
const trimAfterMs = 20;

export function startReader(options: ReaderOptions): StreamReader {
  const { reading, streams, blockMs, now } = options;
  let isClosed = false;
  let lastAnswerAt = now();
  let places: string[] | null = null;
  let behind: (() => void)[] = [];
  /** Taken but not trimmed: one trim serves many reads. */
  const taken = new Map<string, string>();
  let trimming: NodeJS.Timeout | null = null;

  /** A failed trim only repeats entries after the next connect. */
  function trim(): void {
    clearTimeout(trimming ?? undefined);
    trimming = null;
    const { redis, mayTake, onError } = options;
    const done = [...taken];
    taken.clear();
    if (!mayTake() || redis.status !== 'ready') return;
    for (const [stream, last] of done) redis.xtrim(stream, 'MINID', after(last)).catch(onError);
  }

  async function readPast(): Promise<void> {
    const asked = behind;
    behind = [];
    let isAll = false;
    try {
      isAll = await readOnce();
    } finally {
      if (isAll) for (const go of asked) go();
      else behind.unshift(...asked);
    }
  }

  async function loop(): Promise<void> {
    while (!isClosed) {
      try {
        if (reading.status !== 'ready' || !options.mayTake()) {
          places = null;
          await sleep(pauseMs, undefined, { ref: false });
        } else {
          await readPast();
        }
      } catch (error) {
        places = null;
        if (isClosed) return;
        options.onError(error);
        await sleep(pauseMs, undefined, { ref: false });
      }
    }
  }

  /** True: all entries present at the start are read. */
  async function readOnce(): Promise<boolean> {
    if (places === null) {
      const redisNow = await timeOf(reading);
      lastAnswerAt = now();
      options.onConnect(redisNow);
      places = streams.map(() => '0');
    }
    const found = await reading.xread(
      ...(['COUNT', entriesAtOnce, 'BLOCK', blockMs, 'STREAMS'] as const),
      ...[...streams, ...places],
    );
    lastAnswerAt = now();
    if (!options.mayTake()) return false;
    const batches = new Map(found ?? []);
    for (const [at, stream] of streams.entries()) {
      const entries = batches.get(stream) ?? [];
      const last = entries.at(-1)?.[0];
      if (last === undefined) continue;
      for (const [id, fields] of entries) for (const entry of entriesOf(stream, id, fields)) options.take(entry);
      places[at] = last;
      taken.set(stream, last);
    }
    if (taken.size > 0) trimming ??= setTimeout(trim, trimAfterMs).unref();
    return [...batches.values()].every((entries) => entries.length < entriesAtOnce);
  }

  const ended = loop();
  return {
    get lastAnswerAt() {
      return lastAnswerAt;
    },
    caughtUp: () => (isClosed ? Promise.resolve() : new Promise((resolve) => behind.push(resolve))),
    async close() {
      isClosed = true;
      trim();
      reading.disconnect(false);
      await ended;
      for (const go of behind.splice(0)) go();
    },
  };
}

function entriesOf(stream: string, id: string, fields: readonly string[]): readonly Entry[] {
  const at = Number.parseInt(id, 10);
  const from = fields[fields.indexOf('from') + 1] ?? '';
  return messagesIn(fields).map((message) => ({ stream, at, from, message }));
}

function after(id: string): string {
  const [at, n] = id.split('-');
  return `${at}-${Number(n) + 1}`;
}

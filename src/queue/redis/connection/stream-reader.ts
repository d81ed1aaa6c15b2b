// Reads streams as they grow, and takes out of them what was read. After the connection was gone it begins at the first
// entry that is there: whatever is still in a stream has not been worked on, and everything in it may be said twice.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { timeOf } from './connect.js';

export interface Entry {
  readonly stream: string;
  /** The milliseconds at which Redis took it, by the clock of Redis. */
  readonly at: number;
  readonly from: string;
  readonly message: string;
}

export interface ReaderOptions {
  readonly reading: Redis;
  /** Used for trimming, and so never blocked. */
  readonly redis: Redis;
  readonly streams: readonly string[];
  readonly blockMs: number;
  /** False: what there is stays for another. */
  readonly mayTake: () => boolean;
  /** In the order of the streams, and within each in the order of its entries. */
  readonly take: (entry: Entry) => void;
  /** Called before the first entry after each connect. */
  readonly onConnect: (redisNow: number) => void;
  readonly onError: (error: unknown) => void;
  readonly now: () => number;
}

export interface StreamReader {
  /** When Redis last answered, be it that there is nothing. */
  readonly lastAnswerAt: number;
  /** When all has been taken that lies there now; as late as it takes, and at once when it is closed. */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

const entriesAtOnce = 500;
const pauseMs = 100;

export function startReader(options: ReaderOptions): StreamReader {
  const { reading, streams, blockMs, now } = options;
  let isClosed = false;
  let lastAnswerAt = now();
  let places: string[] | null = null;
  let behind: (() => void)[] = [];

  /** Whoever asked before this read began has it all, unless there was more than one read takes. */
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

  /** Whether nothing is left of what lay there as it began. */
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
      for (const [id, fields] of entries) options.take(entryOf(stream, id, fields));
      places[at] = last;
      // What cannot be taken out now is read and taken out once more after the next connect.
      options.redis.xtrim(stream, 'MINID', after(last)).catch(options.onError);
    }
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
      reading.disconnect(false);
      await ended;
      for (const go of behind.splice(0)) go();
    },
  };
}

function entryOf(stream: string, id: string, fields: readonly string[]): Entry {
  const value = (name: string) => fields[fields.indexOf(name) + 1] ?? '';
  return { stream, at: Number.parseInt(id, 10), from: value('from'), message: value('m') };
}

function after(id: string): string {
  const [at, n] = id.split('-');
  return `${at}-${Number(n) + 1}`;
}

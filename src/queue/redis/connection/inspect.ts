// For diagnostics: keeps no connection, changes nothing.

import { z } from 'zod';
import { parsed, protocolVersion } from '../protocol/messages.js';
import { namesOf } from '../protocol/redis-keys.js';
import { closeLink, connect, placeOf } from './connect.js';
import { readyWithin, scanKeys } from './look.js';
import { problemsOf } from './problems.js';

export interface RedisLook {
  readonly place: string;
  readonly problem: string | null;
  readonly version: string | null;
  readonly policy: string | null;
  readonly isAppending: boolean | null;
  /** Why Redis, although it answers, takes no writes. */
  readonly full: string | null;
  readonly workers: readonly SeenWorker[];
}

const word = z.string().max(200);
/** Older workers omit fields. */
const seenWorker = z.object({
  ...{ name: word, slots: z.number(), runs: z.number(), at: z.number() },
  ids: z.array(word).max(1_000).default([]),
  host: word.default(''),
  isAway: z.boolean().default(false),
  can: z.array(word).max(100).default([]),
  bosun: word.default(''),
  version: z.number().int().default(1),
  isDraining: z.boolean().default(false),
});
export type ShownWorker = Readonly<z.infer<typeof seenWorker>>;
export interface SeenWorker extends ShownWorker {
  /** Speaks another protocol version; it gets no jobs. */
  readonly isForeign: boolean;
}

const answerWithinMs = 3_000;
const mostWorkers = 500;

export async function inspectRedis(url: string, home: string): Promise<RedisLook> {
  const place = placeOf(url);
  const problems = problemsOf(place, () => undefined);
  const redis = connect({ url, name: 'bosun-look', commandTimeoutMs: answerWithinMs, onError: problems.note });
  try {
    await readyWithin(redis, answerWithinMs);
    const memory = await redis.info('memory');
    const look = {
      version: fieldOf(await redis.info('server'), 'redis_version'),
      policy: fieldOf(memory, 'maxmemory_policy'),
      full: fullIn(memory, place),
      isAppending: flagOf(fieldOf(await redis.info('persistence'), 'aof_enabled')),
      workers: await workersOf(redis, home),
    };
    return { place, problem: null, ...look };
  } catch (error) {
    if (problems.present === null) problems.note(error);
    return {
      place,
      problem: problems.present,
      version: null,
      policy: null,
      isAppending: null,
      full: null,
      workers: [],
    };
  } finally {
    closeLink(redis);
  }
}

type Link = ReturnType<typeof connect>;

async function workersOf(redis: Link, home: string): Promise<readonly SeenWorker[]> {
  const keys = new Set<string>();
  for await (const page of scanKeys(redis, namesOf(home).worker('*'))) {
    for (const key of page) keys.add(key);
    if (keys.size >= mostWorkers) break;
  }
  if (keys.size === 0) return [];
  const rows = await redis.mget([...keys]);
  const shown = rows.flatMap((row) => (row === null ? [] : (parsed(seenWorker, row) ?? [])));
  return shown.map((one) => ({ ...one, isForeign: one.version !== protocolVersion }));
}

/** Over `maxmemory` with `noeviction`; some buffers do not count. */
function fullIn(memory: string, place: string): string | null {
  const amount = (name: string) => Number(fieldOf(memory, name) ?? 0);
  const isKept = fieldOf(memory, 'maxmemory_policy') === 'noeviction';
  const [used, most] = [amount('used_memory') - amount('mem_not_counted_for_evict'), amount('maxmemory')];
  if (!isKept || most === 0 || used <= most) return null;
  const full = problemsOf(place, () => undefined);
  full.note(new Error('OOM command not allowed'));
  return full.present;
}

function fieldOf(info: string, name: string): string | null {
  const line = info.split('\n').find((one) => one.startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim() || null;
}

function flagOf(said: string | null): boolean | null {
  return said === null ? null : said === '1';
}

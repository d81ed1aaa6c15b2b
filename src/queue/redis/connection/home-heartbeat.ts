import { z } from 'zod';
import { BosunError } from '../../../base/index.js';
import { parsed } from '../protocol/messages.js';
import { namesOf } from '../protocol/redis-keys.js';
import { closeLink, connect, placeOf } from './connect.js';
import { readyWithin, scanKeys } from './look.js';
import { problemsOf } from './problems.js';

const maxChars = 1_000;
const shape = z.object({
  instance: z.string().max(200),
  leaseMs: z.number().int().min(100).max(3_600_000),
  disk: z.string().max(200).nullable().default(null),
});

export function writeHomeHeartbeat({ instance, leaseMs, disk }: z.infer<typeof shape>): string {
  return JSON.stringify({ instance, leaseMs: Math.round(leaseMs), disk } satisfies z.infer<typeof shape>);
}

/** Never deletes another process's heartbeat. */
export const leaveScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

/** Null: no Bosun is alive, or one of another version. */
export function leaseIn(said: string | null): number | null {
  return read(said)?.leaseMs ?? null;
}

/** Null: no Bosun is alive, or it names no disk. */
export function diskIn(said: string | null): string | null {
  return read(said)?.disk ?? null;
}

function read(said: string | null): z.infer<typeof shape> | null {
  return said === null ? null : parsed(shape, said, maxChars);
}

const answerWithinMs = 3_000;

const mostHomes = 100;

export interface LivingHome {
  readonly id: string;
  readonly disk: string | null;
}

export async function homesIn(url: string): Promise<readonly LivingHome[]> {
  const problems = problemsOf(placeOf(url), () => undefined);
  const redis = connect({ url, name: 'bosun-look', commandTimeoutMs: answerWithinMs, onError: problems.note });
  try {
    await readyWithin(redis, answerWithinMs);
    return await homesAt(redis);
  } catch (cause) {
    if (problems.present === null) problems.note(cause);
    throw new BosunError('queue', problems.present ?? `Redis at ${placeOf(url)} does not answer`, { cause });
  } finally {
    closeLink(redis);
  }
}

type Link = ReturnType<typeof connect>;

async function homesAt(redis: Link): Promise<readonly LivingHome[]> {
  const [before = '', after = ''] = namesOf('*').alive.split('*');
  const homes = new Set<string>();
  for await (const keys of scanKeys(redis, namesOf('*').alive)) {
    for (const key of keys) homes.add(key.slice(before.length, key.length - after.length));
    if (homes.size >= mostHomes) break;
  }
  const ids = [...homes].filter((home) => /^[\w-]{1,100}$/.test(home)).sort();
  if (ids.length === 0) return [];
  const said = await redis.mget(ids.map((id) => namesOf(id).alive));
  return ids.map((id, at) => ({ id, disk: diskIn(said[at] ?? null) }));
}

// The word in Redis that a Bosun lives, on which disk, and after how long a silent worker counts as dead to it.
import { z } from 'zod';
import { parsed } from '../protocol/messages.js';

const maxChars = 1_000;
const shape = z.object({
  instance: z.string().max(200),
  leaseMs: z.number().int().min(100).max(3_600_000),
  /** The mark of the disk that its home is on; null: it does not say. */
  disk: z.string().max(200).nullable().default(null),
});

export function sayAlive({ instance, leaseMs, disk }: z.infer<typeof shape>): string {
  return JSON.stringify({ instance, leaseMs: Math.round(leaseMs), disk } satisfies z.infer<typeof shape>);
}

/** Takes the word back, if it is this one's. */
export const leaveScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

/** Null: none lives, or it is of another version. */
export function leaseIn(said: string | null): number | null {
  return read(said)?.leaseMs ?? null;
}

/** Null: none lives, or it does not say. */
export function diskIn(said: string | null): string | null {
  return read(said)?.disk ?? null;
}

function read(said: string | null): z.infer<typeof shape> | null {
  return said === null ? null : parsed(shape, said, maxChars);
}

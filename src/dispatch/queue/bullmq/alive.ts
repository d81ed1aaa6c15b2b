// The word in Redis that a Bosun lives, and after how long a silent worker counts as dead to it.
import { z } from 'zod';
import { parsed } from './messages.js';

const maxChars = 1_000;
const shape = z.object({ instance: z.string().max(200), leaseMs: z.number().int().min(100).max(3_600_000) });

export function sayAlive(instance: string, leaseMs: number): string {
  return JSON.stringify({ instance, leaseMs: Math.round(leaseMs) } satisfies z.infer<typeof shape>);
}

/** Null: none lives, or it is of another version. */
export function leaseIn(said: string | null): number | null {
  return said === null ? null : (parsed(shape, said, maxChars)?.leaseMs ?? null);
}

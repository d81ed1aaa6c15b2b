// The lease's content: the identity of its holder.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';

const word = z.string().max(300);
const holderSchema = z.object({
  /** Random for each start. */
  session: word,
  host: word,
  pid: z.number().int(),
  /** Wall-clock ms of the holder's own machine. */
  since: z.number(),
  /** Empty: not active yet. */
  epoch: word,
  /** Equal for processes that open the same folder under the same kernel; empty: not known. */
  place: word,
  /** Whether the holder lapses by itself because a standby may be waiting. */
  standby: z.boolean().default(false),
});

export type Holder = Readonly<z.infer<typeof holderSchema>>;

export function newHolder(dir: string, standby: boolean): Holder {
  const session = randomBytes(9).toString('hex');
  return { session, host: hostname(), pid: process.pid, since: Date.now(), epoch: '', place: placeOf(dir), standby };
}

export function textOf(holder: Holder): string {
  return JSON.stringify(holder);
}

/** null: not written by Bosun. */
export function holderIn(text: string): Holder | null {
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    // Not JSON, or another shape.
    return null;
  }
}

/** A holder with this process's own place is dead, because this process now holds the home's lock. */
export function isOfPlace(text: string, { place }: Holder): boolean {
  return place !== '' && holderIn(text)?.place === place;
}

export function toldOf(text: string): string {
  const holder = holderIn(text);
  if (holder === null) return 'an unknown process';
  return `${holder.host}, pid ${holder.pid}, since ${new Date(holder.since).toISOString()}`;
}

/** Hashes boot id, pid namespace and folder, which two machines never share all together. */
function placeOf(dir: string): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const { dev, ino } = statSync(dir);
    const whole = [boot, readlinkSync('/proc/self/ns/pid'), dev, ino].join(' ');
    return createHash('sha256').update(whole).digest('hex').slice(0, 32);
  } catch {
    // No /proc on this system: only Redis can tell who is active.
    return '';
  }
}

// Who has the lease, as the lease itself says.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';

const word = z.string().max(300);
const holderSchema = z.object({
  /** Drawn anew each time. */
  session: word,
  host: word,
  pid: z.number().int(),
  /** In milliseconds, by its own clock. */
  since: z.number(),
  /** Empty: it is not active yet. */
  epoch: word,
  /** The same for whoever opens the same folder under the same kernel; empty: not known. */
  place: word,
  /** Whether it stops by itself, because it knows that somebody may wait to take over. */
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

/** Null: nobody of this program wrote that. */
export function holderIn(text: string): Holder | null {
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    // Not JSON, or of another shape.
    return null;
  }
}

/** Whoever has the home's lock knows that a holder with this place is dead: it had the lock before. */
export function isOfPlace(text: string, { place }: Holder): boolean {
  return place !== '' && holderIn(text)?.place === place;
}

/** For people: `host, pid 12, since …`. */
export function toldOf(text: string): string {
  const holder = holderIn(text);
  if (holder === null) return 'somebody unknown';
  return `${holder.host}, pid ${holder.pid}, since ${new Date(holder.since).toISOString()}`;
}

/** The boot, the numbers of processes and the folder: two machines never have all of them in common. */
function placeOf(dir: string): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const { dev, ino } = statSync(dir);
    const whole = [boot, readlinkSync('/proc/self/ns/pid'), dev, ino].join(' ');
    return createHash('sha256').update(whole).digest('hex').slice(0, 32);
  } catch {
    // A system without /proc: then nothing is known but what Redis says.
    return '';
  }
}

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';

const word = z.string().max(300);
const holderSchema = z.object({
  session: word,
  host: word,
  pid: z.number().int(),
  /** Wall clock of the holder's machine, in ms. */
  since: z.number(),
  /** '': not active yet. */
  epoch: word,
  /** Identifies the folder on its machine; '' unknown. */
  place: word,
  /** The lease lapses by itself, for a standby. */
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

export function holderIn(text: string): Holder | null {
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** This process holds the home's lock, so such a holder is dead. */
export function isOfPlace(text: string, { place }: Holder): boolean {
  return place !== '' && holderIn(text)?.place === place;
}

export function toldOf(text: string): string {
  const holder = holderIn(text);
  if (holder === null) return 'an unknown process';
  return `${holder.host}, pid ${holder.pid}, since ${new Date(holder.since).toISOString()}`;
}

/** Boot id, pid namespace and folder: unique to a machine. */
function placeOf(dir: string): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const { dev, ino } = statSync(dir);
    const whole = [boot, readlinkSync('/proc/self/ns/pid'), dev, ino].join(' ');
    return createHash('sha256').update(whole).digest('hex').slice(0, 32);
  } catch {
    return '';
  }
}

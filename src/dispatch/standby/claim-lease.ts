// With a standby, an absent lease is not free at once: a Redis that lost its data looks the same.
import { BosunError, pause } from '../../base/index.js';
import type { LeaseLink, LeaseLook } from '../../queue/index.js';
import { numberOf } from './epoch.js';
import { type Holder, holderIn, isOfPlace, textOf, toldOf } from './holder.js';
import { type Moment, presentMoment } from './lease.js';

export interface Claiming {
  readonly link: LeaseLink;
  readonly holder: Holder;
  readonly lastsMs: number;
  readonly hasStandby: boolean;
  /** Waits while another holds the lease. */
  readonly waits: boolean;
  readonly ownEpoch: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

export type Claimed =
  | { readonly kind: 'claimed'; readonly epoch: string; readonly at: Moment }
  | { readonly kind: 'away' }
  | { readonly kind: 'stopped' };

const connectMs = 3_000;
const longestLookMs = 1_000;
/** Redis may answer reads but refuse writes. */
const mostFailures = 3;
/** Covers latency, so that only a real renewal counts. */
const slackMs = 30;

/** Throws `busy_home` if taken and not waiting, or if the holder has no standby configured. */
export async function claim(claiming: Claiming): Promise<Claimed> {
  const { link, lastsMs, waits, signal } = claiming;
  const waiting = new Waiting(claiming);
  for (let failures = 0; !signal.aborted; ) {
    const look = await lookAt(link);
    const taken = look === null ? { kind: 'away' as const } : await take(claiming, waiting.over(look));
    if (taken.kind === 'claimed') return taken;
    if (taken.kind === 'away') {
      failures += 1;
      if (!waits && (look === null || failures >= mostFailures)) return taken;
      waiting.sayAway();
    }
    const leftMs = look === null || look.held === null ? longestLookMs : look.leftMs + 1;
    await pause(Math.min(longestLookMs, lastsMs / 8, leftMs), signal);
  }
  return { kind: 'stopped' };
}

async function lookAt(link: LeaseLink): Promise<LeaseLook | null> {
  try {
    return (await link.connected(connectMs)) ? await link.look() : null;
  } catch {
    return null;
  }
}

async function take(
  { link, holder, lastsMs }: Claiming,
  over: string | null | 'not yet',
): Promise<Claimed | { readonly kind: 'held' }> {
  if (over === 'not yet') return { kind: 'held' };
  const at = presentMoment();
  try {
    const { isKept, epoch } = await link.claim(textOf(holder), over, lastsMs);
    return isKept ? { kind: 'claimed', epoch, at } : { kind: 'held' };
  } catch {
    return { kind: 'away' };
  }
}

class Waiting {
  readonly #claiming: Claiming;
  #endsAt: number | null = null;
  /** An absent lease counts as free from then; null: not absent. */
  #believedAt: number | null = null;
  #said = '';

  constructor(claiming: Claiming) {
    this.#claiming = claiming;
  }

  /** The holder to take over from; null: the lease is free. */
  over(look: LeaseLook): string | null | 'not yet' {
    const { holder } = this.#claiming;
    if (look.held === null) return this.#isFree(look) ? null : 'not yet';
    if (look.held === textOf(holder) || isOfPlace(look.held, holder)) return look.held;
    this.#heldBy(look.held, look.leftMs);
    return 'not yet';
  }

  sayAway(): void {
    this.#say(`standby: ${this.#claiming.link.problem ?? 'Redis does not answer.'}`);
  }

  #isFree({ epoch }: LeaseLook): boolean {
    const { hasStandby, ownEpoch, lastsMs } = this.#claiming;
    const now = performance.now();
    if (!hasStandby) return true;
    const hasRunOut = this.#endsAt !== null && now >= this.#endsAt - slackMs;
    const hasForgotten = epoch === '' || numberOf(epoch) < numberOf(ownEpoch);
    if (hasRunOut && !hasForgotten) this.#believedAt = now;
    this.#endsAt = null;
    this.#believedAt ??= now + lastsMs;
    return now >= this.#believedAt;
  }

  #heldBy(held: string, leftMs: number): void {
    const { waits, lastsMs } = this.#claiming;
    const endsAt = performance.now() + leftMs;
    // A renewal during the wait proves that the holder is alive.
    const isRenewed = this.#endsAt !== null && endsAt > this.#endsAt + slackMs;
    if (waits && holderIn(held)?.standby === false) throw unaware(held);
    if (!waits && (isRenewed || leftMs > lastsMs * 2)) throw refused(held);
    this.#endsAt = endsAt;
    this.#believedAt = null;
    this.#say(`standby: ${holderIn(held)?.host ?? 'an unknown host'} holds the lease`);
  }

  #say(line: string): void {
    if (this.#claiming.waits && line !== this.#said) this.#claiming.say(line);
    this.#said = line;
  }
}

function refused(held: string): BosunError {
  return new BosunError('busy_home', `A Bosun of this home is active on another machine: ${toldOf(held)}`, {
    hint: 'Use that one, or stop it first. With "bosun up --standby" this one waits to take over.',
  });
}

/** A holder without a standby never lapses: cut off from Redis it would stay active. */
function unaware(held: string): BosunError {
  return new BosunError('busy_home', `The active Bosun has no standby in its config: ${toldOf(held)}`, {
    hint: 'Set standby in its config.yaml and restart it: without that it does not stop in time for a takeover.',
  });
}

// The lease of a Bosun that is or becomes the active one. It goes on by itself, and tells at any moment whether this
// process may still act. With a standby it lapses by itself, sooner than another can take it: after two thirds of its time
// without a sign of Redis that it is still this one's.
import { performance } from 'node:perf_hooks';
import type { LeaseLink } from '../../queue/index.js';
import { numberOf } from './epoch.js';
import { type Holder, isOfPlace, textOf, toldOf } from './holder.js';

export interface LeaseParts {
  readonly link: LeaseLink;
  readonly holder: Holder;
  readonly lastsMs: number;
  /** Whether somebody may be waiting to take over. */
  readonly hasStandby: boolean;
  /** Of the database here, or of the one that was active last. */
  readonly epoch: string;
  /** When it was last known to be this one's; null: Redis was not there to ask. */
  readonly renewedAt: Moment | null;
  readonly now?: () => Moment;
}

/** By a clock that nobody sets, and by the one on the wall, which also goes on while the machine sleeps. */
export interface Moment {
  readonly steadyMs: number;
  readonly wallMs: number;
}

export function presentMoment(): Moment {
  return { steadyMs: performance.now(), wallMs: Date.now() };
}

/** Parts of a lease: how often it is renewed, how soon after a failure, and how long it counts. */
const renewals = 3;
const retries = 15;
const countsFor = 2 / 3;
/** Enough for its own dead predecessor, and no contest with the living. */
const maxTakenOver = 3;

export class Lease {
  /** Resolves, in words for people, once this process must not act any more. */
  readonly lost: Promise<string>;
  readonly #parts: LeaseParts;
  readonly #tellLost: (why: string) => void;
  readonly #now: () => Moment;
  #holder: Holder;
  #epoch: string;
  #renewedAt: Moment;
  #isLost = false;
  #isStopped = false;
  #takenOver = 0;
  #renewing: NodeJS.Timeout | null = null;
  #lapsing: NodeJS.Timeout | null = null;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
    this.#now = parts.now ?? presentMoment;
    this.#holder = parts.holder;
    this.#epoch = parts.epoch;
    this.#renewedAt = parts.renewedAt ?? this.#now();
    let tellLost: (why: string) => void = () => undefined;
    this.lost = new Promise((resolve) => {
      tellLost = resolve;
    });
    this.#tellLost = tellLost;
    this.#again(parts.renewedAt === null ? 0 : parts.lastsMs / renewals);
    this.#watchTime();
  }

  get session(): string {
    return this.#holder.session;
  }

  get epoch(): string {
    return this.#epoch;
  }

  /** How many times a Bosun of this home became the active one. */
  get number(): number {
    return numberOf(this.#epoch);
  }

  /** Once it said no it never says yes again: what it was asked for did not happen. */
  readonly isActive = (): boolean => {
    if (!this.#isLost && this.#leftMs() <= 0) this.#lapse();
    return !this.#isLost;
  };

  /** From now on it stands for this epoch. True: Redis knows it. */
  async publish(epoch: string): Promise<boolean> {
    this.#epoch = epoch;
    const before = textOf(this.#holder);
    this.#holder = { ...this.#holder, epoch };
    return this.#renew(before);
  }

  /** What an earlier Bosun gave out is not this one's. */
  clearJobs(): Promise<void> {
    return this.#parts.link.clearJobs();
  }

  /** With a standby it runs out by itself: a restart is no reason to take over. */
  async close(): Promise<void> {
    this.#stop();
    const { link, hasStandby } = this.#parts;
    try {
      if (!this.#isLost && !hasStandby) await link.release(textOf(this.#holder));
    } catch {
      // Redis is away: then it runs out there by itself.
    } finally {
      link.close();
    }
  }

  /** Gives it up at once: it was never acted upon. */
  async abandon(): Promise<void> {
    this.#stop();
    await this.#parts.link.release(textOf(this.#holder)).catch(() => undefined);
    this.#parts.link.close();
  }

  async #renew(before: string): Promise<boolean> {
    const { link, lastsMs } = this.#parts;
    const text = textOf(this.#holder);
    // What counts is when it was asked: the answer may have waited.
    const askedAt = this.#now();
    const { isKept, held, epoch } = await link.keep(text, before, this.#epoch, lastsMs);
    if (this.#isStopped) return false;
    if (isKept) {
      this.#renewedAt = askedAt;
      this.#watchTime();
      return true;
    }
    if (held !== null && isOfPlace(held, this.#holder) && this.#takenOver < maxTakenOver) return this.#takeOver(held);
    this.#lose(held === null ? leftBehind(epoch, this.#epoch) : `another Bosun has taken over: ${toldOf(held)}`);
    return false;
  }

  /** What Redis had no room for, or no time, is tried again for as long as it takes. */
  async #takeOver(held: string): Promise<boolean> {
    this.#takenOver += 1;
    try {
      return await this.#renew(held);
    } catch (error) {
      this.#takenOver -= 1;
      throw error;
    }
  }

  #again(afterMs: number): void {
    if (this.#isStopped) return;
    const { lastsMs } = this.#parts;
    this.#renewing = setTimeout(() => {
      this.#renew(textOf(this.#holder)).then(
        () => this.#again(lastsMs / renewals),
        () => this.#again(lastsMs / retries),
      );
    }, afterMs).unref();
  }

  #watchTime(): void {
    if (this.#lapsing !== null) clearTimeout(this.#lapsing);
    const leftMs = this.#leftMs();
    if (leftMs === Number.POSITIVE_INFINITY) return;
    this.#lapsing = setTimeout(() => this.isActive() && this.#watchTime(), Math.max(1, leftMs)).unref();
  }

  #leftMs(): number {
    const { lastsMs, hasStandby } = this.#parts;
    if (!hasStandby) return Number.POSITIVE_INFINITY;
    const now = this.#now();
    const passedMs = Math.max(now.steadyMs - this.#renewedAt.steadyMs, now.wallMs - this.#renewedAt.wallMs);
    return lastsMs * countsFor - passedMs;
  }

  #lapse(): void {
    const { problem } = this.#parts.link;
    const why = problem ?? 'this process or its machine stood still';
    this.#lose(`the lease could not be renewed in time, and a standby may have taken over. ${why}`);
  }

  #lose(why: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#stop();
    this.#tellLost(why);
  }

  #stop(): void {
    this.#isStopped = true;
    for (const timer of [this.#renewing, this.#lapsing]) if (timer !== null) clearTimeout(timer);
  }
}

export function leftBehind(last: string, own: string): string {
  return `the database here is of epoch ${numberOf(own)} and was left behind: another Bosun has been active since, in epoch ${numberOf(last)}`;
}

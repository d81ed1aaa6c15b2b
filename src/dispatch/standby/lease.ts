// The lease renews itself. With a standby it lapses after two thirds of its time without confirmation, before another
// takes it.
import { performance } from 'node:perf_hooks';
import type { LeaseLink } from '../../queue/index.js';
import { numberOf } from './epoch.js';
import { type Holder, isOfPlace, textOf, toldOf } from './holder.js';

export interface LeaseParts {
  readonly link: LeaseLink;
  readonly holder: Holder;
  readonly lastsMs: number;
  readonly hasStandby: boolean;
  readonly epoch: string;
  /** Null: Redis was unreachable. */
  readonly renewedAt: Moment | null;
  readonly now: () => Moment;
}

/** Both clocks: the monotonic one cannot be set, the wall clock advances during sleep. */
export interface Moment {
  readonly steadyMs: number;
  readonly wallMs: number;
}

export function presentMoment(): Moment {
  return { steadyMs: performance.now(), wallMs: Date.now() };
}

const renewals = 3;
const retries = 15;
const countsFor = 2 / 3;
/** Enough to replace a dead predecessor; living ones must not contest. */
const maxTakenOver = 3;

export class Lease {
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
    this.#now = parts.now;
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

  /** Counts this home's activations. */
  get number(): number {
    return numberOf(this.#epoch);
  }

  /** Once false, never true again: callers have skipped work. */
  readonly isActive = (): boolean => {
    if (!this.#isLost && this.#leftMs() <= 0) this.#lapse();
    return !this.#isLost;
  };

  /** True: Redis has it. */
  async publish(epoch: string): Promise<boolean> {
    this.#epoch = epoch;
    const before = textOf(this.#holder);
    this.#holder = { ...this.#holder, epoch };
    return this.#renew(before);
  }

  clearJobs(): Promise<void> {
    return this.#parts.link.clearJobs();
  }

  /** With a standby the lease expires instead, so a quick restart causes no takeover. */
  async close(): Promise<void> {
    this.#stop();
    const { link, hasStandby } = this.#parts;
    try {
      if (!this.#isLost && !hasStandby) await link.release(textOf(this.#holder));
    } catch {
      // Unreachable: the lease expires.
    } finally {
      link.close();
    }
  }

  async abandon(): Promise<void> {
    this.#stop();
    await this.#parts.link.release(textOf(this.#holder)).catch(() => undefined);
    this.#parts.link.close();
  }

  async #renew(before: string): Promise<boolean> {
    const { link, lastsMs } = this.#parts;
    const text = textOf(this.#holder);
    // From the time of the request, because answers may be late.
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

  /** Errors (a full Redis) do not count, so retries are unlimited. */
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
    const why = problem ?? 'This process or its machine was suspended.';
    this.#lose(`it could not renew its lease in time, so a standby may have taken over. ${why}`);
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
  return `this database is from epoch ${numberOf(own)} and was left behind: another Bosun has been active since, in epoch ${numberOf(last)}`;
}

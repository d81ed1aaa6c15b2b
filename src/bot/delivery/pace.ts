// Obeys each refusal's wait and then slows down for a while, because platforms tell limits only by refusing.

export interface Limits {
  readonly gapMs: number;
  readonly perMinute: number;
  /** Keeps capacity for more important messages. */
  readonly progressGapMs?: number;
}

const minuteMs = 60_000;
const maxSlowdown = 8;
/** The slowdown halves after this many calls. */
const calmCalls = 20;

export class Pace {
  readonly #limits: Limits;
  #slowdown = 1;
  #calm = 0;
  #blockedUntil = 0;
  #calls: number[] = [];
  /** These count towards the minute, without a gap. */
  #asides: number[] = [];

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  nextAt(now: number): number {
    this.#setBack(now);
    const last = this.#calls.at(-1);
    const afterGap = last === undefined ? now : last + this.#limits.gapMs * this.#slowdown;
    const most = this.#perMinute;
    const all =
      this.#asides.length === 0 ? this.#calls : [...this.#calls, ...this.#asides].sort((one, two) => one - two);
    const inMinute = all.length < most ? undefined : all.at(-most);
    const afterMinute = inMinute === undefined ? now : inMinute + minuteMs;
    return Math.max(now, this.#blockedUntil, afterGap, afterMinute);
  }

  /** Keeps half of each minute for messages. */
  mayAside(now: number): boolean {
    const within = [...this.#calls, ...this.#asides].filter((at) => at > now - minuteMs).length;
    return this.#blockedUntil <= now && within < this.#perMinute / 2;
  }

  noteAside(now: number): void {
    this.#asides = [...this.#asides.filter((at) => at > now - minuteMs), now];
  }

  /** The clock was set back: recorded calls count as made now. */
  #setBack(now: number): void {
    if ((this.#calls.at(-1) ?? now) <= now) return;
    this.#calls = this.#calls.map((at) => Math.min(at, now));
    this.#asides = this.#asides.map((at) => Math.min(at, now));
  }

  get #perMinute(): number {
    return Math.max(1, Math.floor(this.#limits.perMinute / this.#slowdown));
  }

  get blockedUntil(): number {
    return this.#blockedUntil;
  }

  note(now: number): void {
    this.#calls = [...this.#calls.filter((at) => at > now - minuteMs), now];
    this.#asides = this.#asides.filter((at) => at > now - minuteMs);
    this.#calm += 1;
    if (this.#calm < calmCalls || this.#slowdown === 1) return;
    this.#calm = 0;
    this.#slowdown = Math.max(1, this.#slowdown / 2);
  }

  /** The platform may have counted the call until it ended, so the gap starts now. */
  noteEnd(now: number): void {
    if (this.#calls.length > 0) this.#calls[this.#calls.length - 1] = now;
  }

  refuse(until: number): void {
    this.hold(until);
    this.#slowdown = Math.min(maxSlowdown, this.#slowdown * 2);
    this.#calm = 0;
  }

  hold(until: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, until);
  }
}

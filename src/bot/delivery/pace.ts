// How fast one lane may go. A platform says so only by refusing, so a lane keeps to what is known, obeys each refusal to
// the letter, and goes slower for a while after one.

export interface Limits {
  /** Between two calls of any kind. */
  readonly gapMs: number;
  /** Calls in any minute. */
  readonly perMinute: number;
  /** What merely tells keeps this distance, so that what matters finds the way free; left out: the same gap. */
  readonly progressGapMs?: number;
}

const minuteMs = 60_000;
const maxSlowdown = 8;
/** So many calls without a refusal, and the lane is half as slow again. */
const calmCalls = 20;

export class Pace {
  readonly #limits: Limits;
  #slowdown = 1;
  #calm = 0;
  #blockedUntil = 0;
  #calls: number[] = [];
  /** Calls that are no message: they fill the minute, and nothing has to keep its distance from them. */
  #asides: number[] = [];

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** When the next call may be made; never before `now`. */
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

  /** Whether an aside may be made now: half of each minute is kept for what matters. */
  mayAside(now: number): boolean {
    const within = [...this.#calls, ...this.#asides].filter((at) => at > now - minuteMs).length;
    return this.#blockedUntil <= now && within < this.#perMinute / 2;
  }

  noteAside(now: number): void {
    this.#asides = [...this.#asides.filter((at) => at > now - minuteMs), now];
  }

  /** A clock that was set back leaves calls in the future, and none was made later than now. */
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

  /** A call begins. */
  note(now: number): void {
    this.#calls = [...this.#calls.filter((at) => at > now - minuteMs), now];
    this.#asides = this.#asides.filter((at) => at > now - minuteMs);
    this.#calm += 1;
    if (this.#calm < calmCalls || this.#slowdown === 1) return;
    this.#calm = 0;
    this.#slowdown = Math.max(1, this.#slowdown / 2);
  }

  /** The last call ended: the platform counted it at some time until now. */
  noteEnd(now: number): void {
    if (this.#calls.length > 0) this.#calls[this.#calls.length - 1] = now;
  }

  /** The platform refused: not a moment before that, and slower after. */
  refuse(until: number): void {
    this.hold(until);
    this.#slowdown = Math.min(maxSlowdown, this.#slowdown * 2);
    this.#calm = 0;
  }

  /** The platform cannot be reached, or refused before: wait, but do not go slower. */
  hold(until: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, until);
  }
}

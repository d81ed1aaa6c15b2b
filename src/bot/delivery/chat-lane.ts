// Most urgent first. A newer version keeps the turn of the one it replaces.
import { type OutgoingMessage, urgency } from './outgoing-message.js';

export interface Overtaken {
  readonly parcel: OutgoingMessage;
  readonly by: OutgoingMessage;
}

export class ChatLane {
  readonly #waiting = new Map<string, OutgoingMessage>();
  readonly #turns = new Map<string, number>();
  #turn = 0;

  get size(): number {
    return this.#waiting.size;
  }

  has(message: string): boolean {
    return this.#waiting.has(message);
  }

  /** Returns the superseded one: the queued message, or `parcel` if it is older. */
  put(parcel: OutgoingMessage): Overtaken | null {
    const before = this.#waiting.get(parcel.message) ?? null;
    if (before !== null && before.n >= parcel.n) return before.n === parcel.n ? null : { parcel, by: before };
    if (!this.#turns.has(parcel.message)) {
      this.#turn += 1;
      this.#turns.set(parcel.message, this.#turn);
    }
    const next = before === null ? parcel : inherited(parcel, before);
    this.#waiting.set(parcel.message, next);
    return before === null ? null : { parcel: before, by: next };
  }

  take(now: number): OutgoingMessage | null {
    const next = this.peek(now);
    if (next !== null) this.#waiting.delete(next.message);
    return next;
  }

  drop(message: string): void {
    this.#waiting.delete(message);
  }

  peek(now: number): OutgoingMessage | null {
    let next: OutgoingMessage | null = null;
    for (const one of this.#waiting.values()) {
      if ((one.notBefore ?? now) <= now && (next === null || this.#isBefore(one, next))) next = one;
    }
    return next === null || !opensThread(next) ? next : this.#firstOf(next, now);
  }

  /** A thread starts with its oldest message, regardless of urgency. */
  #firstOf(next: OutgoingMessage, now: number): OutgoingMessage {
    let first = next;
    for (const one of this.#waiting.values()) {
      const isOfIt = one.thread.id === next.thread.id && (one.notBefore ?? now) <= now;
      if (isOfIt && this.#turnOf(one) < this.#turnOf(first)) first = one;
    }
    return first;
  }

  /** Infinity: empty. */
  get readyAt(): number {
    let at = Number.POSITIVE_INFINITY;
    for (const { notBefore = 0 } of this.#waiting.values()) at = Math.min(at, notBefore);
    return at;
  }

  /** Keeps its turn, unless a newer version came. */
  putBack(parcel: OutgoingMessage): Overtaken | null {
    const newer = this.#waiting.get(parcel.message);
    if (newer === undefined) {
      this.#waiting.set(parcel.message, parcel);
      return null;
    }
    const next = inherited(newer, parcel);
    this.#waiting.set(parcel.message, next);
    // The same row was queued again.
    return newer.n === parcel.n ? null : { parcel, by: next };
  }

  /** Call it once a taken message is settled. */
  done(parcel: OutgoingMessage): void {
    if (!this.#waiting.has(parcel.message)) this.#turns.delete(parcel.message);
  }

  shed(): OutgoingMessage | null {
    let oldest: OutgoingMessage | null = null;
    for (const one of this.#waiting.values()) {
      if (one.urgency === urgency.progress && (oldest === null || this.#isBefore(one, oldest))) oldest = one;
    }
    if (oldest !== null) {
      this.#waiting.delete(oldest.message);
      this.done(oldest);
    }
    return oldest;
  }

  drain(): readonly OutgoingMessage[] {
    const all = [...this.#waiting.values()].sort((one, other) => this.#turnOf(one) - this.#turnOf(other));
    this.#waiting.clear();
    this.#turns.clear();
    return all;
  }

  #isBefore(one: OutgoingMessage, other: OutgoingMessage): boolean {
    if (one.urgency !== other.urgency) return one.urgency < other.urgency;
    return this.#turnOf(one) < this.#turnOf(other);
  }

  #turnOf({ message }: OutgoingMessage): number {
    return this.#turns.get(message) ?? 0;
  }
}

/** Its first message creates the thread. */
function opensThread({ thread, root }: OutgoingMessage): boolean {
  return thread.address['opened'] !== undefined && root === null;
}

/** The newer version inherits the doubt about an earlier call, the retries and the urgency. */
function inherited(newer: OutgoingMessage, before: OutgoingMessage): OutgoingMessage {
  return {
    ...newer,
    isRepeat: newer.isRepeat || before.isRepeat,
    urgency: before.urgency < newer.urgency ? before.urgency : newer.urgency,
    lostTimes: before.lostTimes,
    lostAlone: before.lostAlone,
    ...(before.lostAt === undefined ? {} : { lostAt: before.lostAt }),
    ...(before.notBefore === undefined ? {} : { notBefore: before.notBefore }),
  };
}

// One chat: queue, rate limit, unreachable threads.
import type { Thread } from '../../store/index.js';
import { ChatLane } from './chat-lane.js';
import { urgency } from './outgoing-message.js';
import { type Limits, Pace } from './pace.js';
import { QueuedCalls } from './queued-calls.js';

/** A typing sign that would wait longer is dropped. */
const cosmeticWaitMs = 2_000;
/** An unreachable thread gets no progress or typing signs for this long. */
const deadMs = 600_000;

export class ChatRoute {
  readonly name: string;
  readonly lane = new ChatLane();
  readonly errands = new QueuedCalls();
  readonly pace: Pace;
  isCalling = false;
  /** A lane of no chat: its refusals say nothing about the bot. */
  isOfNoChat = false;
  isProbing = false;
  typing: Thread | null = null;
  lost = 0;
  isShort = false;
  lastCallAt = 0;
  readonly #dead = new Map<string, number>();
  readonly #newest = new Map<string, number>();
  readonly #progressGapMs: number;

  constructor(name: string, limits: Limits) {
    this.name = name;
    this.#progressGapMs = limits.progressGapMs ?? 0;
    this.pace = new Pace(limits);
  }

  get isIdle(): boolean {
    return this.lane.size === 0 && this.errands.size === 0 && this.typing === null && !this.isCalling;
  }

  get hasWork(): boolean {
    return !this.isCalling && (this.lane.size > 0 || this.errands.size > 0 || this.typing !== null);
  }

  /** Lower is more urgent. */
  urgencyAt(now: number): number {
    const own = this.lane.peek(now)?.urgency ?? urgency.progress + 1;
    return Math.min(own, this.errands.peek()?.urgency ?? own);
  }

  isErrandNext(now: number): boolean {
    return this.errands.peek()?.urgency === this.urgencyAt(now);
  }

  /** Drops a typing sign that would wait too long. */
  dueAt(now: number, allAt: number): number {
    // The clock may have been set back.
    this.lastCallAt = Math.min(now, this.lastCallAt);
    const apart = this.urgencyAt(now) === urgency.progress ? this.lastCallAt + this.#progressGapMs : now;
    const at = Math.max(this.pace.nextAt(now), allAt, apart);
    const readyAt = this.errands.size > 0 ? now : this.lane.readyAt;
    if (at - now > cosmeticWaitMs || readyAt <= now) this.typing = null;
    return this.typing === null ? Math.max(at, readyAt) : at;
  }

  bury(thread: string | null, now: number): void {
    this.#dead.set(thread ?? '', now + deadMs);
  }

  notePosted(thread: string, n: number): void {
    this.#newest.set(thread, Math.max(n, this.#newest.get(thread) ?? 0));
  }

  /** It would stand below a newer card. */
  isOvertaken(thread: string, n: number): boolean {
    return (this.#newest.get(thread) ?? 0) > n;
  }

  revive(): void {
    this.#dead.clear();
  }

  isDead(thread: string, now: number): boolean {
    return Math.max(this.#dead.get('') ?? 0, this.#dead.get(thread) ?? 0) > now;
  }
}

// The way to one chat: what waits for it, how fast it may go, and who cannot be reached there.
import type { Thread } from '../store/index.js';
import { Lane } from './lane.js';
import { type Limits, Pace } from './pace.js';
import { urgency } from './parcel.js';

/** Cosmetic calls wait for nothing longer than this. */
const cosmeticWaitMs = 2_000;
/** So long nothing merely cosmetic is tried where nobody could be reached. */
const deadMs = 600_000;

export class Route {
  readonly name: string;
  readonly lane = new Lane();
  readonly pace: Pace;
  isCalling = false;
  typing: Thread | null = null;
  /** Calls in a row that were lost. */
  lost = 0;
  /** More of it waits on disk. */
  isShort = false;
  lastCallAt = 0;
  readonly #dead = new Map<string, number>();
  readonly #progressGapMs: number;

  constructor(name: string, limits: Limits) {
    this.name = name;
    this.#progressGapMs = limits.progressGapMs ?? 0;
    this.pace = new Pace(limits);
  }

  get isIdle(): boolean {
    return this.lane.size === 0 && this.typing === null && !this.isCalling;
  }

  get hasWork(): boolean {
    return !this.isCalling && (this.lane.size > 0 || this.typing !== null);
  }

  /** Lower is more urgent. */
  get urgency(): number {
    return this.lane.peek()?.urgency ?? urgency.progress + 1;
  }

  /** When it may be called, with what is cosmetic gone where that is too far off. */
  dueAt(now: number, allAt: number): number {
    const apart = this.urgency === urgency.progress ? this.lastCallAt + this.#progressGapMs : now;
    const at = Math.max(this.pace.nextAt(now), allAt, apart);
    if (at - now > cosmeticWaitMs || this.lane.size > 0) this.typing = null;
    return at;
  }

  /** `thread`: null for the whole chat. */
  bury(thread: string | null, now: number): void {
    this.#dead.set(thread ?? '', now + deadMs);
  }

  revive(): void {
    this.#dead.clear();
  }

  isDead(thread: string, now: number): boolean {
    return Math.max(this.#dead.get('') ?? 0, this.#dead.get(thread) ?? 0) > now;
  }
}

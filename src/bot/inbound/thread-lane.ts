// Handles the rows of one thread in order, because a message builds on those before it. While a row waits for the disk,
// urgent rows overtake it.

import type { Clock } from '../../base/index.js';
import { BosunError, pause } from '../../base/index.js';
import type { ProjectConfig } from '../../config/index.js';
import type { InboxRow } from '../../store/index.js';
import { isOfDisk } from './disk-errors.js';
import { isWithheldBy, mayPass, withheld } from './overtaking.js';

export interface LaneParts {
  readonly handle: (row: InboxRow) => Promise<{ readonly exit: 0 | 2 | 3 }>;
  readonly projects: () => readonly ProjectConfig[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

/** How a row left its lane. `left` means that it is still stored and unhandled. */
export type Ending = { readonly kind: 'handled'; readonly didNothing: boolean } | { readonly kind: 'left' };

interface Place {
  readonly row: InboxRow;
  readonly end: (ending: Ending) => void;
  state: 'waiting' | 'working' | 'pausing';
  isWithheld: boolean;
}

/** Backoff for disk errors; after the last retry the row is left to the recheck. */
const retriesAfterMs = [1_000, 10_000, 60_000];

export class ThreadLane {
  readonly #parts: LaneParts;
  #places: readonly Place[] = [];

  constructor(parts: LaneParts) {
    this.#parts = parts;
  }

  /** Resolves once the row has left the lane. */
  add(row: InboxRow): Promise<Ending> {
    return new Promise((resolve) => {
      this.#places = [...this.#places, { row, end: resolve, state: 'waiting', isWithheld: false }];
      this.#look();
    });
  }

  get isEmpty(): boolean {
    return this.#places.length === 0;
  }

  /** Starts every row that may start. */
  #look(): void {
    for (const [index, place] of this.#places.entries()) {
      const ahead = this.#places.slice(0, index);
      if (ahead.some(({ state }) => state === 'working')) return;
      if (place.state === 'waiting' && this.#mayBegin(place, ahead)) {
        this.#withhold(place, ahead);
        void this.#work(place);
      }
    }
  }

  #mayBegin({ row }: Place, ahead: readonly Place[]): boolean {
    const projects = this.#parts.projects();
    return ahead.every((one) => mayPass(row, one.row, projects));
  }

  /** A `stop` also withholds earlier messages that have not begun. */
  #withhold({ row }: Place, ahead: readonly Place[]): void {
    const projects = this.#parts.projects();
    for (const one of ahead) if (isWithheldBy(row, one.row, projects)) one.isWithheld = true;
  }

  async #work(place: Place): Promise<void> {
    for (const waitMs of [...retriesAfterMs, null]) {
      place.state = 'working';
      const ending = await this.#try(place, waitMs === null);
      if (ending !== null) return this.#leave(place, ending);
      place.state = 'pausing';
      this.#look();
      await pause(waitMs ?? 0, this.#parts.signal, this.#parts.clock);
    }
  }

  /** null if the row should be retried. */
  async #try(place: Place, isLast: boolean): Promise<Ending | null> {
    const { handle, log, signal } = this.#parts;
    const row = place.isWithheld ? withheld(place.row) : place.row;
    try {
      const { exit } = await handle(row);
      return { kind: 'handled', didNothing: exit === 2 };
    } catch (error) {
      log(`message ${row.id} of the inbox hit an error: ${wordsOf(error)}`);
      return isLast || !isOfDisk(error) || signal.aborted ? { kind: 'left' } : null;
    }
  }

  /** When a row is left, the waiting rows behind it are left too, so that they return in order. */
  #leave(place: Place, ending: Ending): void {
    const behind = ending.kind === 'left' ? this.#places.slice(this.#places.indexOf(place) + 1) : [];
    const gone = new Set([place, ...behind.filter((one) => one.state === 'waiting' && !this.#mayBegin(one, [place]))]);
    this.#places = this.#places.filter((one) => !gone.has(one));
    for (const one of gone) one.end(ending);
    this.#look();
  }
}

function wordsOf(error: unknown): string {
  const told = error instanceof Error ? error.message : String(error);
  const hint = error instanceof BosunError && error.hint ? ` (${error.hint})` : '';
  return `${told}${hint}`.slice(0, 300);
}

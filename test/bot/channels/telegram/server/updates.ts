// Updates on their way to the bot. They are kept until an offset beyond them is asked for.
import type { Clock } from '../../fixture/clock.js';
import { refuse } from './refusal.js';
import type { Json } from './wire.js';

export type Update = Json & { readonly update_id: number };

interface Waiting {
  readonly give: (updates: readonly Update[]) => void;
  readonly fail: (error: Error) => void;
  readonly limit: number;
}

interface Entry {
  readonly update: Update;
  /** Comes although its number may be confirmed already, once. */
  readonly isAgain: boolean;
  /** Its turn comes later than its number says: an offset that passed it does not make it unsaid. */
  isMoved: boolean;
  wasGiven: boolean;
}

/** Told only to who asks for them by name. */
const onRequest = new Set(['chat_member', 'message_reaction', 'message_reaction_count']);

export class Updates {
  readonly #clock: Clock;
  #entries: Entry[] = [];
  #waiting: Waiting | null = null;
  #lastId: number;
  #allowed: ReadonlySet<string> | null = null;
  #copies = 0;
  /** Everything that was ever made, for those who want to play it again. */
  readonly made: Update[] = [];
  /** Called when there is something new. */
  onPush: (() => void) | null = null;

  constructor(clock: Clock, firstId = 700_000_001) {
    this.#clock = clock;
    this.#lastId = firstId - 1;
  }

  /** null: the bot did not ask for this kind. */
  push(type: string, content: Json): Update | null {
    const isAllowed = this.#allowed === null ? !onRequest.has(type) : this.#allowed.has(type);
    if (!isAllowed) return null;
    this.#lastId += 1;
    const update = { update_id: this.#lastId, [type]: content };
    this.made.push(update);
    const isCopied = this.#copies > 0;
    if (isCopied) this.#copies -= 1;
    this.#add(isCopied ? [entry(update, false), entry(update, true)] : [entry(update, false)]);
    return update;
  }

  /** The next ones come twice. */
  copyNext(count: number): void {
    this.#copies = count;
  }

  /** These again, in this order, whatever was confirmed. */
  replay(updates: readonly Update[]): void {
    this.#add(updates.map((update) => entry(update, true)));
  }

  /** What waits comes in another order. */
  reorder(order: (updates: readonly Update[]) => readonly Update[]): void {
    const entries = new Map<Update, Entry[]>();
    for (const one of this.#entries) {
      one.isMoved = true;
      entries.set(one.update, [...(entries.get(one.update) ?? []), one]);
    }
    this.#entries = order(this.pending).flatMap((update) => entries.get(update)?.shift() ?? []);
  }

  get pending(): readonly Update[] {
    return this.#entries.map((one) => one.update);
  }

  allow(types: readonly string[] | null): void {
    if (types !== null) this.#allowed = types.length === 0 ? null : new Set(types);
  }

  drop(): void {
    this.#entries = [];
  }

  confirm(offset: number): void {
    if (offset < 0) {
      this.#entries = this.#entries.slice(offset);
      return;
    }
    this.#entries = this.#entries.filter((one) => {
      // What comes again comes once.
      if (one.isAgain) return !one.wasGiven;
      return one.update.update_id >= offset || (one.isMoved && !one.wasGiven);
    });
  }

  /** Waits where nothing is there; a second one who waits ends the first. */
  async next(given: {
    offset: number;
    limit: number;
    timeoutMs: number;
    signal: AbortSignal;
  }): Promise<readonly Update[]> {
    this.#waiting?.fail(
      refuse(409, 'terminated by other getUpdates request; make sure that only one bot instance is running'),
    );
    this.#waiting = null;
    this.confirm(given.offset);
    if (this.#entries.length > 0 || given.timeoutMs === 0) return this.#take(given.limit);
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => {
        if (this.#waiting === mine) this.#waiting = null;
        cancel();
        act();
      };
      const mine: Waiting = {
        give: (updates) => end(() => resolve(updates)),
        fail: (error) => end(() => reject(error)),
        limit: given.limit,
      };
      this.#waiting = mine;
      const cancel = this.#clock.after(given.timeoutMs, () => mine.give([]));
      given.signal.addEventListener('abort', () => mine.give([]), { once: true });
      if (given.signal.aborted) mine.give([]);
    });
  }

  get isPolled(): boolean {
    return this.#waiting !== null;
  }

  first(): Update | null {
    return this.#entries[0]?.update ?? null;
  }

  delivered(update: Update): void {
    this.#entries = this.#entries.filter((one) => one.update !== update);
  }

  #add(entries: readonly Entry[]): void {
    this.#entries.push(...entries);
    const { onPush } = this;
    if (onPush) onPush();
    const waiting = this.#waiting;
    if (waiting) waiting.give(this.#take(waiting.limit));
  }

  #take(limit: number): readonly Update[] {
    const taken = this.#entries.slice(0, limit);
    for (const one of taken) one.wasGiven = true;
    return taken.map((one) => one.update);
  }
}

function entry(update: Update, isAgain: boolean): Entry {
  return { update, isAgain, isMoved: false, wasGiven: false };
}

// The line of a chat platform: what came in is written down, and then worked on, in its order within each thread. It
// owns the rows from the moment they are noted until they are handled: their order, their retries, how many there may
// be, the files that belong to them, and the slow second look at what failed. It knows no platform: whoever reads one
// names its source, tells when something came, and brings what files hold.
import type { Clock } from '../../base/index.js';
import type { Config } from '../../config/index.js';
import type { InboxRow, Store } from '../../store/index.js';
import { isToBeFetched } from '../commands/incoming-files.js';
import { Albums, type Download, fetched } from './fetch-files.js';
import { sweepDrafts } from './inbox-folder.js';
import type { InboundMessage, InboxService } from './inbox-service.js';
import { RecentMessages } from './recent-messages.js';
import { type Ending, ThreadLane } from './thread-lane.js';

export interface LineParts {
  /** Under which its rows stand in the inbox: `telegram`, `slack`. */
  readonly source: string;
  readonly door: Pick<InboxService, 'note' | 'handle'>;
  readonly store: Store;
  readonly config: () => Config;
  readonly download: Download;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

interface Taken {
  readonly row: InboxRow;
  /** The names of the message that it is. */
  readonly keys: readonly string[];
  readonly onHandled: () => void;
  /** How often it was left. */
  readonly left: number;
}

/** Rows that are being decided; more are not asked for. */
const maxUnderWay = 200;
const firstLookMs = 60_000;
const maxLookMs = 15 * 60_000;
/** A row that is left so often waits for the next start. */
const maxLeft = 50;

export class InboundLine {
  /** What was heard lately, under the aliases of what was noted. */
  readonly lately = new RecentMessages();
  readonly #parts: LineParts;
  readonly #albums = new Albums();
  readonly #end = new AbortController();
  readonly #lanes = new Map<string, ThreadLane>();
  readonly #underWay = new Set<Promise<void>>();
  /** By the row's id: all that are noted and not handled, but for those that are left. */
  readonly #mine = new Set<number>();
  readonly #left = new Map<number, Taken>();
  #noted: readonly Taken[] = [];
  #files: Promise<void> = Promise.resolve();
  #lookMs = firstLookMs;
  #cancelLook: (() => void) | null = null;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  /** Takes up what is written down and was not handled. */
  start(): void {
    const { config } = this.#parts;
    this.#files = sweepDrafts(config().projects.map(({ root }) => root));
    const [files, others] = partition(this.#pending(), isToBeFetched);
    for (const row of files) this.#take({ row, keys: [], onHandled: () => undefined, left: 0 });
    if (others.length > 0) this.#lookLater();
  }

  /**
   * On disk when it returns; false: it was known, and nothing is to be done. Throws where it cannot be written.
   * Work on it starts with `begin`. `onHandled` is called once, when it was decided.
   */
  note(said: InboundMessage, onHandled: () => void = () => undefined): boolean {
    const row = this.#parts.door.note({ ...said, source: this.#parts.source });
    if (row === null) return false;
    this.#mine.add(row.id);
    this.#noted = [...this.#noted, { row, keys: said.aliases ?? [], onHandled, left: 0 }];
    return true;
  }

  /** Starts the work on all that was noted. */
  begin(): void {
    const noted = this.#noted;
    this.#noted = [];
    for (const one of noted) {
      // What was left of a thread stands before what comes there now.
      for (const row of [...this.#left.values()]) if (row.row.thread === one.row.thread) this.#take(row);
      this.#take(one);
    }
  }

  get hasRoom(): boolean {
    return this.#underWay.size <= maxUnderWay;
  }

  /** Resolves once there is room for more. */
  async room(): Promise<void> {
    while (!this.hasRoom) await Promise.race(this.#underWay);
  }

  /** Waits for what is being decided; what cannot be decided now stays written down. */
  async close(): Promise<void> {
    this.#end.abort();
    this.#cancelLook?.();
    await this.#files;
    await Promise.all(this.#underWay);
  }

  #take(taken: Taken): void {
    this.#left.delete(taken.row.id);
    this.#mine.add(taken.row.id);
    if (isToBeFetched(taken.row)) this.#fetch(taken);
    else void this.#inTurn(taken, taken.row);
  }

  /** One file after the other, beside everything else: a large one holds up no message. */
  #fetch(taken: Taken): void {
    const { signal } = this.#end;
    const { config, store, download } = this.#parts;
    this.#files = this.#files.then(async () => {
      try {
        if (signal.aborted) return;
        const row = await fetched(taken.row, { config, store, download, albums: this.#albums }, signal);
        await this.#inTurn(taken, row);
      } catch (error) {
        if (!signal.aborted) this.#say(`a file is fetched again later: ${String(error).slice(0, 300)}`);
        this.#leave(taken);
      }
    });
  }

  /** `row`: the one that was taken, with its file. */
  #inTurn(taken: Taken, row: InboxRow): Promise<void> {
    const lane = this.#laneOf(row.thread);
    const ended = lane.add(row).then((ending) => {
      if (lane.isEmpty && this.#lanes.get(row.thread) === lane) this.#lanes.delete(row.thread);
      this.#settle(taken, ending);
    });
    const tracked = ended.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
    return tracked;
  }

  #laneOf(thread: string): ThreadLane {
    const { door, config, clock } = this.#parts;
    const known = this.#lanes.get(thread);
    if (known !== undefined) return known;
    const lane = new ThreadLane({
      handle: (row) => door.handle(row),
      projects: () => config().projects,
      ...{ clock, signal: this.#end.signal, log: (message) => this.#say(message) },
    });
    this.#lanes.set(thread, lane);
    return lane;
  }

  #settle(taken: Taken, ending: Ending): void {
    if (ending.kind === 'left') {
      this.#leave(taken);
      return;
    }
    this.#mine.delete(taken.row.id);
    for (const key of taken.keys) this.lately.settled(key, ending.didNothing);
    taken.onHandled();
  }

  #leave(taken: Taken): void {
    if (taken.left < maxLeft) this.#mine.delete(taken.row.id);
    if (taken.left < maxLeft) this.#left.set(taken.row.id, { ...taken, left: taken.left + 1 });
    this.#lookLater();
  }

  /** Only while something is left; after a minute, and then more and more seldom. */
  #lookLater(): void {
    if (this.#cancelLook !== null || this.#end.signal.aborted) return;
    this.#cancelLook = this.#parts.clock.after(this.#lookMs, () => this.#look());
    this.#lookMs = Math.min(maxLookMs, this.#lookMs * 2);
  }

  #look(): void {
    this.#cancelLook = null;
    if (this.#end.signal.aborted) return;
    try {
      const rows = this.#pending();
      // What is handled after all, or was given up with its bug told, is no more to be seen there.
      for (const id of this.#left.keys()) if (!rows.some((row) => row.id === id)) this.#left.delete(id);
      for (const row of rows)
        this.#take(this.#left.get(row.id) ?? { row, keys: [], onHandled: () => undefined, left: 0 });
      if (rows.length === 0) this.#lookMs = firstLookMs;
      else this.#lookLater();
    } catch (error) {
      this.#say(`what was left cannot be looked up: ${String(error).slice(0, 300)}`);
      this.#lookLater();
    }
  }

  /** Written down, of this source, and not under way. */
  #pending(): readonly InboxRow[] {
    const { store, source } = this.#parts;
    return store.pendingInbox().filter((row) => row.source === source && !this.#mine.has(row.id));
  }

  #say(message: string): void {
    this.#parts.log(`${this.#parts.source}: ${message}`);
  }
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

// The inbound queue of one chat platform: stores messages, then handles them in order within each thread. It owns a row
// from note to handled: its order, retries, backpressure, file download and the slow recheck of rows that failed. It
// knows no platform: each adapter names its source, notes messages and downloads files.
import type { Clock } from '../../base/index.js';
import type { Config } from '../../config/index.js';
import type { InboxRow, InboxRows, ThreadReader } from '../../store/index.js';
import { isToBeFetched } from '../commands/incoming-files.js';
import { Albums, type Download, fetched } from './fetch-files.js';
import { sweepDrafts } from './inbox-folder.js';
import type { InboundMessage, InboxService } from './inbox-service.js';
import { RecentMessages } from './recent-messages.js';
import { type Ending, ThreadLane } from './thread-lane.js';

export interface InboundLineParts {
  /** The inbox source of its rows: `telegram`, `slack`. */
  readonly source: string;
  readonly door: Pick<InboxService, 'note' | 'handle'>;
  readonly reader: Pick<ThreadReader, 'thread'>;
  readonly inbox: Pick<InboxRows, 'pendingInbox'>;
  readonly config: () => Config;
  readonly download: Download;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

interface Taken {
  readonly row: InboxRow;
  /** The message's other ids. */
  readonly keys: readonly string[];
  readonly onHandled: () => void;
  /** How often the row was given back to the recheck. */
  readonly left: number;
}

/** Backpressure: above this many rows in flight, adapters fetch no more. */
const maxUnderWay = 200;
const firstLookMs = 60_000;
const maxLookMs = 15 * 60_000;
/** After so many recheck rounds the row waits for the next start. */
const maxLeft = 50;

export class InboundLine {
  /** Recent messages, under their other ids. */
  readonly lately = new RecentMessages();
  readonly #parts: InboundLineParts;
  readonly #albums = new Albums();
  readonly #end = new AbortController();
  readonly #lanes = new Map<string, ThreadLane>();
  readonly #underWay = new Set<Promise<void>>();
  /** Ids of noted rows that are neither handled nor left; the recheck skips them. */
  readonly #mine = new Set<number>();
  readonly #left = new Map<number, Taken>();
  #noted: readonly Taken[] = [];
  #files: Promise<void> = Promise.resolve();
  #lookMs = firstLookMs;
  #cancelLook: (() => void) | null = null;

  constructor(parts: InboundLineParts) {
    this.#parts = parts;
  }

  /**
   * Takes up stored files of an earlier process. `InboxService.recover` handles its other rows; the recheck takes up
   * what that leaves.
   */
  start(): void {
    const { config } = this.#parts;
    this.#files = sweepDrafts(config().projects.map(({ root }) => root));
    const [files, others] = partition(this.#pending(), isToBeFetched);
    for (const row of files) this.#take({ row, keys: [], onHandled: () => undefined, left: 0 });
    if (others.length > 0) this.#lookLater();
  }

  /**
   * The row is on disk when this returns; throws if it cannot be written. Returns false for a duplicate. `begin` starts
   * the work, and `onHandled` is called once it is decided.
   */
  note(said: InboundMessage, onHandled: () => void = () => undefined): boolean {
    const row = this.#parts.door.note({ ...said, source: this.#parts.source });
    if (row === null) return false;
    this.#mine.add(row.id);
    this.#noted = [...this.#noted, { row, keys: said.aliases ?? [], onHandled, left: 0 }];
    return true;
  }

  /** Starts work on all noted rows. */
  begin(): void {
    const noted = this.#noted;
    this.#noted = [];
    for (const one of noted) {
      // Rows of this thread that were left earlier go first, which keeps the thread's order.
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

  /** Drains the rows in flight; a row that cannot be decided now stays stored for the next start. */
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

  /** Downloads run one after another and beside the lanes, so that a large file delays no message. */
  #fetch(taken: Taken): void {
    const { signal } = this.#end;
    const { config, reader, download } = this.#parts;
    this.#files = this.#files.then(async () => {
      try {
        if (signal.aborted) return;
        const row = await fetched(taken.row, { config, reader, download, albums: this.#albums }, signal);
        await this.#inTurn(taken, row);
      } catch (error) {
        if (!signal.aborted) this.#say(`a file is fetched again later: ${String(error).slice(0, 300)}`);
        this.#leave(taken);
      }
    });
  }

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

  /** Runs only while rows are left, with exponential backoff from one minute up to 15. */
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
      // Drops rows that were handled meanwhile, or given up because of a bug.
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

  #pending(): readonly InboxRow[] {
    const { inbox, source } = this.#parts;
    return inbox.pendingInbox().filter((row) => row.source === source && !this.#mine.has(row.id));
  }

  #say(message: string): void {
    this.#parts.log(`${this.#parts.source}: ${message}`);
  }
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

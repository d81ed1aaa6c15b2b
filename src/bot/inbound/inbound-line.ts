// A platform's messages, in order per thread: retries, backpressure, downloads, a slow recheck of failed rows.
import { backoffMs, type Clock } from '../../base/index.js';
import type { Config } from '../../config/index.js';
import type { InboxRow, InboxRows, ThreadReader } from '../../store/index.js';
import { isToBeFetched } from '../commands/incoming-files.js';
import type { ParsedText } from '../commands/message-context.js';
import { Albums, type Download, fetched } from './fetch-files.js';
import { sweepDrafts } from './inbox-folder.js';
import type { InboundMessage, InboxService } from './inbox-service.js';
import { type Ending, type Handled, ThreadLane } from './thread-lane.js';

export interface InboundLineParts {
  readonly source: string;
  readonly door: Pick<InboxService, 'note' | 'handle' | 'verbs'>;
  readonly reader: Pick<ThreadReader, 'placed'>;
  readonly inbox: Pick<InboxRows, 'pendingInbox'>;
  readonly config: () => Config;
  readonly download: Download;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

interface LineEntry {
  readonly row: InboxRow;
  readonly parsed: ParsedText | null;
  readonly keys: readonly string[];
  readonly onHandled: () => void;
  readonly left: number;
}

/** Backpressure: adapters fetch no more. */
const maxUnderWay = 200;
const recheckBackoff = { firstMs: 60_000, mostMs: 15 * 60_000 };
/** Then the row waits for the next start. */
const maxLeft = 50;

export class InboundLine {
  readonly lately = new RecentMessages();
  readonly #parts: InboundLineParts;
  readonly #albums = new Albums();
  readonly #end = new AbortController();
  readonly #lanes = new Map<string, ThreadLane>();
  readonly #underWay = new Set<Promise<void>>();
  /** The recheck skips rows in work. */
  readonly #mine = new Set<number>();
  readonly #left = new Map<number, LineEntry>();
  #noted: readonly LineEntry[] = [];
  #files: Promise<void> = Promise.resolve();
  #looks = 0;
  #cancelLook: (() => void) | null = null;

  constructor(parts: InboundLineParts) {
    this.#parts = parts;
  }

  /** Files that an earlier process left. `InboxService.recover` has its other rows. */
  start(): void {
    const { config } = this.#parts;
    this.#files = sweepDrafts(config().projects.map(({ root }) => root));
    const [files, others] = partition(this.#pending(), isToBeFetched);
    for (const row of files) this.#take(stored(row));
    if (others.length > 0) this.#lookLater();
  }

  /** On disk at the return; throws otherwise. False: a duplicate. `begin` starts the work. */
  note(said: InboundMessage, onHandled: () => void = () => undefined): boolean {
    const row = this.#parts.door.note({ ...said, source: this.#parts.source });
    if (row === null) return false;
    this.#mine.add(row.id);
    this.#noted = [...this.#noted, { row, parsed: said.parsed ?? null, keys: said.aliases ?? [], onHandled, left: 0 }];
    return true;
  }

  begin(): void {
    const noted = this.#noted;
    this.#noted = [];
    for (const one of noted) {
      // The thread's left rows first, to keep the order.
      for (const row of [...this.#left.values()]) if (row.row.thread === one.row.thread) this.#take(row);
      this.#take(one);
    }
  }

  get hasRoom(): boolean {
    return this.#underWay.size <= maxUnderWay;
  }

  async room(): Promise<void> {
    while (!this.hasRoom) await Promise.race(this.#underWay);
  }

  /** Drains rows in flight; undecided ones stay stored for the next start. */
  async close(): Promise<void> {
    this.#end.abort();
    this.#cancelLook?.();
    await this.#files;
    await Promise.all(this.#underWay);
  }

  #take(entry: LineEntry): void {
    this.#left.delete(entry.row.id);
    this.#mine.add(entry.row.id);
    if (isToBeFetched(entry.row)) this.#fetch(entry);
    else void this.#inTurn(entry, entry.row);
  }

  /** Beside the lanes, so that a large file delays no message. */
  #fetch(entry: LineEntry): void {
    const { signal } = this.#end;
    const { config, reader, download, door } = this.#parts;
    this.#files = this.#files.then(async () => {
      try {
        if (signal.aborted) return;
        const row = await fetched(
          entry.row,
          { config, reader, download, albums: this.#albums, grammar: door.verbs.grammar },
          signal,
        );
        await this.#inTurn(entry, row);
      } catch (error) {
        if (!signal.aborted) this.#say(`a file is fetched again later: ${String(error).slice(0, 300)}`);
        this.#leave(entry);
      }
    });
  }

  #inTurn(entry: LineEntry, row: InboxRow): Promise<void> {
    const lane = this.#laneOf(row.thread);
    const ended = lane.add(row, entry.parsed).then((ending) => {
      if (lane.isEmpty && this.#lanes.get(row.thread) === lane) this.#lanes.delete(row.thread);
      this.#settle(entry, ending);
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
      handle: (row, parsed) => door.handle(row, parsed),
      grammar: door.verbs.grammar,
      projects: () => config().projects,
      ...{ clock, signal: this.#end.signal, log: (message) => this.#say(message) },
    });
    this.#lanes.set(thread, lane);
    return lane;
  }

  #settle(entry: LineEntry, ending: Ending): void {
    if (ending.kind === 'left') {
      this.#leave(entry);
      return;
    }
    this.#mine.delete(entry.row.id);
    for (const key of entry.keys) this.lately.settled(key, ending);
    entry.onHandled();
  }

  #leave(entry: LineEntry): void {
    if (entry.left < maxLeft) this.#mine.delete(entry.row.id);
    if (entry.left < maxLeft) this.#left.set(entry.row.id, { ...entry, left: entry.left + 1 });
    this.#lookLater();
  }

  /** Backoff from 1 to 15 minutes while rows are left. */
  #lookLater(): void {
    if (this.#cancelLook !== null || this.#end.signal.aborted) return;
    this.#cancelLook = this.#parts.clock.after(backoffMs(this.#looks + 1, recheckBackoff), () => this.#look());
    this.#looks += 1;
  }

  #look(): void {
    this.#cancelLook = null;
    if (this.#end.signal.aborted) return;
    try {
      const rows = this.#pending();
      // Drops rows handled meanwhile, or given up because of a bug.
      for (const id of this.#left.keys()) if (!rows.some((row) => row.id === id)) this.#left.delete(id);
      for (const row of rows) this.#take(this.#left.get(row.id) ?? stored(row));
      if (rows.length === 0) this.#looks = 0;
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

function stored(row: InboxRow): LineEntry {
  return { row, parsed: null, keys: [], onHandled: () => undefined, left: 0 };
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

const maxKept = 1_000;

interface RecentMessage {
  readonly text: string;
  /** Null: not handled yet. */
  readonly handled: Handled | null;
}

/** Tells a correction from a change of mind. */
export class RecentMessages {
  readonly #lines = new Map<string, RecentMessage>();

  note(key: string, text: string): void {
    this.#lines.delete(key);
    this.#lines.set(key, { text, handled: null });
    const [oldest] = this.#lines.keys();
    if (this.#lines.size > maxKept && oldest !== undefined) this.#lines.delete(oldest);
  }

  settled(key: string, handled: Handled): void {
    const line = this.#lines.get(key);
    if (line) this.#lines.set(key, { ...line, handled });
  }

  text(key: string): string | null {
    return this.#lines.get(key)?.text ?? null;
  }

  didNothing(key: string): boolean {
    return this.#lines.get(key)?.handled?.didNothing === true;
  }

  /** Of a message that did nothing: the answer that an edit replaces. */
  offered(key: string): string | null {
    return this.#lines.get(key)?.handled?.offered ?? null;
  }
}

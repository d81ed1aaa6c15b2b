import { BosunError, type Clock, pause } from '../../base/index.js';
import type { ProjectConfig } from '../../config/index.js';
import type { InboxRow } from '../../store/index.js';
import type { ParsedText } from '../commands/message-context.js';
import type { News } from '../commands/plan-report.js';
import type { Grammar, Parsed } from '../grammar/index.js';
import type { HandledMessage } from './inbox-service.js';

export interface LaneParts {
  readonly handle: (row: InboxRow, parsed: ParsedText | null) => Promise<Pick<HandledMessage, 'exit' | 'messages'>>;
  readonly grammar: Grammar;
  readonly projects: () => readonly ProjectConfig[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

/** `left`: the row is still stored and unhandled. */
export type Ending = ({ readonly kind: 'handled' } & Handled) | { readonly kind: 'left' };

export interface Handled {
  readonly didNothing: boolean;
  /** The answer that has buttons. */
  readonly offered: string | null;
}

interface LaneEntry {
  readonly row: InboxRow;
  /** Null until compared, unless read on arrival. */
  parsed: ParsedText | null;
  readonly end: (ending: Ending) => void;
  state: 'waiting' | 'working' | 'pausing';
  isWithheld: boolean;
}

/** For disk errors; then the recheck has the row. */
const retriesAfterMs = [1_000, 10_000, 60_000];

export class ThreadLane {
  readonly #parts: LaneParts;
  #entries: readonly LaneEntry[] = [];

  constructor(parts: LaneParts) {
    this.#parts = parts;
  }

  add(row: InboxRow, parsed: ParsedText | null): Promise<Ending> {
    return new Promise((resolve) => {
      this.#entries = [...this.#entries, { row, parsed, end: resolve, state: 'waiting', isWithheld: false }];
      this.#look();
    });
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  #look(): void {
    for (const [index, entry] of this.#entries.entries()) {
      const ahead = this.#entries.slice(0, index);
      if (ahead.some(({ state }) => state === 'working')) return;
      if (entry.state === 'waiting' && this.#mayBegin(entry, ahead)) {
        this.#withhold(entry, ahead);
        void this.#work(entry);
      }
    }
  }

  #mayBegin(entry: LaneEntry, ahead: readonly LaneEntry[]): boolean {
    const { grammar } = this.#parts;
    return ahead.every((one) => mayPass(this.#read(entry), this.#read(one), grammar));
  }

  #read(entry: LaneEntry): ReadRow {
    const { row } = entry;
    if (row.body.type !== 'text') return { row, parsed: null };
    const { text } = row.body;
    const projects = this.#parts.projects();
    if (entry.parsed?.projects !== projects || entry.parsed.parsed.text !== text) {
      entry.parsed = { ...entry.parsed, parsed: this.#parts.grammar.understand(text, projects), projects };
    }
    return { row, parsed: entry.parsed.parsed };
  }

  /** `stop` withholds earlier messages that have not begun. */
  #withhold(entry: LaneEntry, ahead: readonly LaneEntry[]): void {
    const { grammar } = this.#parts;
    for (const one of ahead) if (isWithheldBy(this.#read(entry), this.#read(one), grammar)) one.isWithheld = true;
  }

  async #work(entry: LaneEntry): Promise<void> {
    for (const waitMs of [...retriesAfterMs, null]) {
      entry.state = 'working';
      const ending = await this.#try(entry, waitMs === null);
      if (ending !== null) return this.#leave(entry, ending);
      entry.state = 'pausing';
      this.#look();
      await pause(waitMs ?? 0, this.#parts.signal, this.#parts.clock);
    }
  }

  /** Null: retry the row. */
  async #try(entry: LaneEntry, isLast: boolean): Promise<Ending | null> {
    const { handle, log, signal } = this.#parts;
    const row = entry.isWithheld ? withheld(entry.row) : entry.row;
    try {
      const { exit, messages } = await handle(row, entry.parsed);
      const offered = messages.findLast(({ view }) => view.buttons.length > 0)?.id ?? null;
      return { kind: 'handled', didNothing: exit === 2, offered };
    } catch (error) {
      log(`message ${row.id} of the inbox hit an error: ${wordsOf(error)}`);
      return isLast || !isOfDisk(error) || signal.aborted ? { kind: 'left' } : null;
    }
  }

  /** Rows behind a left row are left too, so that they return in order. */
  #leave(entry: LaneEntry, ending: Ending): void {
    const behind = ending.kind === 'left' ? this.#entries.slice(this.#entries.indexOf(entry) + 1) : [];
    const gone = new Set([entry, ...behind.filter((one) => one.state === 'waiting' && !this.#mayBegin(one, [entry]))]);
    this.#entries = this.#entries.filter((one) => !gone.has(one));
    for (const one of gone) one.end(ending);
    this.#look();
  }
}

function wordsOf(error: unknown): string {
  const told = error instanceof Error ? error.message : String(error);
  const hint = error instanceof BosunError && error.hint ? ` (${error.hint})` : '';
  return `${told}${hint}`.slice(0, 300);
}

/** Disk errors can pass; others would repeat. */
export function isOfDisk(error: unknown): boolean {
  return error instanceof BosunError && (error.code === 'disk' || error.code === 'bad_database');
}

interface ReadRow {
  readonly row: InboxRow;
  readonly parsed: Parsed | null;
}

function mayPass({ row, parsed }: ReadRow, ahead: ReadRow, grammar: Grammar): boolean {
  if (row.body.type === 'press') return messageOf(row) !== messageOf(ahead.row);
  const effect = parsed && grammar.effectOf(parsed);
  if (effect !== 'stops' && effect !== 'reads') return false;
  const isNamed = parsed?.project !== null || (row.body.type === 'text' && row.body.replyTo !== null);
  return isNamed || ahead.parsed === null || grammar.rowOf(ahead.parsed)?.project !== 'required';
}

function isWithheldBy(stop: ReadRow, { row, parsed }: ReadRow, grammar: Grammar): boolean {
  if (stop.parsed === null || grammar.effectOf(stop.parsed) !== 'stops') return false;
  if (row.body.type === 'press') return true;
  if (parsed === null || grammar.effectOf(parsed) !== 'drives') return false;
  const names = [stop.parsed.project, parsed.project];
  return names.includes('all') || names.includes(null) || names[0] === names[1];
}

function withheld(row: InboxRow): InboxRow {
  const said = row.body.type === 'text' ? `"${row.body.text.slice(0, 100)}"` : 'what you pressed before';
  const news = `Not done, because you said stop after it: ${said}. Send it again if you still want it.`;
  const args: News = { news, threads: [row.thread], card: null, rings: false };
  return { ...row, body: { type: 'command', name: 'told', args } };
}

/** Presses on one message keep their order, so that buttons never race. */
function messageOf({ body }: InboxRow): string | null {
  return body.type === 'press' ? (body.press.split('.')[0] ?? null) : null;
}

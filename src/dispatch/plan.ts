// What somebody wants done in one go. A plan is made inside the flush, on the newest state, and so cannot be outrun.
import type { Chain, Event, Interaction, Notice, Reply, Run, State, Workflow } from '../engine/index.js';
import type { SessionFile } from './exports/index.js';
import type { Role } from './home/index.js';
import type { Sign } from './sign.js';
import type { AttemptRow, Message, NewMessage, Spine, SqliteStore, Store, Thread, Want } from './store/index.js';
import type { Lack } from './waits.js';

/** Who spoke and where, so that replies find the way back. */
export interface Origin {
  readonly thread: string;
  readonly by: string;
}

export interface Plan {
  readonly events: readonly Event[];
  readonly origin?: Origin;
  readonly snapshots?: readonly { readonly hash: string; readonly workflow: Workflow }[];
  readonly messages?: readonly NewMessage[];
  readonly threads?: readonly Thread[];
  readonly follows?: readonly { readonly run: string; readonly thread: string }[];
  readonly inboxDone?: number;
  /** More time for an attempt that is at work. */
  readonly extend?: { readonly attempt: string; readonly byMs: number };
  /** An attempt that gives no sign, and that a person would rather wait for. */
  readonly waitFor?: string;
  /** What only the channel can do for it, once it is on disk. */
  readonly wants?: Want;
  /** The row of a want that is done, or refused for good. */
  readonly wantDone?: number;
  /** Threads that know of an outage with this; null: it is over. */
  readonly outage?: readonly string[] | null;
  /** How a shell should take it: 2 not understood, 3 refused. */
  readonly exit?: 2 | 3;
}

/** Reading as of this very moment, what earlier plans of the same flush changed included. */
export interface Now {
  readonly at: number;
  readonly homeId: string;
  readonly store: Store & Pick<SqliteStore, 'deliveries'>;
  spine(run: string): Spine | null;
  chain(run: string, key: string): Chain | null;
  liveRun(project: string): Run | null;
  drafts(project: string): readonly Run[];
  interaction(id: string): { readonly run: string; readonly interaction: Interaction } | null;
  /** Whether a run goes by what config.yaml says now; else it is told with the next event. */
  knowsLimits(run: string): boolean;
  nextRunNumber(): number;
  /** Threads that hear of a run: those that follow it, and those that its project lives in. */
  followers(run: string): readonly string[];
  /** Memory only: null where nobody listens to it, or it has ended. */
  lastSign(attempt: string): Sign | null;
  /** Why it has not begun, in words behind "waits for"; null: it does not wait, or nobody knows why. */
  waitsFor(attempt: string): string | null;
}

export type Work = (now: Now) => Plan;

export interface Submitted {
  /** For each event of the plan, and those that it raised: why it changed nothing, or null. */
  readonly ignored: readonly (string | null)[];
  readonly replies: readonly Reply[];
  readonly messages: readonly Message[];
  readonly exit: 0 | 2 | 3;
}

export interface Told {
  readonly state: State;
  readonly event: Event;
  readonly origin: Origin | null;
  readonly followers: readonly string[];
  /** Whether a card stands in a thread already. */
  readonly shows?: (thread: string, card: string) => boolean;
  /** What is on disk with buttons of an interaction. */
  readonly asking?: (interaction: string) => readonly Message[];
  /** Workers in other processes that are at work for the run. */
  readonly workersAtWork?: () => readonly string[];
  /** The run as the session of a chain, with the waves of its steps. */
  readonly session?: () => SessionFile;
  /** Left out: nobody knows who belongs to the project. */
  readonly circle?: () => Circle | null;
}

/** Who belongs to a project. */
export interface Circle {
  /** Beside the one who owns the home. `isGroup`: any number of people. */
  readonly members: readonly { readonly name: string; readonly role: Role; readonly isGroup: boolean }[];
  /** Nobody is to be disturbed now. */
  readonly isQuiet: boolean;
  /** Where a member is met alone. */
  readonly threadsOf: (person: string) => readonly string[];
}

/** What is at work in one chain. */
export interface Working extends Pick<Now, 'lastSign'> {
  readonly state: State;
  readonly followers: readonly string[];
  readonly at: number;
}

/** An attempt that gives no sign; or that does again, or that has ended, or that is told of anew. */
export interface Stall {
  readonly attempt: string;
  readonly run: string;
  readonly project: string;
  readonly chain: string;
  readonly step: string;
  /** Tells the alarms of one attempt apart. */
  readonly number: number;
  readonly kind: 'silent' | 'back' | 'over' | 'again';
  readonly sign: Sign;
}

export interface AbortHeard {
  readonly state: State;
  readonly worker: string;
  readonly isLost: boolean;
  readonly followers: readonly string[];
  readonly at: number;
}

/** Makes messages of what the engine tells. Given by the room above, which knows words. */
export interface Present {
  notice(notice: Notice, told: Told): readonly NewMessage[];
  reply(reply: Reply, told: Told): readonly NewMessage[];
  /** An attempt that is at work and will soon run out of time. */
  expiring(row: AttemptRow, inMs: number, followers: readonly string[], at: number): readonly NewMessage[];
  /** What is at work now, on the card that told of its beginning. */
  working(working: Working): readonly NewMessage[];
  stalled(stall: Stall, followers: readonly string[], at: number): readonly NewMessage[];
  /** The last worker that was still at work for a run that was aborted has ended; or `isLost`: it counts as dead. */
  abortHeard(heard: AbortHeard): readonly NewMessage[];
  /** Attempts of one project that nobody takes, all for the same reason. */
  untaken(lacks: readonly Lack[], thread: string, at: number): readonly NewMessage[];
  /** Something that all runs stand on is gone, or null: it is back. */
  outage(problem: string | null, threads: readonly string[], at: number): readonly NewMessage[];
  /** The database took no writes for so long, and does again. */
  unwritten(problem: string, forMs: number, threads: readonly string[], at: number): readonly NewMessage[];
  /** A run that a bug stopped says so. */
  broken(run: string, followers: readonly string[], error: unknown, at: number): readonly NewMessage[];
}

// How events become messages: the port that the bot implements and plans call.

import type { Role } from '../../config/index.js';
import type { Event, Notice, Reply, State } from '../../engine/index.js';
import type { AttemptRow, Message, NewMessage } from '../../store/index.js';
import type { SessionFile } from '../exports/index.js';
import type { Activity } from './activity.js';
import type { Origin, PlanContext } from './plan.js';

export interface NoticeContext {
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
  readonly circle?: () => ProjectAudience | null;
}

/** Who belongs to a project. */
export interface ProjectAudience {
  /** Beside the one who owns the home. `isGroup`: any number of people. */
  readonly members: readonly { readonly name: string; readonly role: Role; readonly isGroup: boolean }[];
  /** Nobody is to be disturbed now. */
  readonly isQuiet: boolean;
  /** Where a member is met alone. */
  readonly threadsOf: (person: string) => readonly string[];
}

/** What is at work in one chain. */
export interface RunningContext extends Pick<PlanContext, 'lastSign'> {
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
  readonly sign: Activity;
}

export interface AbortCompleted {
  readonly state: State;
  readonly worker: string;
  readonly isLost: boolean;
  readonly followers: readonly string[];
  readonly at: number;
}

/** Makes messages of what the engine tells. Given by the room above, which knows words. */
export interface Presenter {
  notice(notice: Notice, told: NoticeContext): readonly NewMessage[];
  reply(reply: Reply, told: NoticeContext): readonly NewMessage[];
  /** An attempt that is at work and will soon run out of time. */
  expiring(row: AttemptRow, inMs: number, followers: readonly string[], at: number): readonly NewMessage[];
  /** What is at work now, on the card that told of its beginning. */
  working(working: RunningContext): readonly NewMessage[];
  stalled(stall: Stall, followers: readonly string[], at: number): readonly NewMessage[];
  /** The last worker that was still at work for a run that was aborted has ended; or `isLost`: it counts as dead. */
  abortHeard(heard: AbortCompleted): readonly NewMessage[];
  /** Attempts of one project that nobody takes, all for the same reason. */
  untaken(lacks: readonly MissingCapability[], thread: string, at: number): readonly NewMessage[];
  /** Something that all runs stand on is gone, or null: it is back. */
  outage(problem: string | null, threads: readonly string[], at: number): readonly NewMessage[];
  /** The database took no writes for so long, and does again. */
  unwritten(problem: string, forMs: number, threads: readonly string[], at: number): readonly NewMessage[];
  /** A run that a bug stopped says so. */
  broken(run: string, followers: readonly string[], error: unknown, at: number): readonly NewMessage[];
}

export interface MissingCapabilityText {
  /** Behind "waits for". */
  readonly what: string;
  readonly why: string;
  /** What a worker is started with that can do it. */
  readonly start: string;
}

/** An attempt that nobody who is there can take. */
export interface MissingCapability {
  readonly run: string;
  readonly project: string;
  readonly words: MissingCapabilityText;
}

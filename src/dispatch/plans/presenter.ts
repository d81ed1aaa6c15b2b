// The port that turns events into messages; the bot implements it.

import type { Role } from '../../config/index.js';
import type { Event, Interaction, Notice, RecordedAnswer, Reply, Run, State } from '../../engine/index.js';
import type { AttemptRow, Message, NewMessage } from '../../store/index.js';
import type { SessionFile } from '../exports/index.js';
import type { Activity } from './activity.js';
import type { Origin, PlanContext } from './plan.js';

/** The cards that people see of a run. */
export interface RunCards extends Pick<PlanContext, 'cardIn' | 'isInChat'> {
  /** The newest card that no longer asks; null: none, or it is far back. */
  newestSettled(): Interaction | null;
}

export interface NoticeContext {
  readonly state: State;
  readonly event: Event;
  readonly origin: Origin | null;
  readonly followers: readonly string[];
  readonly cards: RunCards;
  /** Those of its messages that can be edited. */
  readonly asking?: (interaction: string) => readonly Message[];
  readonly workersAtWork?: () => readonly string[];
  /** The run as a session file, with its waves. */
  readonly session?: () => SessionFile;
  readonly audience?: () => ProjectAudience | null;
  /** The newest answer that a person gave in the run. */
  readonly lastAnswer?: () => Pick<RecordedAnswer, 'by' | 'at'> | null;
  /** Completed runs of the same project and workflow, the newest few. */
  readonly pastRuns?: () => readonly Run[];
  /** Where people reach the page; null: messages have no link to it. */
  readonly publicUrl: string | null;
}

export interface ProjectAudience {
  /** Without the home's owner. `isGroup`: stands for any number of people. */
  readonly members: readonly { readonly name: string; readonly role: Role; readonly isGroup: boolean }[];
  /** In quiet hours, in which results do not ring. */
  readonly isQuiet: boolean;
  readonly questionsRing: boolean;
  /** The thread is one of a chat platform. */
  readonly isCarried: (thread: string) => boolean;
  readonly threadsOf: (person: string) => readonly string[];
  /** Several people may read the thread, on a chat platform. */
  readonly isShared: (thread: string) => boolean;
  /** The id of a person or group on the channel of the thread; null: they have none there. */
  readonly accountIn: (person: string, thread: string) => string | null;
  /** The thread beside a shared one that only this person sees; null: the channel has none. */
  readonly asideFor: (person: string, thread: string) => string | null;
  /** Whether a person whom the run's chats do not reach is asked in their own chat. */
  readonly asksPrivately: boolean;
  /** Whether a person can continue that session of an agent in a terminal. */
  readonly opensSession: (session: string) => boolean;
}

export interface RunningContext extends Pick<PlanContext, 'lastSign'> {
  readonly cards: RunCards;
  readonly state: State;
  readonly followers: readonly string[];
  readonly at: number;
}

/** A stalled attempt, or the end of a stall: active again, ended, or alerted anew. */
export interface Stall {
  readonly attempt: string;
  readonly run: string;
  readonly project: string;
  readonly chain: string;
  readonly step: string;
  /** Distinguishes the alerts of one attempt. */
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

/** Words the engine's notices and replies. The bot provides it, so that dispatch needs no wording. */
export interface Presenter {
  notice(notice: Notice, told: NoticeContext): readonly NewMessage[];
  reply(reply: Reply, told: NoticeContext): readonly NewMessage[];
  /** A running attempt is about to time out. */
  expiring(row: AttemptRow, inMs: number, followers: readonly string[], at: number): readonly NewMessage[];
  /** Refreshes the progress card of running attempts. */
  working(working: RunningContext): readonly NewMessage[];
  stalled(stall: Stall, followers: readonly string[], at: number): readonly NewMessage[];
  /** An aborted run has stopped: its last remote worker ended or, if `isLost`, counts as dead. */
  abortHeard(heard: AbortCompleted): readonly NewMessage[];
  /** Attempts of one project that no worker takes, all for the same reason. */
  untaken(lacks: readonly MissingCapability[], thread: string, at: number): readonly NewMessage[];
  /** An outage that affects all runs; null: it is over. */
  outage(problem: string | null, threads: readonly string[], at: number): readonly NewMessage[];
  /** The database accepts writes again after `forMs`. */
  unwritten(problem: string, forMs: number, threads: readonly string[], at: number): readonly NewMessage[];
  /** Offers the next task of a project in which a person starts it. */
  nextQueued(next: Run, followers: readonly string[], at: number): readonly NewMessage[];
  broken(run: string, followers: readonly string[], error: unknown, at: number): readonly NewMessage[];
}

export interface MissingCapabilityText {
  /** Completes the sentence "waits for …". */
  readonly what: string;
  readonly why: string;
  readonly start: string;
}

export interface MissingCapability {
  readonly run: string;
  readonly project: string;
  readonly words: MissingCapabilityText;
}

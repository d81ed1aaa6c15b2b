import type { Role } from '../../config/index.js';
import type { Event, Interaction, Notice, RecordedAnswer, Reply, Run, State } from '../../engine/index.js';
import type { AttemptRow, Message, NewMessage } from '../../store/index.js';
import type { SessionFile } from '../exports/index.js';
import type { Activity } from './activity.js';
import type { Origin, PlanContext } from './plan.js';

/** As people see them. */
export interface RunCards extends Pick<PlanContext, 'cardIn' | 'isInChat'> {
  /** That no longer asks; null: none near. */
  newestSettled(): Interaction | null;
  /** Its answer ended the run early; null: none did. */
  ending(): Interaction | null;
}

export interface NoticeContext {
  readonly state: State;
  readonly event: Event;
  readonly origin: Origin | null;
  readonly followers: readonly string[];
  readonly cards: RunCards;
  readonly asking?: (interaction: string) => readonly Message[];
  readonly workersAtWork?: () => readonly string[];
  /** The run as a session, with waves. */
  readonly session?: () => SessionFile;
  readonly audience?: () => ProjectAudience | null;
  /** By a person. */
  readonly lastAnswer?: () => Pick<RecordedAnswer, 'by' | 'at'> | null;
  readonly pastRuns?: () => readonly Run[];
  /** The live run of the project, if it is another one, and how many tasks wait before this one. */
  readonly ahead?: () => { readonly live: Run | null; readonly waiting: number };
  /** Null: no links to the page. */
  readonly publicUrl: string | null;
}

export interface ProjectAudience {
  /** Without the owner. `isGroup`: any number. */
  readonly members: readonly { readonly name: string; readonly role: Role; readonly isGroup: boolean }[];
  /** Results do not ring. */
  readonly isQuiet: boolean;
  readonly questionsRing: boolean;
  /** By a chat platform. */
  readonly isCarried: (thread: string) => boolean;
  readonly threadsOf: (person: string) => readonly string[];
  /** By several people. */
  readonly isShared: (thread: string) => boolean;
  /** An account on the thread's channel; null: none there. */
  readonly accountIn: (person: string, thread: string) => string | null;
  /** Only this person sees it; null: not supported. */
  readonly asideFor: (person: string, thread: string) => string | null;
  /** Those whom the run's chats do not reach. */
  readonly asksPrivately: boolean;
  /** A person can continue it in a terminal. */
  readonly opensSession: (session: string) => boolean;
}

export interface RunningContext extends Pick<PlanContext, 'lastSign'> {
  readonly cards: RunCards;
  readonly state: State;
  readonly followers: readonly string[];
  readonly at: number;
}

/** The step and story of an attempt, for the first lines of its messages. */
export interface StepWords {
  readonly project: string;
  /** The key of its story; empty: the run's own chain. */
  readonly chain: string;
  /** The story's title, or the run's task. */
  readonly work: string;
  readonly step: string;
}

/** Stalled, active again, ended, or alerted anew. */
export interface Stall {
  readonly attempt: string;
  readonly run: string;
  readonly about: StepWords;
  /** Tells the attempt's alerts apart. */
  readonly number: number;
  readonly kind: 'silent' | 'back' | 'over' | 'again';
  readonly sign: Activity;
}

export interface AbortCompleted {
  readonly state: State;
  readonly worker: string;
  readonly isLost: boolean;
  readonly followers: readonly string[];
  readonly cards: RunCards;
  readonly at: number;
}

export interface Expiring {
  readonly row: AttemptRow;
  readonly about: StepWords;
  readonly inMs: number;
  readonly followers: readonly string[];
  readonly at: number;
}

/** A bug stopped a run. `task`: null if the run was never stored. */
export interface Broken {
  readonly run: string;
  readonly project: string | null;
  readonly task: string | null;
  readonly followers: readonly string[];
  readonly error: unknown;
  readonly at: number;
}

/** The bot provides it: dispatch needs no wording. */
export interface Presenter {
  notice(notice: Notice, told: NoticeContext): readonly NewMessage[];
  reply(reply: Reply, told: NoticeContext): readonly NewMessage[];
  /** About to time out. */
  expiring(expiring: Expiring): readonly NewMessage[];
  /** Refreshes the progress card of running attempts. */
  working(working: RunningContext): readonly NewMessage[];
  stalled(stall: Stall, followers: readonly string[], at: number): readonly NewMessage[];
  /** Its last remote worker ended, or (`isLost`) counts as dead. */
  abortHeard(heard: AbortCompleted): readonly NewMessage[];
  untaken(lacks: readonly MissingCapability[], thread: string, at: number): readonly NewMessage[];
  /** For all runs; null: over. */
  outage(problem: string | null, threads: readonly string[], at: number): readonly NewMessage[];
  /** The database takes writes again after `forMs`. */
  unwritten(problem: string, forMs: number, threads: readonly string[], at: number): readonly NewMessage[];
  /** Offers the next task of a project in which a person starts it. */
  nextQueued(next: Run, followers: readonly string[], at: number): readonly NewMessage[];
  broken(broken: Broken): readonly NewMessage[];
}

export interface MissingCapabilityText {
  /** After "waits for …". */
  readonly what: string;
  readonly why: string;
  readonly start: string;
}

export interface MissingCapability {
  readonly run: string;
  readonly project: string;
  readonly words: MissingCapabilityText;
}

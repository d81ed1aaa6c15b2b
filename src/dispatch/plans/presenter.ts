import type { Role } from '../../config/index.js';
import type { Event, Interaction, Notice, RecordedAnswer, Reply, Run, State } from '../../engine/index.js';
import type { AttemptRow, Message, NewMessage } from '../../store/index.js';
import type { SessionFile } from '../exports/index.js';
import type { Activity } from './activity.js';
import type { Origin, PlanContext } from './plan.js';

export interface RunCards extends Pick<PlanContext, 'cardIn' | 'isInChat'> {
  /** Null: none among the newest. */
  newestSettled(): Interaction | null;
  /** Null: the run started without a proposal. */
  proposal(): Interaction | null;
  /** Its answer ended the run early. */
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
  readonly session?: () => SessionFile;
  readonly audience?: () => ProjectAudience | null;
  readonly lastAnswer?: () => Pick<RecordedAnswer, 'by' | 'at'> | null;
  readonly pastRuns?: () => readonly Run[];
  /** `live`: the project's other live run; `waiting`: tasks before this one. */
  readonly ahead?: () => { readonly live: Run | null; readonly waiting: number };
  /** Null: no links to the page. */
  readonly publicUrl: string | null;
}

export interface ProjectAudience {
  /** Without the owner. `isGroup`: an unknown number of people. */
  readonly members: readonly { readonly name: string; readonly role: Role; readonly isGroup: boolean }[];
  /** Results do not ring. */
  readonly isQuiet: boolean;
  readonly questionsRing: boolean;
  /** On a chat platform. */
  readonly isCarried: (thread: string) => boolean;
  readonly threadsOf: (person: string) => readonly string[];
  /** Several people read it. */
  readonly isShared: (thread: string) => boolean;
  /** Null: no account on the thread's channel. */
  readonly accountIn: (person: string, thread: string) => string | null;
  /** On the person's preferred channel, or they have none. */
  readonly isPreferred: (person: string, thread: string) => boolean;
  /** Visible to this person only; null: not supported. */
  readonly asideFor: (person: string, thread: string) => string | null;
  /** Also asks people outside the run's chats. */
  readonly asksPrivately: boolean;
  readonly opensSession: (session: string) => boolean;
}

export interface RunningContext extends Pick<PlanContext, 'lastSign'> {
  readonly cards: RunCards;
  readonly state: State;
  readonly followers: readonly string[];
  readonly at: number;
}

/** For the first lines of an attempt's messages. */
export interface StepWords {
  readonly project: string;
  /** '': the run's own chain. */
  readonly chain: string;
  /** The story's title, or the run's task. */
  readonly work: string;
  readonly step: string;
}

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

/** `task` null: the run was never stored. */
export interface Broken {
  readonly run: string;
  readonly project: string | null;
  readonly task: string | null;
  readonly followers: readonly string[];
  readonly error: unknown;
  readonly at: number;
}

/** The bot implements it: dispatch knows no wording. */
export interface Presenter {
  notice(notice: Notice, told: NoticeContext): readonly NewMessage[];
  reply(reply: Reply, told: NoticeContext): readonly NewMessage[];
  expiring(expiring: Expiring): readonly NewMessage[];
  working(working: RunningContext): readonly NewMessage[];
  stalled(stall: Stall, followers: readonly string[], at: number): readonly NewMessage[];
  /** `isLost`: the last remote worker counts as dead. */
  abortHeard(heard: AbortCompleted): readonly NewMessage[];
  untaken(lacks: readonly MissingCapability[], thread: string, at: number): readonly NewMessage[];
  /** Null: over. */
  outage(problem: string | null, threads: readonly string[], at: number): readonly NewMessage[];
  /** After an outage of `forMs`. */
  unwritten(problem: string, forMs: number, threads: readonly string[], at: number): readonly NewMessage[];
  nextQueued(next: Run, followers: readonly string[], at: number): readonly NewMessage[];
  broken(broken: Broken): readonly NewMessage[];
}

export interface MissingCapabilityText {
  /** Completes "waits for …". */
  readonly what: string;
  readonly why: string;
  readonly start: string;
}

export interface MissingCapability {
  readonly run: string;
  readonly project: string;
  readonly words: MissingCapabilityText;
}

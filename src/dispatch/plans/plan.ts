// What somebody wants done in one go. A plan is made inside the flush, on the newest state, and so cannot be outrun.
import type { Chain, Event, Interaction, Reply, Run, Workflow } from '../../engine/index.js';
import type { ChannelRequest, Message, NewMessage, Spine, SqliteStore, Store, Thread } from '../../store/index.js';
import type { Activity } from './activity.js';

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
  readonly wants?: ChannelRequest;
  /** The row of a want that is done, or refused for good. */
  readonly wantDone?: number;
  /** Threads that know of an outage with this; null: it is over. */
  readonly outage?: readonly string[] | null;
  /** How a shell should take it: 2 not understood, 3 refused. */
  readonly exit?: 2 | 3;
}

/** Reading as of this very moment, what earlier plans of the same flush changed included. */
export interface PlanContext {
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
  lastSign(attempt: string): Activity | null;
  /** Why it has not begun, in words behind "waits for"; null: it does not wait, or nobody knows why. */
  waitsFor(attempt: string): string | null;
}

export type MakePlan = (now: PlanContext) => Plan;

export interface Submitted {
  /** For each event of the plan, and those that it raised: why it changed nothing, or null. */
  readonly ignored: readonly (string | null)[];
  readonly replies: readonly Reply[];
  readonly messages: readonly Message[];
  readonly exit: 0 | 2 | 3;
}

// The events and other writes of one submit. A plan is built inside the transaction on the newest state, so it cannot
// race.
import type { Chain, Event, Interaction, Reply, Run, Workflow } from '../../engine/index.js';
import type {
  ChannelRequest,
  ChannelRequestRows,
  DeliveryRows,
  HomeReader,
  Message,
  NewMessage,
  Spine,
  Thread,
} from '../../store/index.js';
import type { Activity } from './activity.js';

/** The sender and thread, to address replies. */
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
  readonly extend?: { readonly attempt: string; readonly byMs: number };
  /** A stalled attempt that a person chose to keep waiting for. */
  readonly waitFor?: string;
  /** A request that only the channel can fulfil, after the commit. */
  readonly wants?: ChannelRequest;
  /** Row of a channel request that was fulfilled or finally refused. */
  readonly wantDone?: number;
  /** Threads told of the present outage; null: it is over. */
  readonly outage?: readonly string[] | null;
  /** Exit code for a shell: 2 not understood, 3 refused. */
  readonly exit?: 2 | 3;
}

/** Reads the present state, including the changes of earlier plans in the same transaction. */
export interface PlanContext {
  readonly at: number;
  readonly homeId: string;
  readonly reader: HomeReader;
  readonly deliveries: DeliveryRows;
  readonly wants: ChannelRequestRows;
  spine(run: string): Spine | null;
  chain(run: string, key: string): Chain | null;
  liveRun(project: string): Run | null;
  drafts(project: string): readonly Run[];
  interaction(id: string): { readonly run: string; readonly interaction: Interaction } | null;
  /** The message that shows the card in the thread; null: none does. */
  cardIn(thread: string, card: string): NewMessage | null;
  /** Whether a chat platform shows the thread; the terminal and the page read the store. */
  isInChat(thread: string): boolean;
  /** Whether the run already has the limits of config.yaml; else its next event reads them first. */
  knowsLimits(run: string): boolean;
  nextRunNumber(): number;
  /** Threads that receive a run's messages: its followers and the threads bound to its project. */
  followers(run: string): readonly string[];
  /** From memory; null: not tracked, or ended. */
  lastSign(attempt: string): Activity | null;
  /** Completes the sentence "waits for …"; null: not waiting, or the reason is unknown. */
  waitsFor(attempt: string): string | null;
  /** Whether its agent takes words in its running turn, from memory. */
  hears(attempt: string): boolean;
}

export type MakePlan = (now: PlanContext) => Plan;

export interface Submitted {
  /** For each event of the plan: why it changed nothing, or null. */
  readonly ignored: readonly (string | null)[];
  readonly replies: readonly Reply[];
  readonly messages: readonly Message[];
  readonly exit: 0 | 2 | 3;
}

// A plan is built inside the transaction on the newest state, so it cannot race.
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

export interface Origin {
  readonly thread: string;
  readonly by: string;
}

export interface Plan {
  /** The person whose message it answers. */
  readonly origin: Origin | null;
  readonly events: readonly Event[];
  /** Follow the messages of the events. */
  readonly messages: readonly NewMessage[];
  /** Precedes both, unless they were refused. */
  readonly opening: readonly NewMessage[];
  readonly effects: readonly PlanEffect[];
  /** 2: not understood. 3: refused. */
  readonly exit: 2 | 3 | null;
}

export type PlanEffect =
  | { readonly type: 'snapshot'; readonly hash: string; readonly workflow: Workflow }
  | { readonly type: 'thread'; readonly thread: Thread }
  | { readonly type: 'follow'; readonly run: string; readonly thread: string }
  | { readonly type: 'inbox_done'; readonly row: number }
  | { readonly type: 'extend'; readonly attempt: string; readonly byMs: number }
  /** A person decided to wait for a stalled attempt. */
  | { readonly type: 'wait_for'; readonly attempt: string }
  /** The channel fulfils it after the commit. */
  | { readonly type: 'want'; readonly request: ChannelRequest }
  /** Fulfilled, or refused for good. */
  | { readonly type: 'want_done'; readonly row: number }
  /** Null: the outage is over. */
  | { readonly type: 'outage'; readonly told: readonly string[] | null };

export const emptyPlan: Plan = { origin: null, events: [], messages: [], opening: [], effects: [], exit: null };

export function withEffects(plan: Plan, ...effects: readonly PlanEffect[]): Plan {
  return { ...plan, effects: [...plan.effects, ...effects] };
}

/** Includes earlier plans of the transaction. */
export interface PlanContext {
  readonly at: number;
  readonly homeId: string;
  readonly reader: HomeReader;
  readonly deliveries: DeliveryRows;
  readonly wants: ChannelRequestRows;
  spine(run: string): Spine | null;
  chain(run: string, key: string): Chain | null;
  /** The run that commands mean: the one in the project's checkout, else one beside it. */
  liveRun(project: string): Run | null;
  /** The run in the project's checkout; others wait for its end or work beside it. */
  holder(project: string): Run | null;
  /** Runs in worktrees of their own. */
  besideRuns(project: string): readonly Run[];
  drafts(project: string): readonly Run[];
  interaction(id: string): { readonly run: string; readonly interaction: Interaction } | null;
  cardIn(thread: string, card: string): NewMessage | null;
  isInChat(thread: string): boolean;
  /** False: its next event reads config.yaml's limits first. */
  knowsLimits(run: string): boolean;
  nextRunNumber(): number;
  /** Includes threads bound to its project. */
  followers(run: string): readonly string[];
  /** Null: not tracked, or ended. */
  lastSign(attempt: string): Activity | null;
  waitsFor(attempt: string): string | null;
  hears(attempt: string): boolean;
}

export type MakePlan = (now: PlanContext) => Plan;

export interface Submitted {
  /** By event, the reason why it changed nothing; null: it did. */
  readonly ignored: readonly (string | null)[];
  readonly replies: readonly Reply[];
  readonly messages: readonly Message[];
  readonly exit: 0 | 2 | 3;
}

import type { InteractionKind, Item, ItemStatus, NodeState, OutcomeKind, Run } from '../../engine/index.js';
import type { Health } from './project-health.js';

export type StateSort =
  | ('working' | 'yours' | 'others' | 'queued' | 'paused' | 'failed' | 'done')
  | ('aborted' | 'skipped' | 'not_started' | 'unchanged' | 'idle');

export interface NamedState {
  readonly sort: StateSort;
  readonly word: string;
  /** Qualifies the state in a word or two. */
  readonly note?: string;
}

const queued: NamedState = { sort: 'queued', word: 'queued' };
const working: NamedState = { sort: 'working', word: 'working' };
const failed: NamedState = { sort: 'failed', word: 'failed' };
const done: NamedState = { sort: 'done', word: 'done' };
const notStarted: NamedState = { sort: 'not_started', word: 'not started' };
const idle: NamedState = { sort: 'idle', word: 'idle' };
const paused: NamedState = { sort: 'paused', word: 'paused' };
const aborted: NamedState = { sort: 'aborted', word: 'aborted' };

const nodes: Readonly<Record<NodeState, NamedState>> = {
  waiting: notStarted,
  ready: notStarted,
  queued,
  running: working,
  needs_human: { sort: 'yours', word: 'waiting for a person' },
  passed: done,
  failed,
  skipped: { sort: 'skipped', word: 'skipped' },
  cancelled: aborted,
};

const pauses: Readonly<Record<NonNullable<Run['pauseReason']>, NamedState>> = {
  decision: { ...paused, note: 'a decision is due' },
  escalation: failed,
  failure: failed,
  user: paused,
  level: { ...paused, note: 'until you continue' },
  budget: { ...paused, note: 'budget spent' },
};

const items: Readonly<Record<ItemStatus, NamedState>> = {
  ready: notStarted,
  blocked: notStarted,
  running: working,
  merging: { ...working, note: 'merging' },
  done,
  failed,
  cancelled: aborted,
};

const outcomes: Readonly<Record<OutcomeKind, NamedState>> = {
  pass: { sort: 'done', word: 'passed' },
  failing: failed,
  timeout: { sort: 'failed', word: 'timed out' },
  crashed: { sort: 'failed', word: 'crashed' },
  needs_human: { sort: 'yours', word: 'asked a question' },
  cancelled: aborted,
};

export const nodeNamed = (state: NodeState): NamedState => nodes[state];
export const itemNamed = ({ status, unchanged }: Pick<Item, 'status' | 'unchanged'>): NamedState =>
  status === 'done' && unchanged === true ? { sort: 'unchanged', word: 'no change' } : items[status];
export const outcomeNamed = (outcome: OutcomeKind): NamedState => outcomes[outcome];

export interface AskedPerson {
  readonly kind: InteractionKind;
  readonly isMine: boolean;
  readonly who: string;
}

export interface NameableWork {
  readonly run: Pick<Run, 'status' | 'pauseReason' | 'live' | 'ops' | 'approved' | 'held'> | null;
  readonly asked?: AskedPerson | null;
  readonly health?: Health;
  /** The task ahead in the queue. */
  readonly behind?: string | null;
}

/** A question counts more than work that goes on beside it. */
export function workNamed({ run, asked = null, health, behind = null }: NameableWork): NamedState {
  if (run === null) return idle;
  switch (run.status) {
    case 'completed':
      return done;
    case 'cancelled':
      return aborted;
    case 'draft':
      return run.approved ? queuedNamed(behind) : asked === null ? notStarted : askedNamed(asked);
    case 'failed':
      return asked === null ? failed : askedNamed(asked);
    case 'running':
    case 'paused':
      if (asked !== null) return askedNamed(asked);
      if (run.live.length === 0 && run.ops.length === 0 && run.pauseReason !== null) return pauses[run.pauseReason];
      if (run.live.length > 0 && run.live.every(({ startedAt }) => startedAt === null)) return queued;
      return health === 'stalled' ? { ...working, note: 'no sign of life' } : working;
  }
}

function queuedNamed(behind: string | null): NamedState {
  return behind === null ? queued : { ...queued, word: `queued behind ${behind}` };
}

export function askedNamed({ kind, isMine, who }: AskedPerson): NamedState {
  if (!isMine) return { sort: 'others', word: `waiting for ${who}` };
  return kind === 'escalation' ? failed : { sort: 'yours', word: 'waiting for you' };
}

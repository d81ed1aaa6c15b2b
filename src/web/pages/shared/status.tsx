// Labels for states: a colour, a mark and a word, never the colour alone.
import type { Child } from 'hono/jsx';
import type { Health } from '../../../dispatch/index.js';
import type {
  InteractionKind,
  Item,
  ItemStatus,
  NodeState,
  OutcomeKind,
  Run,
  RunStatus,
} from '../../../engine/index.js';
import { Icon, type IconName } from './icons.js';
import { agoOf, isoOf, spanOf, stampOf } from './text.js';

export type Tone = 'run' | 'ok' | 'wait' | 'other' | 'bad' | 'quiet';

export interface Said {
  readonly tone: Tone;
  readonly word: string;
  /** Default: the tone's own mark. */
  readonly mark?: IconName;
}

const marks: Readonly<Record<Tone, IconName>> = {
  run: 'work',
  ok: 'done',
  wait: 'you',
  other: 'other',
  bad: 'fail',
  quiet: 'none',
};

const queued: Said = { tone: 'quiet', word: 'Queued', mark: 'queue' };
const working: Said = { tone: 'run', word: 'Working' };
const silent: Said = { tone: 'bad', word: 'No sign of life', mark: 'clock' };
const ready: Said = { tone: 'wait', word: 'Ready to start' };
const idle: Said = { tone: 'quiet', word: 'Idle' };

const nodes: Readonly<Record<NodeState, Said>> = {
  waiting: { tone: 'quiet', word: 'next' },
  ready: { tone: 'quiet', word: 'next' },
  queued: { tone: 'quiet', word: 'queued', mark: 'queue' },
  running: { tone: 'run', word: 'working' },
  needs_human: { tone: 'wait', word: 'waiting for a person' },
  passed: { tone: 'ok', word: 'passed' },
  failed: { tone: 'bad', word: 'failed' },
  skipped: { tone: 'quiet', word: 'skipped', mark: 'stop' },
  cancelled: { tone: 'bad', word: 'aborted', mark: 'stop' },
};

const waitsFor: Readonly<Record<InteractionKind, string>> = {
  review: 'Waiting for a review',
  question: 'Waiting for an answer',
  permission: 'Waiting for a permission',
  confirm: 'Waiting for a decision',
  choice: 'Waiting for a decision',
  budget: 'Waiting for more budget',
  escalation: 'Stuck',
};

const pauses: Readonly<Record<NonNullable<Run['pauseReason']>, Said>> = {
  decision: { tone: 'wait', word: 'Waiting for a decision' },
  escalation: { tone: 'bad', word: 'Stuck' },
  failure: { tone: 'bad', word: 'Stuck' },
  user: { tone: 'quiet', word: 'Paused', mark: 'pause' },
  level: { tone: 'wait', word: 'Ready to start' },
  budget: { tone: 'wait', word: 'Waiting for more budget' },
};

const items: Readonly<Record<ItemStatus, Said>> = {
  ready: { tone: 'quiet', word: 'next' },
  blocked: { tone: 'quiet', word: 'next' },
  running: { tone: 'run', word: 'working' },
  merging: { tone: 'run', word: 'merging' },
  done: { tone: 'ok', word: 'done' },
  failed: { tone: 'bad', word: 'failed' },
  cancelled: { tone: 'quiet', word: 'aborted', mark: 'stop' },
};

const outcomes: Readonly<Record<OutcomeKind, Said>> = {
  pass: { tone: 'ok', word: 'passed' },
  failing: { tone: 'bad', word: 'failed' },
  timeout: { tone: 'bad', word: 'timed out' },
  crashed: { tone: 'bad', word: 'crashed' },
  needs_human: { tone: 'wait', word: 'asked a question' },
  cancelled: { tone: 'quiet', word: 'aborted', mark: 'stop' },
};

export const nodeSaid = (state: NodeState): Said => nodes[state];
/** A story that changed nothing is not shown in green. */
export const itemSaid = ({ status, unchanged }: Pick<Item, 'status' | 'unchanged'>): Said =>
  status === 'done' && unchanged === true ? { tone: 'quiet', word: 'no change' } : items[status];
export const outcomeSaid = (outcome: OutcomeKind): Said => outcomes[outcome];

export interface WorkSeen {
  readonly run: Pick<Run, 'status' | 'pauseReason' | 'live' | 'ops' | 'approved' | 'held'> | null;
  /** The oldest open question of the run, and whether this viewer may answer it. */
  readonly asked?: { readonly kind: InteractionKind; readonly isMine: boolean } | null;
  /** Default: as the run itself tells. */
  readonly health?: Health;
}

/** The one name of a run's or project's state. A question counts before work that goes on beside it. */
export function workSaid({ run, asked = null, health }: WorkSeen): Said {
  if (run === null) return idle;
  switch (run.status) {
    case 'completed':
      return { tone: 'ok', word: 'Done' };
    case 'cancelled':
      return { tone: 'quiet', word: 'Aborted', mark: 'stop' };
    case 'draft':
      return run.approved ? queued : ready;
    case 'failed':
      return asked === null ? { tone: 'bad', word: 'Failed' } : askedSaid(asked);
    case 'running':
    case 'paused':
      if (asked !== null) return askedSaid(asked);
      if (run.live.length === 0 && run.ops.length === 0 && run.pauseReason !== null) return pauses[run.pauseReason];
      if (health === 'stalled') return silent;
      return run.live.length > 0 && run.live.every(({ startedAt }) => startedAt === null) ? queued : working;
  }
}

/** An open question, for a viewer who may answer it or not. */
export function askedSaid({ kind, isMine }: NonNullable<WorkSeen['asked']>): Said {
  const word = waitsFor[kind];
  if (!isMine) return { tone: 'other', word };
  return kind === 'escalation' ? { tone: 'bad', word } : { tone: 'wait', word };
}

/** The states that a list of runs can be filtered by, with the names of the page. */
export const runStatuses: Readonly<Record<RunStatus, string>> = {
  draft: 'Ready to start, queued',
  running: 'Working',
  paused: 'Waiting, paused',
  completed: 'Done',
  failed: 'Failed',
  cancelled: 'Aborted',
};

export function Badge({ tone, word, mark }: Said) {
  return (
    <span class={`badge ${tone}`}>
      <Icon name={mark ?? marks[tone]} />
      {word}
    </span>
  );
}

/** The mark alone, with its word for screen readers. */
export function Mark({ tone, word, mark }: Said) {
  return (
    <span class={`mark ${tone}`} title={word}>
      <Icon name={mark ?? marks[tone]} />
      <span class="hidden">{word}</span>
    </span>
  );
}

/** Elapsed time; the browser keeps counting. */
export function Since({ at, now }: { readonly at: number; readonly now: number }) {
  return (
    <time class="num" datetime={isoOf(at)} data-since={String(at)}>
      {spanOf(now - at)}
    </time>
  );
}

export function Ago({ at, now }: { readonly at: number; readonly now: number }) {
  return (
    <time datetime={isoOf(at)} title={`${stampOf(at)} UTC`}>
      {agoOf(now - at)}
    </time>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: Child }) {
  return (
    <div class="panel empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

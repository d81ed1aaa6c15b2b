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
  /** Why, in a word or two: it qualifies the state and is never another one. */
  readonly note?: string;
}

const marks: Readonly<Record<Tone, IconName>> = {
  run: 'work',
  ok: 'done',
  wait: 'you',
  other: 'other',
  bad: 'fail',
  quiet: 'none',
};

const queued: Said = { tone: 'quiet', word: 'queued', mark: 'queue' };
const working: Said = { tone: 'run', word: 'working' };
const failed: Said = { tone: 'bad', word: 'failed' };
const notStarted: Said = { tone: 'quiet', word: 'not started' };
const idle: Said = { tone: 'quiet', word: 'idle' };
const paused: Said = { tone: 'quiet', word: 'paused', mark: 'pause' };
const aborted: Said = { tone: 'quiet', word: 'aborted', mark: 'stop' };

const nodes: Readonly<Record<NodeState, Said>> = {
  waiting: notStarted,
  ready: notStarted,
  queued,
  running: working,
  needs_human: { tone: 'wait', word: 'waiting for a person' },
  passed: { tone: 'ok', word: 'done' },
  failed,
  skipped: { tone: 'quiet', word: 'skipped', mark: 'stop' },
  cancelled: aborted,
};

const pauses: Readonly<Record<NonNullable<Run['pauseReason']>, Said>> = {
  decision: { ...paused, note: 'a decision is due' },
  escalation: failed,
  failure: failed,
  user: paused,
  level: { ...paused, note: 'until you continue' },
  budget: { ...paused, note: 'budget spent' },
};

const items: Readonly<Record<ItemStatus, Said>> = {
  ready: notStarted,
  blocked: notStarted,
  running: working,
  merging: { ...working, note: 'merging' },
  done: { tone: 'ok', word: 'done' },
  failed,
  cancelled: aborted,
};

const outcomes: Readonly<Record<OutcomeKind, Said>> = {
  pass: { tone: 'ok', word: 'passed' },
  failing: { tone: 'bad', word: 'failed' },
  timeout: { tone: 'bad', word: 'timed out' },
  crashed: { tone: 'bad', word: 'crashed' },
  needs_human: { tone: 'wait', word: 'asked a question' },
  cancelled: aborted,
};

export const nodeSaid = (state: NodeState): Said => nodes[state];
/** A story that changed nothing is not shown in green. */
export const itemSaid = ({ status, unchanged }: Pick<Item, 'status' | 'unchanged'>): Said =>
  status === 'done' && unchanged === true ? { tone: 'quiet', word: 'no change' } : items[status];
export const outcomeSaid = (outcome: OutcomeKind): Said => outcomes[outcome];

export interface Asked {
  readonly kind: InteractionKind;
  /** This viewer may answer it. */
  readonly isMine: boolean;
  /** Who is asked: `Bob`, `Bob +1`. */
  readonly who: string;
}

export interface WorkSeen {
  readonly run: Pick<Run, 'status' | 'pauseReason' | 'live' | 'ops' | 'approved' | 'held'> | null;
  /** The oldest open question of the run. */
  readonly asked?: Asked | null;
  /** Default: as the run itself tells. */
  readonly health?: Health;
}

/** The one name of a run's or project's state. A question counts before work that goes on beside it. */
export function workSaid({ run, asked = null, health }: WorkSeen): Said {
  if (run === null) return idle;
  switch (run.status) {
    case 'completed':
      return { tone: 'ok', word: 'done' };
    case 'cancelled':
      return aborted;
    case 'draft':
      return run.approved ? queued : asked === null ? notStarted : askedSaid(asked);
    case 'failed':
      return asked === null ? failed : askedSaid(asked);
    case 'running':
    case 'paused':
      if (asked !== null) return askedSaid(asked);
      if (run.live.length === 0 && run.ops.length === 0 && run.pauseReason !== null) return pauses[run.pauseReason];
      if (run.live.length > 0 && run.live.every(({ startedAt }) => startedAt === null)) return queued;
      return health === 'stalled' ? { ...working, note: 'no sign of life' } : working;
  }
}

/** An open question, for a viewer who may answer it or not. A failure stays one until it is answered. */
export function askedSaid({ kind, isMine, who }: Asked): Said {
  if (!isMine) return { tone: 'other', word: `waiting for ${who}` };
  return kind === 'escalation' ? failed : { tone: 'wait', word: 'waiting for you' };
}

/** The states that a list of runs can be filtered by, with the names of the page. */
export const runStatuses: Readonly<Record<RunStatus, string>> = {
  draft: 'queued, not started',
  running: 'working',
  paused: 'waiting, paused',
  completed: 'done',
  failed: 'failed',
  cancelled: 'aborted',
};

export const markOf = ({ tone, mark }: Pick<Said, 'tone' | 'mark'>): IconName => mark ?? marks[tone];

export function Badge({ tone, word, mark, note }: Said) {
  return (
    <>
      <span class={`badge ${tone}`}>
        <Icon name={markOf({ tone, ...(mark === undefined ? {} : { mark }) })} />
        {word}
      </span>
      {note === undefined ? null : <span class="soft">{note}</span>}
    </>
  );
}

/** The mark alone, with its word for screen readers. */
export function Mark({ tone, word, mark }: Said) {
  return (
    <span class={`mark ${tone}`} title={word}>
      <Icon name={markOf({ tone, ...(mark === undefined ? {} : { mark }) })} />
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

const almostAll = 0.9;

/** A part of a limit; amber once little is left. */
export function Meter({
  value,
  limit,
  label,
}: {
  readonly value: number;
  readonly limit: number;
  readonly label: string;
}) {
  const part = limit <= 0 ? 1 : Math.min(1, value / limit);
  return <progress class={part >= almostAll ? 'hot' : undefined} max={1} value={part} aria-label={label}></progress>;
}

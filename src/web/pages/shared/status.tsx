// Labels for states: a colour, a mark and a word, never the colour alone.
import type { Child } from 'hono/jsx';
import type { Health } from '../../../dispatch/index.js';
import type { Item, ItemStatus, NodeState, OutcomeKind, Run, RunStatus } from '../../../engine/index.js';
import { agoOf, isoOf, spanOf, stampOf } from './text.js';

export type Tone = 'run' | 'ok' | 'wait' | 'bad' | 'quiet';

interface Said {
  readonly tone: Tone;
  readonly word: string;
}

const nodes: Readonly<Record<NodeState, Said>> = {
  waiting: { tone: 'quiet', word: 'waiting' },
  ready: { tone: 'quiet', word: 'ready' },
  queued: { tone: 'run', word: 'queued' },
  running: { tone: 'run', word: 'working' },
  needs_human: { tone: 'wait', word: 'waiting for you' },
  passed: { tone: 'ok', word: 'passed' },
  failed: { tone: 'bad', word: 'failed' },
  skipped: { tone: 'quiet', word: 'skipped' },
  cancelled: { tone: 'bad', word: 'stopped' },
};

const runs: Readonly<Record<RunStatus, Said>> = {
  draft: { tone: 'quiet', word: 'draft' },
  running: { tone: 'run', word: 'working' },
  paused: { tone: 'wait', word: 'paused' },
  completed: { tone: 'ok', word: 'done' },
  failed: { tone: 'bad', word: 'failed' },
  cancelled: { tone: 'quiet', word: 'stopped' },
};

const items: Readonly<Record<ItemStatus, Said>> = {
  ready: { tone: 'quiet', word: 'not started' },
  blocked: { tone: 'quiet', word: 'blocked' },
  running: { tone: 'run', word: 'working' },
  merging: { tone: 'run', word: 'merging' },
  done: { tone: 'ok', word: 'done' },
  failed: { tone: 'bad', word: 'failed' },
  cancelled: { tone: 'quiet', word: 'stopped' },
};

const outcomes: Readonly<Record<OutcomeKind, Said>> = {
  pass: { tone: 'ok', word: 'passed' },
  failing: { tone: 'bad', word: 'failing' },
  timeout: { tone: 'bad', word: 'timed out' },
  crashed: { tone: 'bad', word: 'crashed' },
  needs_human: { tone: 'wait', word: 'asked a question' },
  cancelled: { tone: 'quiet', word: 'stopped' },
};

const healths: Readonly<Record<Health, Said>> = {
  running: { tone: 'run', word: 'working' },
  quiet: { tone: 'wait', word: 'quiet' },
  waiting: { tone: 'wait', word: 'waiting for you' },
  stalled: { tone: 'bad', word: 'no sign of life' },
  idle: { tone: 'quiet', word: 'idle' },
};

export const nodeSaid = (state: NodeState): Said => nodes[state];
/** A story that changed nothing is not shown in green. */
export const itemSaid = ({ status, unchanged }: Pick<Item, 'status' | 'unchanged'>): Said =>
  status === 'done' && unchanged === true ? { tone: 'quiet', word: 'no change' } : items[status];
export const outcomeSaid = (outcome: OutcomeKind): Said => outcomes[outcome];

const why: Readonly<Record<NonNullable<Run['pauseReason']>, string>> = {
  decision: 'waiting for a decision',
  escalation: 'waiting for help',
  failure: 'a step failed',
  user: 'paused by a person',
  level: 'waiting for “continue”',
  budget: 'budget spent',
};

export function runSaid({ status, pauseReason }: Pick<Run, 'status' | 'pauseReason'>): Said {
  if (status !== 'paused' || pauseReason === null) return runs[status];
  return { tone: pauseReason === 'failure' ? 'bad' : 'wait', word: why[pauseReason] };
}

/** Queued work and drafts also count as waiting, but ask nothing of a person; a draft shows the word that starts it. */
export function healthSaid(health: Health, run: Pick<Run, 'status' | 'live'> | null): Said {
  if (health !== 'waiting' || run === null) return healths[health];
  if (run.status === 'draft') return { tone: 'wait', word: why.level };
  const isQueued = run.live.length > 0 && run.live.every(({ startedAt }) => startedAt === null);
  return isQueued ? { tone: 'wait', word: 'queued' } : healths[health];
}

export const runStatuses = Object.keys(runs);

export function Badge({ tone, word }: Said) {
  return <span class={`badge ${tone}`}>{word}</span>;
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

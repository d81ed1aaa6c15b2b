// Colour, mark and word, never colour alone.
import type { Child } from 'hono/jsx';
import {
  type AskedPerson,
  askedNamed,
  itemNamed,
  type NameableWork,
  type NamedState,
  nodeNamed,
  outcomeNamed,
  type StateSort,
  workNamed,
} from '../../../dispatch/index.js';
import type { Item, NodeState, OutcomeKind, RunStatus } from '../../../engine/index.js';
import { Icon, type IconName } from './icons.js';
import { agoOf, isoOf, spanOf } from './text.js';

export type Tone = 'run' | 'ok' | 'wait' | 'other' | 'bad' | 'quiet';

export interface Said {
  readonly tone: Tone;
  readonly word: string;
  readonly mark?: IconName;
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

const looks: Readonly<Record<StateSort, Pick<Said, 'tone' | 'mark'>>> = {
  working: { tone: 'run' },
  yours: { tone: 'wait' },
  others: { tone: 'other' },
  queued: { tone: 'quiet', mark: 'queue' },
  paused: { tone: 'quiet', mark: 'pause' },
  failed: { tone: 'bad' },
  done: { tone: 'ok' },
  aborted: { tone: 'quiet', mark: 'stop' },
  skipped: { tone: 'quiet', mark: 'stop' },
  not_started: { tone: 'quiet' },
  unchanged: { tone: 'quiet' },
  idle: { tone: 'quiet' },
};

const said = ({ sort, ...named }: NamedState): Said => ({ ...looks[sort], ...named });

export const nodeSaid = (state: NodeState): Said => said(nodeNamed(state));
/** Unchanged stories are not green. */
export const itemSaid = (item: Pick<Item, 'status' | 'unchanged'>): Said => said(itemNamed(item));
export const outcomeSaid = (outcome: OutcomeKind): Said => said(outcomeNamed(outcome));
export const workSaid = (work: NameableWork): Said => said(workNamed(work));
export const askedSaid = (asked: AskedPerson): Said => said(askedNamed(asked));

/** Filters of a list of runs, with the page's names. */
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

export function Mark({ tone, word, mark }: Said) {
  return (
    <span class={`mark ${tone}`} title={word}>
      <Icon name={markOf({ tone, ...(mark === undefined ? {} : { mark }) })} />
      <span class="hidden">{word}</span>
    </span>
  );
}

export function Since({ at, now }: { readonly at: number; readonly now: number }) {
  return (
    <time class="num" datetime={isoOf(at)} data-since={String(at)}>
      {spanOf(now - at)}
    </time>
  );
}

export function Ago({ at, now }: { readonly at: number; readonly now: number }) {
  return <time datetime={isoOf(at)}>{agoOf(now - at)}</time>;
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

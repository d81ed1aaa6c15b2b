import type { Attempt, Interaction } from '../../../../engine/index.js';
import type { AttemptRow } from '../../../../store/index.js';

export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly what:
    | { readonly kind: 'attempt'; readonly row: AttemptRow }
    | { readonly kind: 'wait'; readonly interaction: Interaction };
}

export interface TimelineRow {
  readonly key: string;
  readonly label: string;
  readonly bars: readonly Bar[];
}

/** A person sent work back, which began another round. */
export interface Round {
  readonly at: number;
  readonly interaction: Interaction;
}

export interface TimelineData {
  readonly rows: readonly TimelineRow[];
  readonly rounds: readonly Round[];
  readonly from: number;
  readonly to: number;
  readonly workMs: number;
  /** Time without work, by who answered (null: open). Longest first. */
  readonly waits: readonly { readonly by: string | null; readonly ms: number }[];
  readonly isOpen: boolean;
  /** 0 to 100. */
  readonly xOf: (at: number) => number;
}

export interface TimelineParts {
  readonly attempts: readonly AttemptRow[];
  readonly interactions: readonly Interaction[];
  readonly labelOf: (of: { readonly chain: string; readonly node: string }) => string;
  readonly now: number;
}

const longMs = 30 * 60_000;
/** A long pause is drawn with this share of the whole. */
const pauseShare = 0.07;

export function timelineOf({ attempts, interactions, labelOf, now }: TimelineParts): TimelineData | null {
  const bars = [
    ...attempts.map((row) => ({ key: labelOf(row), bar: attemptBar(row, now) })),
    ...interactions.map((one) => ({ key: keyOf(one, labelOf), bar: waitBar(one, now) })),
  ].sort((a, b) => a.bar.from - b.bar.from);
  if (bars.length === 0) return null;
  const rows = new Map<string, Bar[]>();
  for (const { key, bar } of bars) rows.set(key, [...(rows.get(key) ?? []), bar]);
  const all = bars.map(({ bar }) => bar);
  const work = union(all.filter(({ what }) => what.kind === 'attempt'));
  const from = Math.min(...all.map((bar) => bar.from));
  const to = Math.max(...all.map((bar) => bar.to));
  return {
    rows: [...rows].map(([key, own]) => ({ key, label: key, bars: own })),
    rounds: interactions.flatMap((interaction) => {
      const { kind, answer } = interaction;
      return kind === 'review' && answer !== null && answer.option !== 'approve'
        ? [{ at: answer.at, interaction }]
        : [];
    }),
    ...{ from, to },
    workMs: lengthOf(work),
    waits: waitsOf(all, work),
    isOpen: all.some(isOpenBar),
    xOf: scaleOf(work, from, to),
  };
}

const askedFor: Readonly<Record<Interaction['kind'], string>> = {
  review: 'Review',
  question: 'Question',
  escalation: 'Help',
  confirm: 'Go-ahead',
  choice: 'Choice',
  permission: 'Permission',
  budget: 'Budget',
};

function keyOf({ chain, node, kind }: Interaction, labelOf: TimelineParts['labelOf']): string {
  return node === null ? `${chain} ${askedFor[kind]}`.trim() : labelOf({ chain, node });
}

function attemptBar(row: AttemptRow, now: number): Bar {
  const from = startOf(row.attempt);
  return { from, to: Math.max(from, row.attempt.endedAt ?? now), what: { kind: 'attempt', row } };
}

function waitBar(interaction: Interaction, now: number): Bar {
  const { openedAt: from, answer, state } = interaction;
  const end = answer?.at ?? (state === 'open' ? now : from);
  return { from, to: Math.max(from, end), what: { kind: 'wait', interaction } };
}

export function startOf({ startedAt, dispatchedAt }: Attempt): number {
  return startedAt ?? dispatchedAt;
}

function isOpenBar({ what }: Bar): boolean {
  return what.kind === 'attempt' ? what.row.attempt.endedAt === null : what.interaction.state === 'open';
}

/** Overlapping questions count once, for the first. */
function waitsOf(bars: readonly Bar[], work: readonly Span[]): TimelineData['waits'] {
  const sums = new Map<string | null, number>();
  let counted: readonly Span[] = work;
  for (const bar of bars) {
    if (bar.what.kind !== 'wait') continue;
    const before = lengthOf(counted);
    counted = union([...counted, bar]);
    const { answer, state } = bar.what.interaction;
    const by = answer === null && state === 'open' ? null : (answer?.by ?? '');
    sums.set(by, (sums.get(by) ?? 0) + lengthOf(counted) - before);
  }
  return [...sums].map(([by, ms]) => ({ by, ms })).sort((a, b) => b.ms - a.ms);
}

/** The inverse of `xOf`. */
export function timeAt({ from, to, xOf }: Pick<TimelineData, 'from' | 'to' | 'xOf'>, x: number): number {
  let [low, high] = [from, to];
  while (high - low > 500) {
    const middle = (low + high) / 2;
    if (xOf(middle) < x) low = middle;
    else high = middle;
  }
  return high;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function union(spans: readonly Span[]): readonly Span[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Proportional, except pauses over half an hour, which would squeeze the work. */
function scaleOf(work: readonly Span[], from: number, to: number): (at: number) => number {
  const edges = [from, ...work.flatMap((span) => [span.from, span.to]), to];
  const spans = edges.slice(1).map((end, index) => ({ from: edges[index] ?? from, to: end }));
  const isLong = ({ from: a, to: b }: Span) => b - a > longMs && !work.some((span) => span.from === a && span.to === b);
  const long = spans.filter(isLong).length;
  const rest = Math.max(1, lengthOf(spans.filter((span) => !isLong(span))));
  const pause = long === 0 ? 0 : Math.min(pauseShare, 0.8 / long);
  const widthOf = (span: Span) => (isLong(span) ? pause : ((1 - pause * long) * (span.to - span.from)) / rest) * 100;
  return (at) => {
    let x = 0;
    for (const span of spans) {
      if (at >= span.to) x += widthOf(span);
      else if (at > span.from) return x + (widthOf(span) * (at - span.from)) / (span.to - span.from);
      else break;
    }
    return Math.min(100, x);
  };
}

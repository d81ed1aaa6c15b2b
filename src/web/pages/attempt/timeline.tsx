// Attempts on a time scale, with duration, outcome and cost.

import type { Attempt } from '../../../engine/index.js';
import type { AttemptRow } from '../../../store/index.js';
import { attemptPath } from '../shared/paths.js';
import { Badge, outcomeSaid, Since } from '../shared/status.js';
import { dotted, durationOf, lineOf, moneyOf, tokensOf } from '../shared/text.js';

interface TimelineProps {
  readonly rows: readonly AttemptRow[];
  readonly stepOf: (row: AttemptRow) => string;
  readonly now: number;
}

export function Timeline({ rows, stepOf, now }: TimelineProps) {
  const times = rows.flatMap(({ attempt }) => [startOf(attempt), attempt.endedAt ?? now]);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  return (
    <ol class="panel timeline">
      {rows.map((row) => (
        <Row row={row} step={stepOf(row)} scale={{ from, to }} now={now} />
      ))}
    </ol>
  );
}

interface Scale {
  readonly from: number;
  readonly to: number;
}

function Row({ row, step, scale, now }: { row: AttemptRow; step: string; scale: Scale; now: number }) {
  const { attempt } = row;
  const said = saidOf(attempt);
  const cost = dotted([
    attempt.isUnpriced ? 'cost unknown' : attempt.costUsd ? moneyOf(attempt.costUsd) : '',
    (attempt.tokensOut ?? 0) > 0 ? `${tokensOf((attempt.tokensIn ?? 0) + (attempt.tokensOut ?? 0))} tokens` : '',
  ]);
  return (
    <li>
      <div class="row">
        <a href={attemptPath(row.run, attempt.id)}>{step}</a>
        <span class="soft num">attempt {attempt.number}</span>
        <Badge {...said} />
      </div>
      <span class="end soft num">
        {attempt.endedAt === null && attempt.startedAt !== null ? (
          <Since at={attempt.startedAt} now={now} />
        ) : (
          durationOf(attempt.durationMs)
        )}
        {cost === '' ? '' : ` · ${cost}`}
      </span>
      <Span attempt={attempt} scale={scale} tone={said.tone} now={now} />
    </li>
  );
}

export function saidOf(attempt: Attempt) {
  if (attempt.outcome !== null) {
    const said = outcomeSaid(attempt.outcome);
    const reason =
      attempt.reason === null || attempt.outcome === 'pass'
        ? ''
        : `: ${lineOf(attempt.reason.replaceAll('_', ' '), 40)}`;
    return { tone: said.tone, word: `${said.word}${reason}` };
  }
  return attempt.state === 'queued'
    ? ({ tone: 'quiet', word: 'queued', mark: 'queue' } as const)
    : ({ tone: 'run', word: 'working' } as const);
}

function Span({ attempt, scale, tone, now }: { attempt: Attempt; scale: Scale; tone: string; now: number }) {
  const whole = Math.max(1, scale.to - scale.from);
  const x = (100 * (startOf(attempt) - scale.from)) / whole;
  const width = Math.max(0.8, (100 * ((attempt.endedAt ?? now) - startOf(attempt))) / whole);
  return (
    <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" class={tone}>
      <rect class="track" x="0" y="1.5" width="100" height="1" />
      <rect class="span" x={Math.min(99.2, x).toFixed(2)} y="0" width={width.toFixed(2)} height="4" rx="0.6" />
    </svg>
  );
}

function startOf({ startedAt, dispatchedAt }: Attempt): number {
  return startedAt ?? dispatchedAt;
}

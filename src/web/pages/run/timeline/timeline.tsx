import { personName } from '../../../../bot/index.js';
import { nameInConfig } from '../../../../config/index.js';
import type { Interaction } from '../../../../engine/index.js';
import type { WebContext } from '../../../context/web-context.js';
import { saidOf } from '../../attempt/attempt-said.js';
import { attemptPath } from '../../shared/paths.js';
import { Mark } from '../../shared/status.js';
import { clockOf, dotted, durationOf, lineOf, moneyOf, spanOf } from '../../shared/text.js';
import { mayAnswer } from '../../shared/work-state.js';
import { type Bar, type TimelineData, type TimelineRow, timeAt } from './timeline-data.js';

interface TimelineProps {
  readonly web: WebContext;
  readonly project: string;
  readonly data: TimelineData;
}

const maxRows = 60;
const maxTries = 12;

export function Timeline({ web, project, data }: TimelineProps) {
  const { rows, rounds, from, to, workMs, waits } = data;
  return (
    <div class="panel timeline">
      <Scale data={data} zone={web.zone} />
      <ol>
        {rows.slice(0, maxRows).map((row) => (
          <Row web={web} project={project} row={row} data={data} />
        ))}
      </ol>
      {rounds.map(({ at, interaction: { answer } }, index) => (
        <p class="round" dir="auto">
          <strong>
            Round {index + 2}, {clockOf(at, web.zone)}
          </strong>{' '}
          {nameOf(answer?.by ?? '')}: {lineOf(answer?.text ?? answer?.option ?? '', 200)}
        </p>
      ))}
      <p class="sum soft num">
        <strong>{spanOf(to - from)}</strong> in all:{' '}
        {dotted([
          `${spanOf(workMs)} of work`,
          ...waits
            .filter(({ ms }) => ms >= 1_000)
            .slice(0, maxWaits)
            .map(
              ({ by, ms }) =>
                `${spanOf(ms)} ${by === null ? 'not answered yet' : `waiting for ${nameOf(by) || 'people'}`}`,
            ),
        ])}
      </p>
    </div>
  );
}

const maxWaits = 4;
const nameOf = (by: string) => (by === '' ? '' : lineOf(personName(nameInConfig(by)), 40));

const tickedMs = 4 * 60_000;

/** A long run also shows times in between. */
function Scale({ data, zone }: { readonly data: TimelineData; readonly zone: string | null }) {
  const { from, to, isOpen } = data;
  const isSameDay = dayOf(from, zone) === dayOf(to, zone);
  const stamp = (at: number) => `${isSameDay ? '' : `${dayOf(at, zone)} `}${clockOf(at, zone)}`;
  const between = to - from < tickedMs ? [] : isSameDay ? [25, 50, 75] : [50];
  return (
    <svg class="scale" height="18" aria-hidden="true">
      <text x="0" y="12">
        {stamp(from)}
      </text>
      {between.map((x) => (
        <text x={percent(x)} y="12" text-anchor="middle">
          {stamp(timeAt(data, x))}
        </text>
      ))}
      <text x="100%" y="12" text-anchor="end" class={isOpen ? 'now' : undefined}>
        {isOpen ? 'now' : stamp(to)}
      </text>
    </svg>
  );
}

interface RowProps extends TimelineProps {
  readonly row: TimelineRow;
}

function Row({ web, project, row, data }: RowProps) {
  const tries = row.bars.flatMap(({ what }) => (what.kind === 'attempt' ? [what.row] : []));
  const spent = tries.reduce((sum, { attempt }) => sum + (attempt.costUsd ?? 0), 0);
  return (
    <li>
      <div class="row">
        <span class="label">{lineOf(row.label, 80)}</span>
        <span class="tries">
          {tries.slice(-maxTries).map(({ run, attempt }, index) => {
            const said = saidOf(attempt);
            const number = Math.max(0, tries.length - maxTries) + index + 1;
            return (
              <a
                href={attemptPath(run, attempt.id)}
                class={said.tone}
                title={`${said.word}, ${durationOf(attempt.durationMs)}`}
              >
                <span class="hidden">{lineOf(row.label, 60)}, attempt </span>
                {number} <Mark {...said} />
              </a>
            );
          })}
        </span>
        {spent === 0 ? null : <span class="soft num">{moneyOf(spent)}</span>}
      </div>
      <svg class="bars" height="16" role="img" aria-label={row.bars.map((bar) => spoken(bar, web.zone)).join('; ')}>
        {data.rounds.map(({ at }) => (
          <line class="round-line" x1={percent(data.xOf(at))} x2={percent(data.xOf(at))} y1="0" y2="16" />
        ))}
        {row.bars.map((bar) => (
          <BarShape web={web} project={project} bar={bar} data={data} />
        ))}
      </svg>
    </li>
  );
}

function BarShape({ web, project, bar, data }: TimelineProps & { readonly bar: Bar }) {
  const x = data.xOf(bar.from);
  const end = data.xOf(bar.to);
  const { what } = bar;
  const tone = what.kind === 'attempt' ? saidOf(what.row.attempt).tone : waitTone(web, project, what.interaction);
  const answer = what.kind === 'wait' ? what.interaction.answer : null;
  return (
    <g class={`${tone} ${what.kind}`}>
      <title>{spoken(bar, web.zone)}</title>
      <rect
        x={percent(Math.min(99.2, x))}
        y="3"
        width={percent(Math.max(0.8, end - x))}
        height="10"
        rx="2"
        fill={what.kind === 'wait' ? `url(#hatch-${tone})` : undefined}
      />
      {answer === null ? null : (
        <>
          <circle cx={percent(Math.min(99, end))} cy="8" r="7" />
          <text x={percent(Math.min(99, end))} y="11.5" text-anchor="middle">
            {[...nameOf(answer.by)][0]}
          </text>
        </>
      )}
    </g>
  );
}

function waitTone(web: WebContext, project: string, interaction: Interaction): 'wait' | 'other' {
  return mayAnswer(web, project, interaction) ? 'wait' : 'other';
}

function spoken({ from, to, what }: Bar, zone: string | null): string {
  const times = `${clockOf(from, zone)} to ${clockOf(to, zone)}, ${spanOf(to - from)}`;
  if (what.kind === 'attempt') return `attempt ${what.row.attempt.number} ${saidOf(what.row.attempt).word}, ${times}`;
  const { answer, kind } = what.interaction;
  return `waiting for a person: ${kind}, ${times}${answer === null ? '' : `, ${answer.option} by ${nameOf(answer.by)}`}`;
}

function percent(x: number): string {
  return `${x.toFixed(2)}%`;
}

function dayOf(at: number, zone: string | null): string {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: zone ?? undefined }).format(at);
}

// Two attempts of one step beside each other: outcome, time, cost, tests, files and words.
import type { Child } from 'hono/jsx';
import type { Attempt } from '../../../engine/index.js';
import { attemptPath } from '../shared/paths.js';
import { Badge } from '../shared/status.js';
import { countOf, durationOf, lineOf, moneyOf, tokensOf } from '../shared/text.js';
import { saidOf } from './attempt-said.js';
import type { Compared, ComparedSide } from './attempt-shown.js';

interface Row {
  readonly name: string;
  readonly of: (side: ComparedSide) => Child;
  /** Of the second against the first; '' says nothing. */
  readonly change?: (one: Attempt, other: Attempt) => string;
}

export function Comparison({ run, compared }: { readonly run: string; readonly compared: Compared }) {
  const { first, sides } = compared;
  const [one, other] = sides;
  return (
    <section class="panel scroll compared" tabindex={0} aria-label="Two attempts beside each other">
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">Fact</span>
            </th>
            {sides.map(({ attempt }, index) => (
              <th scope="col">
                <a href={attemptPath(run, attempt.id)}>attempt {first + index + 1}</a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, of, change }) => {
            const changed = one && other && change ? change(one.attempt, other.attempt) : '';
            return (
              <tr>
                <th scope="row">{name}</th>
                {sides.map((side) => (
                  <td dir="auto">
                    {of(side)} {side === other && changed !== '' ? <span class="soft">{changed}</span> : null}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

const rows: readonly Row[] = [
  { name: 'Outcome', of: ({ attempt }) => <Badge {...saidOf(attempt)} /> },
  {
    name: 'Took',
    of: ({ attempt: { durationMs } }) => durationOf(durationMs),
    change: (one, other) => differenceOf(other.durationMs - one.durationMs, durationOf),
  },
  {
    name: 'Cost',
    of: ({ attempt: { costUsd, isUnpriced } }) =>
      isUnpriced ? 'unknown' : costUsd === null ? 'none' : moneyOf(costUsd),
    change: (one, other) =>
      one.costUsd === null || other.costUsd === null || one.isUnpriced || other.isUnpriced
        ? ''
        : differenceOf(other.costUsd - one.costUsd, moneyOf),
  },
  {
    name: 'Tokens',
    of: ({ attempt: { tokensIn, tokensOut } }) => (tokensOut === null ? 'none' : tokensOf((tokensIn ?? 0) + tokensOut)),
  },
  { name: 'Agent', of: ({ attempt: { program, executor } }) => lineOf(program ?? executor ?? 'none', 80) },
  {
    name: 'Tests',
    of: ({ attempt: { tests } }) => (tests === null ? 'not measured' : `${tests.pass} passed, ${tests.fail} failed`),
  },
  {
    name: 'Checks',
    of: ({ attempt: { checks } }) =>
      checks.map(({ name, ok }) => `${lineOf(name, 40)} ${ok ? 'ok' : 'failed'}`).join(', ') || 'none',
  },
  {
    name: 'Changes',
    of: ({ attempt: { diffStat } }) =>
      diffStat === null
        ? 'not measured'
        : `${countOf(diffStat.files, 'file')} +${diffStat.insertions} −${diffStat.deletions}`,
  },
  { name: 'Files', of: ({ attempt }) => <Files of={attempt} /> },
  {
    name: 'Words from people',
    of: ({ attempt: { notes } }) => notes.map(({ text }) => `“${lineOf(text, 200)}”`).join(' ') || 'none',
  },
  {
    name: 'Report',
    of: ({ attempt: { summary, reason } }) => lineOf(summary ?? reason?.replaceAll('_', ' ') ?? 'none', 400),
  },
  { name: 'Last words', of: ({ lastWords }) => lineOf(lastWords, 400) || 'none' },
];

const maxFiles = 30;

function Files({ of: { filesChanged } }: { readonly of: Attempt }) {
  if (filesChanged.length === 0) return <>none</>;
  const rest = filesChanged.length - maxFiles;
  return (
    <ul>
      {filesChanged.slice(0, maxFiles).map((file) => (
        <li class="mono">{lineOf(file, 120)}</li>
      ))}
      {rest > 0 ? <li class="soft">and {rest} more</li> : null}
    </ul>
  );
}

/** `+1 min 2 s`, `−$0.10`; '' if both are the same. */
function differenceOf(difference: number, worded: (size: number) => string): string {
  if (difference === 0) return '';
  return `${difference > 0 ? '+' : '−'}${worded(Math.abs(difference))}`;
}

// Filters as links: set ones with a removal, possible ones with counts.
import { personName } from '../../../bot/index.js';
import { nameInConfig } from '../../../config/index.js';
import type { Run } from '../../../engine/index.js';
import { Icon } from '../shared/icons.js';
import { runStatuses } from '../shared/status.js';
import { countOf, lineOf, moneyOf } from '../shared/text.js';
import { type HistoryQuery, historyLink } from './history-query.js';

type Filter = 'project' | 'status' | 'by' | 'workflow';
type SetFilter = Filter | 'agent' | 'cost' | 'since';

const labels: Readonly<Record<SetFilter, string>> = {
  project: 'Project',
  status: 'State',
  by: 'Asked by',
  workflow: 'Workflow',
  agent: 'Agent',
  cost: 'Cost',
  since: 'Since',
};

const spans: Readonly<Record<string, string>> = {
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
};
const units: Readonly<Record<string, string>> = { h: 'hour', d: 'day', w: 'week' };

function sinceWords(since: string): string {
  const [, count = '', unit = ''] = /^(\d+)([hdw])$/.exec(since) ?? [];
  return spans[since] ?? (unit === '' ? since : `the last ${countOf(Number(count), units[unit] ?? '')}`);
}

function costWords(cost: string): string {
  return `${cost.startsWith('>') ? 'more' : 'less'} than ${moneyOf(Number(cost.slice(1)))}`;
}

function wordsOf(filter: SetFilter, value: string): string {
  if (filter === 'status') return Object.entries(runStatuses).find(([one]) => one === value)?.[1] ?? value;
  if (filter === 'since') return sinceWords(value);
  if (filter === 'cost') return costWords(value);
  return lineOf(filter === 'by' ? personName(nameInConfig(value)) : value, 40);
}

interface TokensProps {
  readonly query: HistoryQuery;
  /** The page has more filters to choose from. */
  readonly hasMore: boolean;
}

export function Tokens({ query, hasMore }: TokensProps) {
  const filters: readonly SetFilter[] = ['project', 'status', 'by', 'workflow', 'agent', 'cost', 'since'];
  return (
    <ul class="row tokens" aria-label="Filters">
      {filters
        .filter((filter) => query[filter] !== '')
        .map((filter) => (
          <li>
            <a class="token" href={historyLink(query, { [filter]: '' })}>
              <span class="soft">{labels[filter].toLowerCase()}</span> {wordsOf(filter, query[filter])}{' '}
              <Icon name="x" />
              <span class="hidden">: remove this filter</span>
            </a>
          </li>
        ))}
      {hasMore ? (
        <li class="phone-only">
          <a class="token add" href="#narrow">
            <Icon name="plus" /> Filter
          </a>
        </li>
      ) : null}
    </ul>
  );
}

const maxValues = 8;
/** The address takes no longer ones. */
const maxValueChars = 200;

interface NarrowDownProps {
  readonly query: HistoryQuery;
  readonly runs: readonly Run[];
  readonly statusOf: (run: Run) => Run['status'];
}

export function NarrowDown({ query, runs, statusOf }: NarrowDownProps) {
  const groups: readonly (readonly [Filter, readonly string[]])[] = [
    ['status', runs.map(statusOf)],
    ['project', runs.map(({ project }) => project)],
    ['by', runs.map(({ createdBy }) => createdBy)],
    ['workflow', runs.map(({ workflow }) => workflow)],
  ];
  return (
    <section id="narrow" data-live aria-labelledby="narrow-title" tabindex={-1}>
      <h2 id="narrow-title">Narrow down</h2>
      <div class="panel">
        {groups.map(([filter, values]) => (
          <Values filter={filter} query={query} counts={countsOf(values)} />
        ))}
        {query.since === '' ? (
          <div>
            <h3>Since</h3>
            <ul>
              {Object.entries(spans).map(([since, words]) => (
                <li>
                  <a href={historyLink(query, { since })}>{words}</a>
                </li>
              ))}
            </ul>
          </div>
        ) : null}
      </div>
    </section>
  );
}

function countsOf(values: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value.length <= maxValueChars) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, maxValues);
}

interface ValuesProps {
  readonly filter: Filter;
  readonly query: HistoryQuery;
  readonly counts: ReturnType<typeof countsOf>;
}

function Values({ filter, query, counts }: ValuesProps) {
  // One value narrows nothing.
  if (query[filter] !== '' || counts.length < 2) return null;
  return (
    <div>
      <h3>{labels[filter]}</h3>
      <ul>
        {counts.map(([value, count]) => (
          <li>
            <a href={historyLink(query, { [filter]: value })}>
              {wordsOf(filter, value)} <span class="soft num">{count}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

// All runs, newest first: searched by words, filtered by project and state.
import type { WebContext } from '../context/web-context.js';
import { RunRows } from './run/run-rows.js';
import { runStatuses } from './shared/status.js';
import { lineOf } from './shared/text.js';

export interface HistoryQuery {
  readonly q: string;
  readonly project: string;
  readonly status: string;
  readonly before: number | null;
}

const pageSize = 40;

export function History({ web, query }: { readonly web: WebContext; readonly query: HistoryQuery }) {
  const { services } = web;
  const { browsing } = services.runtime.reader;
  const status = Object.hasOwn(runStatuses, query.status) ? query.status : null;
  const project = query.project === '' ? null : query.project;
  const filter = { project, status, before: query.before, limit: pageSize };
  const words = query.q.trim();
  const { runs, next } = words === '' ? newest(browsing, filter) : browsing.searchRuns({ ...filter, words });
  const names = services.config().projects.map(({ name }) => name);
  const link = (more: Partial<Record<'project' | 'status' | 'before', string>>) => {
    const all = { q: words, project: query.project, status: query.status, ...more };
    return `/history?${new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ''))}`;
  };
  return (
    <>
      <h1>History</h1>
      <form class="panel filters" method="get" action="/history">
        <label for="filter-words" class="wide">
          Search
          <input
            id="filter-words"
            type="search"
            name="q"
            maxlength={100}
            value={lineOf(words, 100)}
            placeholder="Tasks, people, questions, answers"
            data-first
          />
        </label>
        <label for="filter-project">
          Project
          <select id="filter-project" name="project" data-submits>
            <option value="">All</option>
            {names.map((name) => (
              <option value={lineOf(name, 200)} selected={name === query.project}>
                {lineOf(name, 60)}
              </option>
            ))}
          </select>
        </label>
        <label for="filter-status">
          State
          <select id="filter-status" name="status" data-submits>
            <option value="">All</option>
            {Object.entries(runStatuses).map(([one, label]) => (
              <option value={one} selected={one === status}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">Search</button>
      </form>
      <section id="runs" data-live aria-label="Runs">
        {words !== '' && runs.length === 0 ? (
          <p class="panel empty">
            {next === null ? 'Nothing found' : `Nothing found down to r${next}`} for “{lineOf(words, 100)}”.
          </p>
        ) : (
          <RunRows web={web} runs={runs} withProject words={words} />
        )}
        {next === null ? null : (
          <p class="more">
            <a href={link({ before: String(next) })}>{words === '' ? 'Older' : 'Search older runs'}</a>
          </p>
        )}
      </section>
    </>
  );
}

type Browsing = WebContext['services']['runtime']['reader']['browsing'];

function newest(browsing: Browsing, filter: Parameters<Browsing['runs']>[0]) {
  const found = browsing.runs({ ...filter, limit: filter.limit + 1 });
  const runs = found.slice(0, filter.limit);
  return { runs, next: found.length > runs.length ? (runs.at(-1)?.number ?? null) : null };
}

// All runs, newest first, filtered by project and status.
import type { WebContext } from '../context/web-context.js';
import { RunRows } from './run/run-rows.js';
import { runStatuses } from './shared/status.js';
import { lineOf } from './shared/text.js';

export interface HistoryQuery {
  readonly project: string;
  readonly status: string;
  readonly before: number | null;
}

const pageSize = 40;

export function History({ web, query }: { readonly web: WebContext; readonly query: HistoryQuery }) {
  const { services } = web;
  const status = Object.hasOwn(runStatuses, query.status) ? query.status : null;
  const project = query.project === '' ? null : query.project;
  const filter = { project, status, before: query.before };
  const found = services.runtime.reader.browsing.runs({ ...filter, limit: pageSize + 1 });
  const shown = found.slice(0, pageSize);
  const rest = new URLSearchParams({
    project: query.project,
    status: query.status,
    before: String(shown.at(-1)?.number ?? 0),
  });
  return (
    <>
      <h1>History</h1>
      <form class="panel filters" method="get" action="/history">
        <label for="filter-project">
          Project
          <select id="filter-project" name="project" data-first>
            <option value="">All</option>
            {services.config().projects.map(({ name }) => (
              <option value={lineOf(name, 200)} selected={name === query.project}>
                {lineOf(name, 60)}
              </option>
            ))}
          </select>
        </label>
        <label for="filter-status">
          Status
          <select id="filter-status" name="status">
            <option value="">All</option>
            {Object.entries(runStatuses).map(([one, label]) => (
              <option value={one} selected={one === status}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">Filter</button>
      </form>
      <section id="runs" data-live aria-label="Runs">
        <RunRows web={web} runs={shown} withProject />
        {found.length > shown.length ? (
          <p class="more">
            <a href={`/history?${rest}`}>Older</a>
          </p>
        ) : null}
      </section>
    </>
  );
}

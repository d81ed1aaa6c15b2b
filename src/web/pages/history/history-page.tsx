import { projectNamed } from '../../../config/index.js';
import type { Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { RunRows } from '../run/run-rows.js';
import { countOf, dayOrMonthOf, dotted, lineOf, moneyOf } from '../shared/text.js';
import { type FoundElsewhere, FoundList } from './found-elsewhere.js';
import { costOf, type HistoryQuery, historyLink, sinceOf } from './history-query.js';
import { NarrowDown, Tokens } from './narrow-down.js';

const pageSize = 40;
const maxFound = 60;

interface HistoryProps {
  readonly web: WebContext;
  readonly query: HistoryQuery;
  /** A sentence for each typed filter that is none. */
  readonly problems: readonly string[];
  /** Null: shows runs. */
  readonly elsewhere: FoundElsewhere | null;
}

export function History({ web, query, problems, elsewhere }: HistoryProps) {
  return (
    <>
      <h1>History</h1>
      <SearchForm query={query} />
      <Problems problems={problems} />
      {elsewhere === null ? (
        <FoundRuns web={web} query={query} />
      ) : (
        <>
          <Kinds query={query} count={countedAs(elsewhere.hits.length, elsewhere.next !== null)} />
          <div id="filters">
            <Tokens query={query} hasMore={false} />
            {isNarrowed({ ...query, project: '' }) ? (
              <p class="soft">Only the project narrows what is found here; the other filters are for runs.</p>
            ) : null}
          </div>
          <div class="columns narrowed">
            <FoundList web={web} query={query} found={elsewhere} />
            <div class="facets">
              <Saved />
            </div>
          </div>
        </>
      )}
    </>
  );
}

const kinds: Readonly<Record<HistoryQuery['in'], string>> = {
  '': 'Runs',
  messages: 'Messages',
  commits: 'Commits',
  logs: 'Logs',
};

/** `40+`: there are more further back. */
const countedAs = (count: number, isMore: boolean) => `${count}${isMore ? '+' : ''}`;

/** The page's script counts the other kinds, one after the other. */
function Kinds({ query, count }: { readonly query: HistoryQuery; readonly count: string }) {
  if (query.q.trim() === '') return null;
  return (
    <nav class="seg kinds" aria-label="Search in">
      {Object.entries(kinds).map(([kind, label]) => (
        <a
          href={historyLink(query, { in: kind as HistoryQuery['in'] })}
          aria-current={query.in === kind ? 'page' : undefined}
        >
          {label} {query.in === kind ? <b class="num">{count}</b> : <b class="num" data-count></b>}
        </a>
      ))}
    </nav>
  );
}

const examples = ['by:ada', 'project:shop', 'state:failed', 'agent:codex', 'cost:>1', 'since:7d'];

function SearchForm({ query }: { readonly query: HistoryQuery }) {
  return (
    <>
      <form class="row search-runs" method="get" action="/history">
        {Object.entries({ ...query, q: '', before: null }).map(([name, value]) =>
          value === '' || value === null ? null : (
            <input type="hidden" name={name} value={lineOf(String(value), 200)} />
          ),
        )}
        <input
          type="search"
          name="q"
          maxlength={200}
          value={lineOf(query.q.trim(), 200)}
          aria-label="Search"
          placeholder="Tasks, people, answers"
          data-first
        />
        <button type="submit">Search</button>
      </form>
      <p class="soft hint wide-only">
        or write{' '}
        {examples.map((example) => (
          <>
            <code>{example}</code>{' '}
          </>
        ))}
      </p>
    </>
  );
}

function Problems({ problems }: Pick<HistoryProps, 'problems'>) {
  if (problems.length === 0) return null;
  return (
    <div class="notice wait" role="status">
      {problems.map((problem) => (
        <p>{problem}. It was looked for as words.</p>
      ))}
    </div>
  );
}

const isNarrowed = ({ project, status, by, workflow, agent, cost, since }: HistoryQuery) =>
  [project, status, by, workflow, agent, cost, since].some((one) => one !== '');

function FoundRuns({ web, query }: Pick<HistoryProps, 'web' | 'query'>) {
  const words = query.q.trim();
  const filter = {
    words,
    project: query.project === '' ? null : (projectNamed(web.services.config(), query.project)?.name ?? query.project),
    status: query.status || null,
    by: query.by || null,
    workflow: query.workflow || null,
    agent: query.agent || null,
    ...costOf(query),
    since: sinceOf(query, web.now(), web.zone),
  };
  const { runs: found, next: beyond } = shownRuns(web, { ...filter, before: query.before, limit: maxFound });
  const runs = found.slice(0, pageSize);
  const next = found.length > runs.length ? (runs.at(-1)?.number ?? null) : beyond;
  const isFiltered = words !== '' || isNarrowed(query);
  return (
    <>
      <Kinds query={query} count={countedAs(found.length, beyond !== null)} />
      <div id="filters" data-live class="headline">
        <Tokens query={query} hasMore />
        <p class="soft num">{sumOf(web, found, beyond !== null)}</p>
      </div>
      <div class="columns narrowed">
        <section id="runs" data-live aria-label="Runs">
          {isFiltered && runs.length === 0 ? (
            <p class="panel empty">
              {next === null ? 'Nothing found' : `Nothing found down to r${next}`}
              {words === '' ? '' : ` for “${lineOf(words, 100)}”`}.
            </p>
          ) : (
            <ByDay web={web} runs={runs} words={words} />
          )}
          {next === null ? null : (
            <p class="more">
              <a href={historyLink(query, { before: next })}>{isFiltered ? 'Search older runs' : 'Older'}</a>
            </p>
          )}
        </section>
        <div class="facets">
          <NarrowDown query={query} runs={found} statusOf={(run) => shownStatus(web, run)} />
          <Saved />
        </div>
      </div>
    </>
  );
}

type Browsing = WebContext['services']['runtime']['reader']['browsing'];

/** A run with an open failure is shown as failed, although it waits. */
function shownStatus({ services }: WebContext, { id, status }: Run): Run['status'] {
  const isStuck = status === 'paused' && services.runtime.reader.browsing.oldestOpen(id)?.kind === 'escalation';
  return isStuck ? 'failed' : status;
}

function shownRuns(web: WebContext, filter: Parameters<Browsing['searchRuns']>[0]) {
  const { browsing } = web.services.runtime.reader;
  const { status } = filter;
  const kept = status === 'failed' ? ['failed', 'paused'] : [status];
  const read = kept.map((one) => runsOf(browsing, { ...filter, status: one }));
  // Runs below the end of either reading come with the next page.
  const next = Math.max(0, ...read.map((one) => one.next ?? 0));
  const runs = read
    .flatMap((one) => one.runs)
    .filter((run) => run.number >= next && (status === null || shownStatus(web, run) === status))
    .sort((one, other) => other.number - one.number);
  return { runs, next: next === 0 ? null : next };
}

function runsOf(browsing: Browsing, filter: Parameters<Browsing['searchRuns']>[0]) {
  const { words, by, workflow, agent, minUsd, maxUsd, since, limit } = filter;
  const isSearch = words !== '' || [by, workflow, agent, minUsd, maxUsd, since].some((one) => one !== null);
  if (isSearch) return browsing.searchRuns(filter);
  const found = browsing.runs({ ...filter, limit: limit + 1 });
  const runs = found.slice(0, limit);
  return { runs, next: found.length > runs.length ? (runs.at(-1)?.number ?? null) : null };
}

function sumOf(web: WebContext, runs: readonly Run[], isMore: boolean): string {
  if (runs.length === 0) return '';
  const count = (status: Run['status']) => runs.filter((run) => shownStatus(web, run) === status).length;
  const usd = runs.reduce((sum, { costUsd }) => sum + costUsd, 0);
  return dotted([
    isMore ? `newest ${runs.length} runs` : countOf(runs.length, 'run'),
    `${count('completed')} done`,
    count('failed') === 0 ? '' : `${count('failed')} failed`,
    usd > 0 ? moneyOf(usd) : '',
  ]);
}

/** The page's script keeps them in this browser. */
function Saved() {
  return (
    <section id="saved" aria-labelledby="saved-title" hidden>
      <h2 id="saved-title">Saved searches</h2>
      <div class="panel">
        <ul></ul>
        <form class="row tight">
          <label for="saved-name">
            <span class="hidden">Name of this search</span>
            <input id="saved-name" name="name" maxlength={40} placeholder="Name" required />
          </label>
          <button type="submit">Save</button>
        </form>
      </div>
    </section>
  );
}

interface ByDayProps {
  readonly web: WebContext;
  readonly runs: readonly Run[];
  readonly words: string;
}

function ByDay({ web, runs, words }: ByDayProps) {
  if (runs.length === 0) return <RunRows web={web} runs={runs} withProject words={words} />;
  const days = new Map<string, Run[]>();
  for (const run of runs) {
    const day = dayOrMonthOf(run.startedAt ?? run.createdAt, web.now(), web.zone);
    days.set(day, [...(days.get(day) ?? []), run]);
  }
  return (
    <>
      {[...days].map(([day, own]) => (
        <>
          <h2 class="day">{day}</h2>
          <RunRows web={web} runs={own} withProject words={words} />
        </>
      ))}
    </>
  );
}

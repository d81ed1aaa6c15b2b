// Words in messages, commits and logs. Each search reads a bounded part, and the page names it.

import { recentCommits, runOfTrailer } from '../../../dispatch/index.js';
import { inSlot, type WebContext } from '../../context/web-context.js';
import { logPlaceOf } from '../../http/attempt-record.js';
import { readLogPart, tailBytes } from '../attempt/log-file.js';
import { messageText } from '../cards/card-words.js';
import { Marked } from '../run/run-rows.js';
import { attemptPath, projectPath } from '../shared/paths.js';
import { Ago } from '../shared/status.js';
import { lineOf } from '../shared/text.js';
import { type HistoryQuery, historyLink } from './history-query.js';

const maxShown = 40;
const maxProjects = 12;
const commitsLooked = 1_000;
const runsLooked = 30;
const attemptsLooked = 3;
const maxOfLog = 3;

interface Hit {
  readonly key: string;
  readonly text: string;
  readonly href: string;
  readonly where: readonly string[];
  readonly at: number | null;
}

export interface FoundElsewhere {
  readonly hits: readonly Hit[];
  /** The searched part, in words. */
  readonly bound: string;
  /** The cursor of the next page; null: this is the last. */
  readonly next: number | null;
}

/** Null: the page shows runs. */
export async function foundElsewhere(web: WebContext, query: HistoryQuery): Promise<FoundElsewhere | null> {
  if (query.in === '' || query.q.trim() === '') return null;
  switch (query.in) {
    case 'messages':
      return messagesFound(web, query);
    case 'commits':
      return inSlot(web, () => commitsFound(web, query));
    case 'logs':
      return inSlot(web, () => logsFound(web, query));
  }
}

function messagesFound({ services, zone }: WebContext, { q, project, before }: HistoryQuery): FoundElsewhere {
  const { reader } = services.runtime;
  const filter = { words: q, project: project || null, before, limit: maxShown };
  const { messages, next } = reader.browsing.messagesWith(filter);
  const hits = new Map<string, Hit>();
  for (const { id, run, thread, interaction, card, at, view } of messages) {
    // A card is found once, in its newest form.
    const key = interaction ?? card ?? `${run} ${view.text}`;
    const text = lineWith(messageText(view, zone), q);
    const href = run === null ? `/chat?before=m${Number(id.slice(1)) + 1}` : `/runs/${run}`;
    if (!hits.has(key)) hits.set(key, { key: id, text, href, where: ['Bosun', run ?? '', channelOf(thread)], at });
  }
  const said = before === null && project === '' ? reader.browsing.saidWith(q, maxShown) : [];
  const spoken = said.flatMap(({ id, by, thread, at, body }): readonly Hit[] =>
    body.type === 'text'
      ? [{ key: `in-${id}`, text: lineWith(body.text, q), href: '/chat', where: [by ?? 'You', channelOf(thread)], at }]
      : [],
  );
  const all = [...hits.values(), ...spoken].sort((one, other) => (other.at ?? 0) - (one.at ?? 0));
  return { hits: all, bound: 'In 5,000 messages of Bosun at a time, and in what people wrote lately.', next };
}

const channelOf = (thread: string) => lineOf(thread.split(':')[0] ?? '', 20).replace(/^web.*/, 'page');

async function commitsFound({ services }: WebContext, { q, project }: HistoryQuery): Promise<FoundElsewhere> {
  const words = q.trim().toLowerCase();
  const projects = services
    .config()
    .projects.filter(({ name }) => project === '' || name === project)
    .slice(0, maxProjects);
  const found = await Promise.all(
    projects.map(async ({ name, root }) =>
      (await recentCommits(root, commitsLooked))
        .filter(({ sha, subject }) => subject.toLowerCase().includes(words) || sha.startsWith(words))
        .map((commit) => ({ name, ...commit })),
    ),
  );
  const hits = found
    .flat()
    .sort((one, other) => other.at - one.at)
    .slice(0, maxShown)
    .map(({ name, sha, at, by, subject, origin }): Hit => {
      const made = runOfTrailer(origin, services.runtime.reader);
      const run = made?.project === name ? made.id : null;
      return {
        ...{ key: `${name} ${sha}`, text: lineWith(subject, q), at },
        href: run === null ? projectPath(name) : `/runs/${run}`,
        where: [name, run ?? '', sha.slice(0, 10), by],
      };
    });
  return { hits, bound: `In the newest ${commitsLooked} commits of ${projects.length} projects.`, next: null };
}

async function logsFound(web: WebContext, { q, project, before }: HistoryQuery): Promise<FoundElsewhere> {
  const { browsing } = web.services.runtime.reader;
  const words = q.trim().toLowerCase();
  const runs = browsing.runs({ project: project || null, status: null, before, limit: runsLooked });
  const hits: Hit[] = [];
  for (const run of runs) {
    for (const row of browsing.newestAttempts(run.id, attemptsLooked)) {
      if (hits.length >= maxShown) break;
      const { attempt, chain, node } = row;
      const log = await readLogPart(logPlaceOf(web, row), { bytes: tailBytes, line: null });
      const step = [chain, browsing.nodeName(run.id, node) ?? node].filter((one) => one !== '').join(' ');
      const lines = log?.lines.filter(({ text }) => text.toLowerCase().includes(words)).slice(-maxOfLog) ?? [];
      for (const { n, text, at } of lines)
        hits.push({
          ...{ key: `${attempt.id} ${n}`, text: lineWith(text, q), at },
          href: `${attemptPath(run.id, attempt.id)}?line=${n}#L${n}`,
          where: [run.project, run.id, `${step}, attempt ${attempt.number}`, `line ${n}`],
        });
    }
  }
  const last = runs.length === runsLooked ? (runs.at(-1)?.number ?? null) : null;
  return {
    hits,
    bound: `In the end of the newest ${attemptsLooked} logs of ${runsLooked} runs at a time.`,
    next: last,
  };
}

function lineWith(text: string, words: string): string {
  const wanted = words.trim().toLowerCase();
  const line = text.split('\n').find((one) => one.toLowerCase().includes(wanted)) ?? text;
  const at = Math.max(0, line.toLowerCase().indexOf(wanted) - 80);
  return lineOf(at === 0 ? line : `…${line.slice(at)}`, 200);
}

interface FoundProps {
  readonly web: WebContext;
  readonly query: HistoryQuery;
  readonly found: FoundElsewhere;
}

export function FoundList({ web, query, found: { hits, bound, next } }: FoundProps) {
  return (
    <section id="found" data-live aria-label="Found">
      {hits.length === 0 ? (
        <p class="panel empty">
          {next === null ? 'Nothing found' : 'Nothing found yet'} for “{lineOf(query.q, 100)}”.
        </p>
      ) : (
        <ul class="panel list">
          {hits.map(({ text, href, where, at }) => (
            <li>
              <a class="whole" href={href} dir="auto">
                <Marked text={text} words={query.q.trim()} />
              </a>
              <p class="soft row dots">
                {where
                  .filter((one) => one !== '')
                  .map((one) => (
                    <span>{lineOf(one, 80)}</span>
                  ))}
                {at === null ? null : <Ago at={at} now={web.now()} />}
              </p>
            </li>
          ))}
        </ul>
      )}
      <p class="soft">{bound}</p>
      {next === null ? null : (
        <p class="more">
          <a href={historyLink(query, { before: next })}>Search further back</a>
        </p>
      )}
    </section>
  );
}

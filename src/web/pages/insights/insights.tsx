// How runs end, how long they take, what they cost, and who they wait for.
import type { Run } from '../../../engine/index.js';
import type { HomeReader } from '../../../store/index.js';
import type { WebContext } from '../../context/web-context.js';
import { projectPath } from '../shared/paths.js';
import { Empty } from '../shared/status.js';
import { countOf, lineOf, moneyOf, spanOf } from '../shared/text.js';
import { type BarRow, Bars, Figure, type Week } from './charts.js';

const weeks = 8;
const weekMs = 7 * 24 * 3_600_000;
/** The newest runs are looked at, and of each the newest questions: this page costs the same with a long history. */
const maxRuns = 300;
const maxQuestions = 12;
const maxAgents = 4;
const maxPeople = 12;

export function Insights({ web }: { readonly web: WebContext }) {
  const { reader } = web.services.runtime;
  const now = web.now();
  const since = now - weeks * weekMs;
  const runs = reader.browsing
    .runs({ project: null, status: null, before: null, limit: maxRuns })
    .filter(({ endedAt, startedAt }) => startedAt !== null && (endedAt ?? now) >= since);
  const ended = runs.filter(({ endedAt }) => endedAt !== null);
  if (ended.length === 0)
    return (
      <>
        <h1>Insights</h1>
        <Empty title="No run has ended yet">
          <p>Success, time and cost of the last {weeks} weeks appear here.</p>
        </Empty>
      </>
    );
  const byWeek = weeksOf(reader, ended, now);
  const done = ended.filter(({ status }) => status === 'completed');
  const median = medianOf(done.map(durationOfRun));
  const people = waitedFor(reader, runs, now);
  const agents = agentsOf(reader, ended);
  const usd = byWeek.reduce((sum, week) => sum + week.usd, 0);
  const [longest] = people;
  return (
    <>
      <div class="title">
        <h1>Insights</h1>
        <p class="soft">
          {countOf(ended.length, 'run')} of the last {weeks} weeks
          {runs.length === maxRuns ? `, the newest ${maxRuns}` : ''}
        </p>
      </div>
      <div class="grid two" id="insights" data-live>
        <Figure
          id="success"
          title="Do runs end well?"
          answer={`${Math.round((100 * done.length) / ended.length)} % done`}
          weeks={byWeek}
          parts={[
            { name: 'done', look: 'ok', of: (week) => week.done },
            { name: 'failed or aborted', look: 'bad', of: (week) => week.notDone },
          ]}
          say={(n) => String(n)}
        />
        <Figure
          id="duration"
          title="How long does a task take?"
          answer={median === null ? 'Nothing done yet' : `half are done within ${spanOf(median)}`}
          weeks={byWeek}
          parts={[{ name: 'median', look: 'run', of: (week) => week.medianMs ?? 0 }]}
          say={(n) => (n === 0 ? '–' : spanOf(n))}
        />
        <Figure
          id="cost"
          title="What does it cost?"
          answer={`${moneyOf(usd)} in ${weeks} weeks`}
          weeks={byWeek}
          parts={[{ name: 'dollars', look: 'accent', of: (week) => week.usd }]}
          say={moneyOf}
        />
        <Bars
          id="agents"
          title="Which agent costs what?"
          answer={
            agents[0] === undefined ? 'No agent has reported a cost' : `${agents[0].name}: ${moneyOf(agents[0].value)}`
          }
          rows={agents}
          say={moneyOf}
        />
        <Bars
          id="people"
          title="Who do tasks wait for?"
          answer={longest === undefined ? 'Nobody yet' : `${longest.name}: ${spanOf(longest.value)} in all`}
          rows={people}
          say={spanOf}
        />
        <Projects runs={ended} />
      </div>
    </>
  );
}

function durationOfRun({ startedAt, endedAt }: Run): number {
  return Math.max(0, (endedAt ?? 0) - (startedAt ?? 0));
}

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

function weeksOf({ browsing }: HomeReader, ended: readonly Run[], now: number): readonly Week[] {
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  const spent = browsing.spentOnDays(dayOf(now - weeks * weekMs));
  return Array.from({ length: weeks }, (_, index) => {
    const from = now - (weeks - index) * weekMs;
    const isIn = (at: number) => at >= from && at < from + weekMs + (index === weeks - 1 ? 1 : 0);
    const own = ended.filter(({ endedAt }) => isIn(endedAt ?? 0));
    const done = own.filter(({ status }) => status === 'completed');
    const [first, last] = [dayOf(from + 1), dayOf(from + weekMs)];
    const days = spent.filter(({ day }) => day > first && day <= last);
    return {
      from,
      label: dayOf(from + weekMs).slice(5),
      done: done.length,
      notDone: own.length - done.length,
      medianMs: medianOf(done.map(durationOfRun)),
      usd: days.reduce((sum, day) => sum + day.usd, 0),
    };
  });
}

const addTo = (sums: Map<string, number>, name: string, value: number) => sums.set(name, (sums.get(name) ?? 0) + value);

const largest = (sums: ReadonlyMap<string, number>, limit: number): readonly BarRow[] =>
  [...sums]
    .map(([name, value]) => ({ name, value }))
    .toSorted((a, b) => b.value - a.value)
    .slice(0, limit);

/** From a question to its answer, by the person who answered; the open ones under a name of their own. */
function waitedFor(reader: HomeReader, runs: readonly Run[], now: number): readonly BarRow[] {
  const sums = new Map<string, number>();
  for (const { number, counters } of runs) {
    const first = Math.max(1, counters.interactions - maxQuestions + 1);
    for (let n = first; n <= counters.interactions; n += 1) {
      const asked = reader.interaction(`i${number}-${n}`)?.interaction;
      if (asked?.answer) addTo(sums, lineOf(asked.answer.by, 40), Math.max(0, asked.answer.at - asked.openedAt));
      else if (asked?.state === 'open') addTo(sums, 'not answered yet', Math.max(0, now - asked.openedAt));
    }
  }
  return largest(sums, maxPeople);
}

const maxAttempts = 20;
const maxPricedRuns = 100;

/** By the program that ran; the newest attempts of the newest runs. */
function agentsOf(reader: HomeReader, runs: readonly Run[]): readonly BarRow[] {
  const sums = new Map<string, number>();
  for (const { id, costUsd } of runs.slice(0, maxPricedRuns)) {
    if (costUsd === 0) continue;
    for (const { attempt } of reader.browsing.newestAttempts(id, maxAttempts))
      if (attempt.costUsd) addTo(sums, lineOf(attempt.program ?? 'unnamed', 40), attempt.costUsd);
  }
  return largest(sums, maxAgents);
}

const maxProjects = 12;

function Projects({ runs }: { readonly runs: readonly Run[] }) {
  const sums = new Map<string, number>();
  for (const { project } of runs) addTo(sums, project, 1);
  const rows = largest(sums, maxProjects);
  const doneIn = (project: string) =>
    runs.filter((run) => run.project === project && run.status === 'completed').length;
  return (
    <section class="panel figure" aria-labelledby="by-project-title">
      <h2 id="by-project-title" class="soft">
        By project
      </h2>
      <ul class="list">
        {rows.map(({ name, value }) => (
          <li class="row">
            <a href={projectPath(name)}>{lineOf(name, 60)}</a>
            <span class="soft num">
              {doneIn(name)} of {countOf(value, 'run')} done
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

import type { Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { Icon } from '../shared/icons.js';
import { Tabs } from '../shared/layout.js';
import { Empty } from '../shared/status.js';
import { countOf, lineOf, moneyOf, spanOf } from '../shared/text.js';
import { Bars, Columns, Figure } from './charts.js';
import { FailingSteps } from './failing-steps.js';
import { durationOfRun, type Measured, measuredBefore, quantileOf, type Slice, shareOf, slicesOf } from './measures.js';
import { WhyNoCosts } from './no-costs.js';
import { type InsightsQuery, insightsPath, periodsOf, rangeLabels, rangeNames } from './periods.js';
import { Tiles } from './tiles.js';
import { sampleLimits, sampleOf, totalOf, type WorkSample } from './work-sample.js';

/** Only the newest runs, so that a long history costs no more. */
const maxRuns = 300;

interface InsightsProps {
  readonly web: WebContext;
  readonly query: InsightsQuery;
}

export function Insights({ web, query }: InsightsProps) {
  const { reader } = web.services.runtime;
  const { range } = query;
  const project = query.project || null;
  const now = web.now();
  const newest = reader.browsing.runs({ project, status: null, before: null, limit: maxRuns });
  const started = newest.filter(({ startedAt }) => startedAt !== null);
  const oldest = Math.min(now, ...started.map(({ endedAt }) => endedAt ?? now));
  const periods = periodsOf(range, oldest, now);
  const since = range === 'all' ? 0 : (periods[0]?.from ?? 0);
  const runs = started.filter(({ endedAt }) => (endedAt ?? now) >= since);
  const ended = runs.filter(({ endedAt }) => endedAt !== null);
  const limited = newest.length === maxRuns ? `, of the newest ${maxRuns}` : '';
  const sample = sampleOf(reader, runs, now);
  const slices = slicesOf(reader, ended, { periods, project });
  return (
    <>
      <div class="headline insights-head">
        <h1>Insights</h1>
        <div class="row">
          <ProjectChoice web={web} query={query} />
          <Tabs
            label="Range"
            tabs={Object.fromEntries(
              rangeNames.map((name) => [insightsPath({ ...query, range: name }), rangeLabels[name]]),
            )}
            current={insightsPath(query)}
          />
        </div>
      </div>
      {ended.length === 0 ? (
        <Empty title={newest.length === 0 || range === 'all' ? 'No run has ended yet' : 'No run ended in this time'}>
          <p>Success, time and cost appear here.</p>
        </Empty>
      ) : (
        <div id="insights" data-live>
          <p class="soft">
            {countOf(ended.length, 'run')} ended{limited}
          </p>
          <Figures
            ended={ended}
            slices={slices}
            sample={sample}
            before={measuredBefore(reader, { newest: started, isAll: newest.length < maxRuns, periods, query })}
            isCut={runs.length > sampleLimits.runs}
          />
        </div>
      )}
    </>
  );
}

const maxProjects = 100;

function ProjectChoice({ web, query }: InsightsProps) {
  const names = web.services.config().projects.map(({ name }) => name);
  if (names.length < 2 && query.project === '') return null;
  const choices: readonly (readonly [string, string])[] = [
    ['', 'All projects'],
    ...names.slice(0, maxProjects).map((name) => [name, lineOf(name, 40)] as const),
  ];
  return (
    <details id="insights-project" class="drop">
      <summary class="button line">
        {query.project === '' ? 'All projects' : lineOf(query.project, 40)} <Icon name="down" />
      </summary>
      <div class="menu">
        {choices.map(([project, label]) => (
          <a
            href={insightsPath({ ...query, project })}
            aria-current={project === query.project ? 'page' : undefined}
            dir="auto"
          >
            {label}
          </a>
        ))}
      </div>
    </details>
  );
}

interface FiguresProps {
  readonly ended: readonly Run[];
  readonly slices: readonly Slice[];
  readonly sample: WorkSample;
  /** The same measures of the period before; null: nothing to compare with. */
  readonly before: Measured | null;
  readonly isCut: boolean;
}

function Figures({ ended, slices, sample, before, isCut }: FiguresProps) {
  const { all, projects, people, agents, steps } = sample;
  const done = ended.filter(({ status }) => status === 'completed');
  const durations = done.map(durationOfRun);
  const median = quantileOf(durations, 0.5);
  const usd = slices.reduce((sum, slice) => sum + slice.usd, 0);
  const [slowest] = people;
  const [dearest] = agents;
  const isCostless = usd === 0 && dearest === undefined;
  const ofAgents = agents.reduce((sum, agent) => sum + agent.usd, 0);
  return (
    <>
      <Tiles ended={ended} usd={isCostless ? null : usd} sample={sample} before={before} />
      <div class="grid two">
        <Columns
          id="success"
          question="Do runs end well?"
          answer={successOf(ended, done)}
          rows={slices}
          labelOf={({ label }) => label}
          parts={[
            { name: 'done', look: 'ok', of: (slice) => slice.done },
            { name: 'failed or aborted', look: 'bad', of: (slice) => slice.notDone },
          ]}
          say={String}
        />
        <Columns
          id="duration"
          question="How long does a task take?"
          answer={median === null ? 'Nothing done yet' : `Half of the tasks are done within ${spanOf(median)}`}
          rows={slices}
          labelOf={({ label }) => label}
          parts={[{ name: 'median', look: 'run', of: (slice) => slice.medianMs ?? 0 }]}
          say={(ms) => (ms === 0 ? '–' : spanOf(ms))}
        />
        <Bars
          id="time"
          question="Where does the time go?"
          answer={timeSaid(all)}
          first="Project"
          parts={[
            { name: 'agents and checks work', look: 'c0' },
            { name: 'waits for people', look: 'c2' },
            { name: 'queued or paused', look: 'c3' },
          ]}
          rows={projects.map(({ name, workMs, waitMs, restMs }) => ({
            name: lineOf(name, 60),
            values: [workMs, waitMs, restMs],
          }))}
          say={spanOf}
        />
        <Bars
          id="people"
          question="Who do tasks wait for?"
          answer={
            slowest === undefined ? 'No task has waited yet' : `${slowest.name}: ${spanOf(slowest.waitMs)} in all`
          }
          first="Person"
          parts={[{ name: 'waited for', look: 'c2' }]}
          rows={people.map(({ name, waitMs, answersMs }) => ({
            name,
            values: [waitMs],
            more: [spanOf(quantileOf(answersMs, 0.5) ?? 0), String(answersMs.length)],
          }))}
          more={['median to an answer', 'answers']}
          say={spanOf}
        />
        {isCostless ? (
          <Figure id="cost" question="What does it cost?" answer="No cost was reported" legend={[]}>
            <WhyNoCosts isUnpriced={ended.some(({ unpriced }) => (unpriced ?? 0) > 0)} />
          </Figure>
        ) : (
          <>
            <Columns
              id="cost"
              question="What does it cost?"
              answer={`${moneyOf(usd)} in all`}
              rows={slices}
              labelOf={({ label }) => label}
              parts={[{ name: 'dollars', look: 'accent', of: (slice) => slice.usd }]}
              say={moneyOf}
            />
            <Bars
              id="agents"
              question="Which agent costs what?"
              answer={
                dearest === undefined
                  ? 'No agent has reported a cost'
                  : `${dearest.name}: ${shareOf(dearest.usd, ofAgents)} of the cost`
              }
              first="Agent"
              parts={[{ name: 'dollars', look: 'c0' }]}
              rows={agents.map((agent) => ({ name: agent.name, values: [agent.usd] }))}
              say={moneyOf}
            />
          </>
        )}
      </div>
      <FailingSteps steps={steps} />
      {isCut ? (
        <p class="soft">Times, agents and steps are those of the newest {countOf(sample.runs, 'run')}.</p>
      ) : null}
    </>
  );
}

function successOf(ended: readonly Run[], done: readonly Run[]): string {
  const answer = `${done.length} of ${countOf(ended.length, 'run')} ${ended.length === 1 ? 'ended' : 'end'} well`;
  const bad = new Set(ended.filter(({ status }) => status !== 'completed').map(({ project }) => project));
  const isOneOfSeveral = bad.size === 1 && ended.some(({ project }) => !bad.has(project));
  return isOneOfSeveral ? `${answer}; the rest is in ${lineOf([...bad].join(''), 40)}` : answer;
}

function timeSaid(all: WorkSample['all']): string {
  const total = totalOf(all);
  if (total === 0) return 'No time was measured yet';
  return `People take ${shareOf(all.waitMs, total)} of the time, agents and checks ${shareOf(all.workMs, total)}`;
}

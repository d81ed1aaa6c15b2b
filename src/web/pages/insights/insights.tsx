import type { Child } from 'hono/jsx';
import type { Run } from '../../../engine/index.js';
import type { HomeReader } from '../../../store/index.js';
import type { WebContext } from '../../context/web-context.js';
import { Tabs } from '../shared/layout.js';
import { Empty } from '../shared/status.js';
import { countOf, lineOf, moneyOf, spanOf } from '../shared/text.js';
import { Bars, Columns, Figure } from './charts.js';
import { FailingSteps } from './failing-steps.js';
import { WhyNoCosts } from './no-costs.js';
import { dayOf, type Period, periodsOf, type RangeName, rangeLabels, rangeNames, rangePaths } from './periods.js';
import { sampleLimits, sampleOf, totalOf, type WorkSample } from './work-sample.js';

/** Only the newest runs, so that a long history costs no more. */
const maxRuns = 300;

interface InsightsProps {
  readonly web: WebContext;
  readonly query: { readonly range: RangeName };
}

export function Insights({ web, query: { range } }: InsightsProps) {
  const { reader } = web.services.runtime;
  const now = web.now();
  const newest = reader.browsing.runs({ project: null, status: null, before: null, limit: maxRuns });
  const started = newest.filter(({ startedAt }) => startedAt !== null);
  const oldest = Math.min(now, ...started.map(({ endedAt }) => endedAt ?? now));
  const periods = periodsOf(range, oldest, now);
  const since = range === 'all' ? 0 : (periods[0]?.from ?? 0);
  const runs = started.filter(({ endedAt }) => (endedAt ?? now) >= since);
  const ended = runs.filter(({ endedAt }) => endedAt !== null);
  const limited = newest.length === maxRuns ? `, of the newest ${maxRuns}` : '';
  return (
    <>
      <div class="title">
        <h1>Insights</h1>
        <Tabs
          label="Range"
          tabs={Object.fromEntries(rangeNames.map((name) => [rangePaths[name], rangeLabels[name]]))}
          current={rangePaths[range]}
        />
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
            slices={slicesOf(reader, ended, periods)}
            sample={sampleOf(reader, runs, now)}
            isCut={runs.length > sampleLimits.runs}
          />
        </div>
      )}
    </>
  );
}

interface Slice extends Period {
  readonly done: number;
  readonly notDone: number;
  readonly medianMs: number | null;
  readonly usd: number;
}

interface FiguresProps {
  readonly ended: readonly Run[];
  readonly slices: readonly Slice[];
  readonly sample: WorkSample;
  readonly isCut: boolean;
}

function Figures({ ended, slices, sample, isCut }: FiguresProps) {
  const { all, projects, people, agents, steps } = sample;
  const done = ended.filter(({ status }) => status === 'completed');
  const durations = done.map(durationOfRun);
  const median = quantileOf(durations, 0.5);
  const usd = slices.reduce((sum, slice) => sum + slice.usd, 0);
  const answer = quantileOf(
    people.flatMap(({ answersMs }) => answersMs),
    0.5,
  );
  const [slowest] = people;
  const [dearest] = agents;
  const isCostless = usd === 0 && dearest === undefined;
  const ofAgents = agents.reduce((sum, agent) => sum + agent.usd, 0);
  return (
    <>
      <dl class="panel tiles">
        <Tile name="Runs that end well" value={shareOf(done.length, ended.length)}>
          {done.length} of {countOf(ended.length, 'run')}
        </Tile>
        <Tile name="Time to done, median" value={median === null ? '–' : spanOf(median)}>
          {median === null ? 'nothing done yet' : `nine of ten within ${spanOf(quantileOf(durations, 0.9) ?? 0)}`}
        </Tile>
        <Tile name="Waiting for people" value={shareOf(all.waitMs, totalOf(all))}>
          {answer === null ? 'no answer yet' : `half of the answers within ${spanOf(answer)}`}
        </Tile>
        <Tile name="Cost" value={isCostless ? '–' : moneyOf(usd)}>
          {isCostless
            ? 'no cost was reported'
            : done.length === 0
              ? 'no run is done'
              : `${moneyOf(usd / done.length)} for a run that is done`}
        </Tile>
      </dl>
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

function Tile({ name, value, children }: { readonly name: string; readonly value: string; readonly children: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="num">{value}</dd>
      <dd class="soft num">{children}</dd>
    </div>
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

function shareOf(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;
}

function durationOfRun({ startedAt, endedAt }: Run): number {
  return Math.max(0, (endedAt ?? 0) - (startedAt ?? 0));
}

function quantileOf(values: readonly number[], part: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null;
}

function slicesOf({ browsing }: HomeReader, ended: readonly Run[], periods: readonly Period[]): readonly Slice[] {
  const [first] = periods;
  const spent = first === undefined ? [] : browsing.spentOnDays(dayOf(first.from));
  return periods.map((period, index) => {
    // A border moment belongs to the earlier period.
    const isIn = (at: number) => (index === 0 ? at >= period.from : at > period.from) && at <= period.to;
    const own = ended.filter(({ endedAt }) => isIn(endedAt ?? 0));
    const done = own.filter(({ status }) => status === 'completed');
    const [before, last] = [dayOf(period.from), dayOf(period.to)];
    const days = spent.filter(({ day }) => day > before && day <= last);
    return {
      ...period,
      done: done.length,
      notDone: own.length - done.length,
      medianMs: quantileOf(done.map(durationOfRun), 0.5),
      usd: days.reduce((sum, day) => sum + day.usd, 0),
    };
  });
}

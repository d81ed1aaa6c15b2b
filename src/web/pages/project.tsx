import type { ProjectConfig } from '../../config/index.js';
import { boundThreads } from '../../dispatch/index.js';
import type { Run } from '../../engine/index.js';
import type { Spine } from '../../store/index.js';
import type { WebContext } from '../context/web-context.js';
import { Cards, openQuestions } from './cards/card.js';
import { WaitingForOthers } from './cards/question-lines.js';
import { RunAtWork } from './home-page.js';
import { QueueRows, queuedRuns } from './run/queue-rows.js';
import { RunRows } from './run/run-rows.js';
import { nounsOf } from './run/run-view.js';
import { mayAct } from './shared/commands.js';
import { Icon } from './shared/icons.js';
import { inPath } from './shared/paths.js';
import { RunActions } from './shared/run-actions.js';
import { Badge, Meter } from './shared/status.js';
import { countOf, dotted, durationOf, lineOf, moneyOf, spanOf } from './shared/text.js';
import { stateOfProject } from './shared/work-state.js';
import { ProjectTalk, type TalkShown } from './talk/project-talk.js';

const shownRuns = 20;
const shownPeople = 50;
const shownCards = 10;

export interface ProjectQuery {
  readonly talk: TalkShown;
  readonly before: string | null;
  readonly back: string | null;
  /** The composer's run at first. */
  readonly about: string;
}

interface ProjectPageProps {
  readonly web: WebContext;
  readonly project: ProjectConfig;
  readonly query: ProjectQuery;
}

export function ProjectPage({ web, project, query }: ProjectPageProps) {
  const { reader } = web.services.runtime;
  const { run, spine, state } = stateOfProject(web, project);
  const runs = reader.browsing.runs({ project: project.name, status: null, before: null, limit: shownRuns + 1 });
  const isOver = run === null || run.status === 'completed' || run.status === 'cancelled';
  return (
    <>
      <div id="head" data-live class="title">
        <div class="headline">
          <div class="row">
            <h1>{lineOf(project.name)}</h1>
            <Badge {...state} />
            {isOver ? null : (
              <a class="plain soft" href={`/runs/${run.id}`} dir="auto">
                {dotted([run.id, lineOf(run.task, 80), spine === null ? '' : itemsDone(spine)])}
              </a>
            )}
          </div>
          <div class="actions">
            {isOver ? null : <RunActions web={web} run={run} />}
            {mayAct(web, project.name, 'start') ? (
              <a class="button first" href="#new">
                <Icon name="plus" /> New task
              </a>
            ) : null}
          </div>
        </div>
        <Figures web={web} project={project} run={isOver ? null : run} />
      </div>
      <div class="columns even">
        <div class="column">
          <AskedAndWorking web={web} project={project} run={run} />
          <section id="runs" data-live aria-labelledby="runs-title">
            <h2 id="runs-title">Runs</h2>
            <RunRows web={web} runs={runs.slice(0, shownRuns)} withProject={false} />
            {runs.length > shownRuns ? (
              <p class="more">
                <a href={`/history?project=${inPath(project.name)}`}>All runs</a>
              </p>
            ) : null}
          </section>
          <details id="settings" class="fold">
            <summary>
              <h2>Settings and people</h2>
            </summary>
            <div class="grid">
              <Rules project={project} />
              <People project={project} web={web} />
            </div>
          </details>
        </div>
        <ProjectTalk
          web={web}
          project={project}
          shown={query.talk}
          before={query.before}
          back={query.back}
          about={query.about}
        />
      </div>
    </>
  );
}

function AskedAndWorking({ web, project, run }: Omit<ProjectPageProps, 'query'> & { readonly run: Run | null }) {
  const { mine, others, count } = openQuestions(web, shownCards, project.name);
  const queued = queuedRuns(web, project.name);
  return (
    <>
      <section id="needs" data-live aria-label="Needs you">
        {mine.length === 0 ? null : <Cards web={web} open={mine} />}
        {count > mine.length ? (
          <p class="more">
            <a href="/inbox?all=1">{countOf(count - mine.length, 'more question')}</a>
          </p>
        ) : null}
        {others.length === 0 ? null : <WaitingForOthers web={web} open={others} />}
      </section>
      <section id="running" data-live aria-label="Working">
        {run && (run.live.length > 0 || run.ops.length > 0) ? (
          <div class="panel stack">
            <RunAtWork web={web} run={run} />
          </div>
        ) : null}
      </section>
      <section id="queue" data-live aria-label="Queue">
        {queued.count === 0 ? null : (
          <>
            <h2>Queue</h2>
            <QueueRows web={web} queued={queued} project={project.name} />
          </>
        )}
      </section>
    </>
  );
}

function itemsDone(spine: Spine): string {
  const { items } = spine;
  const done = items.filter(({ status }) => status === 'done').length;
  return items.length === 0 ? '' : `${done} of ${countOf(items.length, ...nounsOf(spine))} done`;
}

const recentMs = 30 * 24 * 3_600_000;
const maxRecent = 100;

function Figures({ web, project, run }: Omit<ProjectPageProps, 'query'> & { readonly run: Run | null }) {
  const { reader } = web.services.runtime;
  const { today, week } = reader.spending(project.name, web.now(), project.budget.zone);
  const { dayUsd } = project.budget;
  const recent = reader.browsing
    .runs({ project: project.name, status: null, before: null, limit: maxRecent })
    .filter(({ endedAt }) => endedAt !== null && endedAt > web.now() - recentMs);
  const done = recent.filter(({ status }) => status === 'completed');
  const took = done.map(({ startedAt, endedAt }) => (endedAt ?? 0) - (startedAt ?? 0)).toSorted((a, b) => a - b);
  return (
    <dl class="figures num">
      <Figure label="Today" limit={dayUsd} value={today.usd} />
      {run === null ? null : <Figure label="This run" limit={run.budgetUsd} value={run.costUsd} />}
      <div>
        <dt>Seven days</dt>
        <dd>{moneyOf(week.usd)}</dd>
      </div>
      {recent.length === 0 ? null : (
        <div>
          <dt>Done in 30 days</dt>
          <dd>
            {done.length} <span class="soft">of {recent.length}</span>
          </dd>
        </div>
      )}
      {took.length === 0 ? null : (
        <div>
          <dt>Median to done</dt>
          <dd>{spanOf(took[Math.floor(took.length / 2)] ?? 0)}</dd>
        </div>
      )}
    </dl>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: number;
  readonly limit: number | null;
}

function Figure({ label, value, limit }: FigureProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {moneyOf(value)} {limit === null ? null : <span class="soft">of {moneyOf(limit)}</span>}
        {limit === null ? null : <Meter value={value} limit={limit} label={`${label}, of its limit`} />}
      </dd>
    </div>
  );
}

function Rules({ project }: { readonly project: ProjectConfig }) {
  const facts: readonly (readonly [string, string])[] = [
    ['Folder', project.root],
    ['Workflow', project.workflow],
    ['Level', project.level],
    ['Delivers as', project.deliver],
    ['Executor', project.executor ?? 'none yet'],
    ['Tests', project.tests?.run ?? 'none'],
    ['Check', project.check ?? 'none'],
    ['Lint', project.lint ?? 'none'],
    ['After a story', project.afterStory ?? 'set by the workflow'],
    ['Alert when silent for', durationOf(project.stallAfterMs)],
    ['Budget', budgetOf(project)],
    ['Git', `${project.git.remote ?? 'no remote'}, base ${project.git.base ?? 'the branch checked out'}`],
  ];
  return (
    <section aria-labelledby="rules-title">
      <h2 id="rules-title">Rules</h2>
      <dl class="panel facts">
        {facts.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>
              {name === 'Workflow' ? (
                <a href={`/workflows/${inPath(value)}`}>{lineOf(value, 80)}</a>
              ) : (
                lineOf(value, 200)
              )}
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function budgetOf({ budget: { runUsd, dayUsd, projectUsd } }: ProjectConfig): string {
  const limits = [
    runUsd === null ? '' : `${moneyOf(runUsd)} a run`,
    dayUsd === null ? '' : `${moneyOf(dayUsd)} a day`,
    projectUsd === null ? '' : `${moneyOf(projectUsd)} in all`,
  ];
  return dotted(limits) || 'no limit';
}

function People({ project, web }: { readonly project: ProjectConfig; readonly web: WebContext }) {
  const members = Object.entries(project.members);
  const bound = boundThreads(web.services.config(), project.name);
  return (
    <section aria-labelledby="people-title">
      <h2 id="people-title">People and chats</h2>
      <dl class="panel facts">
        <dt>owner</dt>
        <dd>the owner of this Bosun</dd>
        {members.slice(0, shownPeople).map(([name, role]) => (
          <>
            <dt>{role}</dt>
            <dd>{lineOf(name, 80)}</dd>
          </>
        ))}
        <dt>Chats</dt>
        <dd>
          {bound.length === 0
            ? 'none: only the terminal and this page'
            : bound.map((one) => lineOf(one, 80)).join(', ')}
        </dd>
        <dt>Aliases</dt>
        <dd>{project.aliases.length === 0 ? 'none' : project.aliases.map((one) => lineOf(one, 60)).join(', ')}</dd>
      </dl>
    </section>
  );
}

import type { ProjectConfig } from '../../config/index.js';
import type { Run } from '../../engine/index.js';
import type { WebContext } from '../context/web-context.js';
import { AtWork } from './attempt/attempt-line.js';
import { Cards, openQuestions } from './cards/card.js';
import { WaitingForOthers } from './cards/question-lines.js';
import { answeredQuestions, SettledLines } from './cards/settled.js';
import { Happened } from './home-news.js';
import { MiniChain, RunHistory } from './run/mini-chain.js';
import { QueueRows, queuedRuns } from './run/queue-rows.js';
import { nounsOf } from './run/run-view.js';
import { Command, mayAct } from './shared/commands.js';
import { Icon } from './shared/icons.js';
import { projectPath } from './shared/paths.js';
import { calledBy } from './shared/run-actions.js';
import { Badge, Empty, Mark, Meter } from './shared/status.js';
import { costOf, countOf, dotted, lineOf, moneyOf } from './shared/text.js';
import { stateOfProject, stateOfRun } from './shared/work-state.js';

const shownCards = 20;
const shownRuns = 20;
const shownProjects = 100;
const shownOthers = 10;

export interface HomeQuery {
  /** Index of the first project shown. */
  readonly projects: number | null;
}

interface HomeProps {
  readonly web: WebContext;
  readonly query: HomeQuery;
  /** The end of the reader's last visit; null: unknown. */
  readonly since: number | null;
}

export function Home({ web, query, since }: HomeProps) {
  const { services } = web;
  const projects = services.config().projects;
  const from = Math.min(query.projects ?? 0, Math.max(0, projects.length - 1));
  const shown = projects.slice(from, from + shownProjects);
  return (
    <>
      <h1 class="hidden">Home</h1>
      <Happened web={web} since={since} />
      <div class="columns">
        <NeedsMe web={web} hasProjects={projects.length > 0} />
        <div class="column">
          <Running web={web} />
          <Queued web={web} />
        </div>
      </div>
      <section id="projects" data-live aria-labelledby="projects-title">
        <h2 id="projects-title">Projects</h2>
        {projects.length === 0 ? (
          <Empty title="No project yet">
            <p>
              In a project's folder: <code>bosun init</code>. To try Bosun without one, start it in an empty home: it
              brings a demo.
            </p>
          </Empty>
        ) : (
          <ul class="panel list">
            {shown.map((project) => (
              <ProjectRow web={web} project={project} />
            ))}
          </ul>
        )}
        {projects.length > shown.length ? (
          <p class="more row">
            <span class="soft">
              {from + 1} to {from + shown.length} of {projects.length}
            </span>
            {from > 0 ? <a href={`/?projects=${Math.max(0, from - shownProjects)}#projects`}>Before</a> : null}
            {from + shown.length < projects.length ? (
              <a href={`/?projects=${from + shownProjects}#projects`}>More</a>
            ) : null}
          </p>
        ) : null}
      </section>
    </>
  );
}

/** Shown this long, so that people see where a card went. */
const settledForMs = 10 * 60_000;
const shownSettled = 3;

function NeedsMe({ web, hasProjects }: { readonly web: WebContext; readonly hasProjects: boolean }) {
  const { mine, count } = openQuestions(web, shownCards);
  const settled = answeredQuestions(web, {
    limit: shownSettled,
    since: web.now() - settledForMs,
    withStarts: false,
  });
  return (
    <section id="needs" data-live aria-labelledby="needs-title">
      <div class="headline">
        <h2 id="needs-title">Needs you {count > 0 ? <span class="count num">{count}</span> : null}</h2>
        {count > 0 ? <a href="/inbox">Inbox</a> : null}
      </div>
      {mine.length === 0 ? (
        <Empty title="Nothing needs you right now">
          {hasProjects ? (
            <p>
              Give Bosun a <a href="#new">new task</a>; questions and reviews appear here.
            </p>
          ) : null}
        </Empty>
      ) : (
        <Cards web={web} open={mine} />
      )}
      {count > mine.length ? (
        <p class="more">
          <a href="/inbox">All {count}</a>
        </p>
      ) : null}
      {settled.length === 0 ? null : <SettledLines web={web} settled={settled} />}
    </section>
  );
}

function Running({ web }: { readonly web: WebContext }) {
  const { reader } = web.services.runtime;
  const { runs, count } = reader.browsing.runsAtWork(null, shownRuns);
  const mayStop = runs.some(({ project }) => mayAct(web, project, 'stop'));
  const { others } = openQuestions(web, shownOthers);
  return (
    <section id="running" data-live aria-labelledby="running-title">
      <div class="headline">
        <h2 id="running-title">Working</h2>
        {runs.length > 1 && mayStop ? (
          <Command
            say="stop all"
            look="line"
            confirm="Stop all projects? What runs now may finish; nothing new starts."
          >
            <Icon name="pause" /> Stop all
          </Command>
        ) : null}
      </div>
      {runs.length === 0 ? (
        <Empty title="Nothing is running" />
      ) : (
        <div class="panel stack">
          {runs.map((run) => (
            <RunAtWork web={web} run={run} />
          ))}
        </div>
      )}
      {count > runs.length ? (
        <p class="more">
          <a href="/history?status=running">And {count - runs.length} more</a>
        </p>
      ) : null}
      {others.length === 0 ? null : <WaitingForOthers web={web} open={others} />}
    </section>
  );
}

function Queued({ web }: { readonly web: WebContext }) {
  const queued = queuedRuns(web, null);
  if (queued.count === 0) return <div id="queue" data-live></div>;
  return (
    <section id="queue" data-live aria-labelledby="queue-title">
      <div class="headline">
        <h2 id="queue-title">Queue</h2>
        <p class="soft">{countOf(queued.count, 'task')}</p>
      </div>
      <QueueRows web={web} queued={queued} project={null} />
    </section>
  );
}

export function RunAtWork({ web, run }: { readonly web: WebContext; readonly run: Run }) {
  // Read once for all attempts.
  const { reader } = web.services.runtime;
  const spine = reader.spine(run.id);
  const isStoppable = run.status === 'running' && mayAct(web, run.project, 'stop');
  return (
    <article class="at-work-run">
      <div class="headline">
        <p class="row">
          <Mark {...stateOfRun(web, run)} />
          <a class="whole" href={projectPath(run.project)}>
            {lineOf(run.project)}
          </a>
          <span class="soft num">{dotted([run.id, run.costUsd > 0 ? costOf(run) : ''])}</span>
        </p>
        {isStoppable ? (
          <Command say={`stop ${calledBy(run)}`} look="line">
            <Icon name="pause" /> Stop
          </Command>
        ) : null}
      </div>
      <h3>
        <a class="whole" href={`/runs/${run.id}`} dir="auto">
          {lineOf(run.task) || run.id}
        </a>
      </h3>
      {spine === null ? null : <MiniChain reader={reader} spine={spine} />}
      <ul class="list inner">
        {run.live.slice(0, shownRuns).map((live) => (
          <AtWork web={web} run={run} live={live} workflow={spine?.workflow ?? null} />
        ))}
        {run.live.length === 0 ? (
          <li class="soft">Working on the checkout: {run.ops.map((op) => op.kind).join(', ')}</li>
        ) : null}
      </ul>
    </article>
  );
}

/** Enough to find ten that ended. */
const maxLooked = 14;

function ProjectRow({ web, project }: { readonly web: WebContext; readonly project: ProjectConfig }) {
  const { reader } = web.services.runtime;
  const { run, spine, state } = stateOfProject(web, project);
  const done = spine?.items.filter(({ status }) => status === 'done').length ?? 0;
  const all = spine?.items.length ?? 0;
  const nouns = spine ? nounsOf(spine) : (['story', 'stories'] as const);
  const waiting = reader.drafts(project.name).length;
  const runs = reader.browsing.runs({ project: project.name, status: null, before: null, limit: maxLooked });
  return (
    <li class="project">
      <div class="row">
        <a class="whole" href={projectPath(project.name)}>
          {lineOf(project.name)}
        </a>
        <Badge {...state} />
      </div>
      <p class="what">
        {run === null ? (
          <span class="soft">No run yet</span>
        ) : (
          <>
            <a class="plain" href={`/runs/${run.id}`} dir="auto">
              {lineOf(run.task) || run.id}
            </a>{' '}
            <span class="soft num">
              {dotted([
                run.id,
                all > 0 ? `${done} of ${countOf(all, ...nouns)} done` : '',
                waiting > 0 ? `${waiting} queued` : '',
              ])}
            </span>
          </>
        )}
      </p>
      <RunHistory runs={runs} name={project.name} />
      <Spending web={web} project={project} />
      {mayAct(web, project.name, 'start') ? (
        <a class="button line go" href={`${projectPath(project.name)}#new`}>
          <Icon name="plus" /> New task<span class="hidden"> for {lineOf(project.name, 60)}</span>
        </a>
      ) : null}
    </li>
  );
}

function Spending({ web, project }: { readonly web: WebContext; readonly project: ProjectConfig }) {
  const { dayUsd, zone } = project.budget;
  const { usd } = web.services.runtime.reader.spending(project.name, web.now(), zone).today;
  if (dayUsd === null) return <span class="soft num spending">{moneyOf(usd)} today</span>;
  return (
    <span class="num spending">
      {moneyOf(usd)} <span class="soft">of {moneyOf(dayUsd)} today</span>
      <Meter value={usd} limit={dayUsd} label={`${lineOf(project.name, 60)}: spent today, of its limit`} />
    </span>
  );
}

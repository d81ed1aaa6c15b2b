// The home page: open questions, running work, the queue and the state of each project.

import type { ProjectConfig } from '../../config/index.js';
import type { Run } from '../../engine/index.js';
import type { WebContext } from '../context/web-context.js';
import { AtWork } from './attempt/attempt-line.js';
import { Cards, openQuestions } from './cards/card.js';
import { QueueRows, queuedRuns } from './run/queue-rows.js';
import { nounsOf } from './run/run-view.js';
import { Command, mayAct } from './shared/commands.js';
import { Icon } from './shared/icons.js';
import { projectPath } from './shared/paths.js';
import { Badge, Empty } from './shared/status.js';
import { capital, costOf, countOf, dotted, lineOf, moneyOf } from './shared/text.js';
import { stateOfProject, stateOfRun } from './shared/work-state.js';

const shownCards = 20;
const shownRuns = 20;
const shownProjects = 100;

export interface HomeQuery {
  /** Index of the first project shown. */
  readonly projects: number | null;
}

export function Home({ web, query }: { readonly web: WebContext; readonly query: HomeQuery }) {
  const { services } = web;
  const projects = services.config().projects;
  const from = Math.min(query.projects ?? 0, Math.max(0, projects.length - 1));
  const shown = projects.slice(from, from + shownProjects);
  return (
    <>
      <h1 class="hidden">Home</h1>
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

function NeedsMe({ web, hasProjects }: { readonly web: WebContext; readonly hasProjects: boolean }) {
  const { open, count } = openQuestions(web, shownCards);
  return (
    <section id="needs" data-live aria-labelledby="needs-title">
      <div class="headline">
        <h2 id="needs-title">Needs you</h2>
        {count > 0 ? <p class="soft">{countOf(count, 'open question')}</p> : null}
      </div>
      {open.length === 0 ? (
        <Empty title="Nothing needs you right now">
          {hasProjects ? (
            <p>
              Give Bosun a <a href="#new">new task</a>; questions and reviews appear here.
            </p>
          ) : null}
        </Empty>
      ) : (
        <Cards web={web} open={open} />
      )}
      {count > open.length ? (
        <p class="more">
          <a href="/inbox">All {count}</a>
        </p>
      ) : null}
    </section>
  );
}

function Running({ web }: { readonly web: WebContext }) {
  const { reader } = web.services.runtime;
  const { runs, count } = reader.browsing.runsAtWork(null, shownRuns);
  const mayStop = runs.some(({ project }) => mayAct(web, project, 'stop'));
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
    </section>
  );
}

function Queued({ web }: { readonly web: WebContext }) {
  const queued = queuedRuns(web, null);
  if (queued.length === 0) return <div id="queue" data-live></div>;
  return (
    <section id="queue" data-live aria-labelledby="queue-title">
      <div class="headline">
        <h2 id="queue-title">Queue</h2>
        <p class="soft">{countOf(queued.length, 'task')}</p>
      </div>
      <QueueRows web={web} runs={queued} withProject />
    </section>
  );
}

export function RunAtWork({ web, run }: { readonly web: WebContext; readonly run: Run }) {
  // Read once for all attempts of the run.
  const workflow = web.services.runtime.reader.spine(run.id)?.workflow ?? null;
  const isStoppable = run.status === 'running' && mayAct(web, run.project, 'stop');
  return (
    <article class="at-work-run">
      <div class="headline">
        <h3>
          <a class="whole" href={`/runs/${run.id}`} dir="auto">
            {lineOf(run.task) || run.id}
          </a>
        </h3>
        {isStoppable ? (
          <Command say={`stop ${run.project}`} look="line">
            <Icon name="pause" /> Stop
          </Command>
        ) : null}
      </div>
      <p class="soft row">
        <Badge {...stateOfRun(web, run)} />
        <a href={projectPath(run.project)}>{lineOf(run.project)}</a>
        <span>{run.id}</span>
        <span class="num">{costOf(run)}</span>
      </p>
      <ul class="list inner">
        {run.live.slice(0, shownRuns).map((live) => (
          <AtWork web={web} run={run} live={live} workflow={workflow} />
        ))}
        {run.live.length === 0 ? (
          <li class="soft">Working on the checkout: {run.ops.map((op) => op.kind).join(', ')}</li>
        ) : null}
      </ul>
    </article>
  );
}

function ProjectRow({ web, project }: { readonly web: WebContext; readonly project: ProjectConfig }) {
  const { reader } = web.services.runtime;
  const { run, spine, state } = stateOfProject(web, project);
  const done = spine?.items.filter(({ status }) => status === 'done').length ?? 0;
  const all = spine?.items.length ?? 0;
  const nouns = spine ? nounsOf(spine) : (['story', 'stories'] as const);
  const today = reader.spending(project.name, web.now(), project.budget.zone).today.usd;
  return (
    <li class="project">
      <div class="row">
        <a class="whole" href={projectPath(project.name)}>
          {lineOf(project.name)}
        </a>
        <Badge {...state} />
      </div>
      <div class="what">
        {run === null ? (
          <p class="soft">No run yet</p>
        ) : (
          <>
            <p>
              <a class="plain" href={`/runs/${run.id}`} dir="auto">
                {lineOf(run.task) || run.id}
              </a>
            </p>
            <p class="soft num">
              {dotted([run.id, lineOf(run.workflow, 60), all > 0 ? `${done} of ${countOf(all, ...nouns)} done` : ''])}
            </p>
            {all > 0 ? (
              <progress max={all} value={done} aria-label={`${capital(nouns[1])} done in ${run.id}`}></progress>
            ) : null}
          </>
        )}
      </div>
      <div class="row go">
        <span class="soft num">{moneyOf(today)} today</span>
        {mayAct(web, project.name, 'start') ? (
          <a class="button line" href={`${projectPath(project.name)}#new`}>
            <Icon name="plus" /> New task<span class="hidden"> for {lineOf(project.name, 60)}</span>
          </a>
        ) : null}
      </div>
    </li>
  );
}

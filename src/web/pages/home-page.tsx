// The home page: open questions, running work and the state of each project.

import type { ProjectConfig } from '../../config/index.js';
import { healthOf } from '../../dispatch/index.js';
import type { Run } from '../../engine/index.js';
import type { WebContext } from '../context/web-context.js';
import { AtWork } from './attempt/attempt-line.js';
import { Cards, openQuestions } from './card.js';
import { nounsOf } from './run/run-view.js';
import { projectPath } from './shared/paths.js';
import { Badge, Empty, healthSaid, runSaid } from './shared/status.js';
import { capital, costOf, countOf, lineOf, moneyOf } from './shared/text.js';

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
      <NeedsMe web={web} hasProjects={projects.length > 0} />
      <Running web={web} />
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
              Send a task in the <a href="/chat">chat</a>; questions and reviews appear here.
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
  return (
    <section id="running" data-live aria-labelledby="running-title">
      <h2 id="running-title">Running</h2>
      {runs.length === 0 ? (
        <Empty title="Nothing is running" />
      ) : (
        <div class="grid two">
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

export function RunAtWork({ web, run }: { readonly web: WebContext; readonly run: Run }) {
  // Read once for all attempts of the run.
  const workflow = web.services.runtime.reader.spine(run.id)?.workflow ?? null;
  return (
    <article class="panel">
      <ul class="list">
        <li>
          <div class="headline">
            <h3>
              <a href={`/runs/${run.id}`}>{lineOf(run.project)}</a> <span class="soft">{run.id}</span>
            </h3>
            <span class="soft num">{costOf(run)}</span>
          </div>
          <p class="soft" dir="auto">
            {lineOf(run.task)}
          </p>
        </li>
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
  const { run, spine, health } = stateOf(web, project);
  const done = spine?.items.filter(({ status }) => status === 'done').length ?? 0;
  const all = spine?.items.length ?? 0;
  const nouns = spine ? nounsOf(spine) : (['story', 'stories'] as const);
  return (
    <li>
      <div class="headline">
        <div class="row">
          <a class="whole" href={projectPath(project.name)}>
            {lineOf(project.name)}
          </a>
          <Badge {...healthSaid(health, run)} />
        </div>
        <span class="soft num">
          {moneyOf(reader.spending(project.name, web.now(), project.budget.zone).today.usd)} today
        </span>
      </div>
      {run === null ? (
        <p class="soft">No run yet</p>
      ) : (
        <>
          <p dir="auto">{lineOf(run.task)}</p>
          <p class="soft row">
            <a href={`/runs/${run.id}`}>{run.id}</a>
            <span>{lineOf(run.workflow, 60)}</span>
            <Badge {...runSaid(run)} />
            {all > 0 ? (
              <span class="num">
                {done} of {countOf(all, ...nouns)} done
              </span>
            ) : null}
          </p>
          {all > 0 ? (
            <progress max={all} value={done} aria-label={`${capital(nouns[1])} done in ${run.id}`}></progress>
          ) : null}
        </>
      )}
    </li>
  );
}

/** A project's live run, else its newest, and how it does. */
export function stateOf({ services: { runtime }, now }: WebContext, { name, stallAfterMs }: ProjectConfig) {
  const { browsing } = runtime.reader;
  const [live] = browsing.liveRuns(name, 1);
  const run = live ?? browsing.runs({ project: name, status: null, before: null, limit: 1 })[0] ?? null;
  const spine = run && runtime.reader.spine(run.id);
  const lastSign = (attempt: string) => runtime.lastSign(attempt);
  return { run, spine, health: healthOf(spine, { at: now(), lastSign, stallAfterMs }) };
}

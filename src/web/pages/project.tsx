// The page of one project: budget, rules, people, chats and runs.

import type { ProjectConfig } from '../../config/index.js';
import { boundThreads } from '../../dispatch/index.js';
import type { WebContext } from '../context/web-context.js';
import { RunAtWork, stateOf } from './home-page.js';
import { RunRows } from './run/run-rows.js';
import { inPath } from './shared/paths.js';
import { Badge, healthSaid } from './shared/status.js';
import { countOf, durationOf, lineOf, moneyOf, tokensOf } from './shared/text.js';

const shownRuns = 20;
const shownPeople = 50;

export function ProjectPage({ web, project }: { readonly web: WebContext; readonly project: ProjectConfig }) {
  const { reader } = web.services.runtime;
  const { run, health } = stateOf(web, project);
  const runs = reader.browsing.runs({ project: project.name, status: null, before: null, limit: shownRuns + 1 });
  const open = reader.browsing.countOpen(project.name);
  return (
    <>
      <div id="head" data-live class="title">
        <h1>{lineOf(project.name)}</h1>
        <div class="row">
          <Badge {...healthSaid(health, run)} />
          {open > 0 ? <a href="/inbox">{countOf(open, 'open question')}</a> : null}
          <code>{lineOf(project.root, 200)}</code>
        </div>
      </div>
      <Spent web={web} project={project} />
      <section id="running" data-live aria-label="Running">
        {run && run.live.length > 0 ? <RunAtWork web={web} run={run} /> : null}
      </section>
      <div class="grid two">
        <Rules project={project} />
        <People project={project} web={web} />
      </div>
      <section id="runs" data-live aria-labelledby="runs-title">
        <h2 id="runs-title">Runs</h2>
        <RunRows runs={runs.slice(0, shownRuns)} now={web.now()} withProject={false} />
        {runs.length > shownRuns ? (
          <p class="more">
            <a href={`/history?project=${inPath(project.name)}`}>All runs</a>
          </p>
        ) : null}
      </section>
    </>
  );
}

function Spent({ web, project }: { readonly web: WebContext; readonly project: ProjectConfig }) {
  const { today, week, ever } = web.services.runtime.reader.spending(project.name, web.now(), project.budget.zone);
  const { dayUsd, projectUsd, runUsd } = project.budget;
  return (
    <section id="spent" data-live aria-labelledby="spent-title">
      <h2 id="spent-title">Money</h2>
      <div class="tiles">
        <Tile label="Today" usd={today.usd} limit={dayUsd} />
        <Tile label="Seven days" usd={week.usd} limit={null} />
        <Tile label="All time" usd={ever.usd} limit={projectUsd} />
        <div class="panel tile">
          <span class="soft">Limit per run</span>
          <b>{runUsd === null ? 'no limit' : moneyOf(runUsd)}</b>
          <span class="soft num">{tokensOf(ever.tokensIn + ever.tokensOut)} tokens so far</span>
        </div>
      </div>
    </section>
  );
}

function Tile({ label, usd, limit }: { readonly label: string; readonly usd: number; readonly limit: number | null }) {
  return (
    <div class="panel tile">
      <span class="soft">{label}</span>
      <b>{moneyOf(usd)}</b>
      {limit === null ? (
        <span class="soft">no limit</span>
      ) : (
        <>
          <span class="soft num">of {moneyOf(limit)}</span>
          <progress
            max={Math.max(limit, 0.01)}
            value={Math.min(usd, limit)}
            aria-label={`${label}, of its limit`}
          ></progress>
        </>
      )}
    </div>
  );
}

function Rules({ project }: { readonly project: ProjectConfig }) {
  const facts: readonly (readonly [string, string])[] = [
    ['Workflow', project.workflow],
    ['Level', project.level],
    ['Delivers as', project.deliver],
    ['Executor', project.executor ?? 'none yet'],
    ['Tests', project.tests?.run ?? 'none'],
    ['Check', project.check ?? 'none'],
    ['Lint', project.lint ?? 'none'],
    ['After a story', project.afterStory ?? 'set by the workflow'],
    ['Alert when silent for', durationOf(project.stallAfterMs)],
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

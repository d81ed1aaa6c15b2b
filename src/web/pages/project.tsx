// The page of one project: what needs a person, what works and waits, what was said, its runs, money and settings.

import type { ProjectConfig } from '../../config/index.js';
import { boundThreads } from '../../dispatch/index.js';
import type { WebContext } from '../context/web-context.js';
import { Cards, openQuestions, WaitingForOthers } from './cards/card.js';
import { RunAtWork } from './home-page.js';
import { ProjectTalk } from './project-talk.js';
import { QueueRows, queuedRuns } from './run/queue-rows.js';
import { RunActions } from './run/run-actions.js';
import { RunRows } from './run/run-rows.js';
import { mayAct } from './shared/commands.js';
import { Icon } from './shared/icons.js';
import { inPath } from './shared/paths.js';
import { Badge } from './shared/status.js';
import { countOf, durationOf, lineOf, moneyOf, tokensOf } from './shared/text.js';
import { stateOfProject } from './shared/work-state.js';

const shownRuns = 20;
const shownPeople = 50;
const shownCards = 10;

export function ProjectPage({ web, project }: { readonly web: WebContext; readonly project: ProjectConfig }) {
  const { reader } = web.services.runtime;
  const { run, state } = stateOfProject(web, project);
  const runs = reader.browsing.runs({ project: project.name, status: null, before: null, limit: shownRuns + 1 });
  const { mine, others, count } = openQuestions(web, shownCards, project.name);
  const queued = queuedRuns(web, project.name);
  const isOver = run === null || run.status === 'completed' || run.status === 'cancelled';
  return (
    <>
      <div id="head" data-live class="title">
        <div class="headline">
          <div class="row">
            <h1>{lineOf(project.name)}</h1>
            <Badge {...state} />
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
      </div>
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
        {queued.length === 0 ? null : (
          <>
            <h2>Queue</h2>
            <QueueRows web={web} runs={queued} withProject={false} />
          </>
        )}
      </section>
      <ProjectTalk web={web} project={project} />
      <section id="runs" data-live aria-labelledby="runs-title">
        <h2 id="runs-title">Runs</h2>
        <RunRows web={web} runs={runs.slice(0, shownRuns)} withProject={false} />
        {runs.length > shownRuns ? (
          <p class="more">
            <a href={`/history?project=${inPath(project.name)}`}>All runs</a>
          </p>
        ) : null}
      </section>
      <Spent web={web} project={project} />
      <details id="settings" class="fold">
        <summary>
          <h2>Settings and people</h2>
        </summary>
        <div class="grid two">
          <Rules project={project} />
          <People project={project} web={web} />
        </div>
      </details>
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

import { personName } from '../../../bot/index.js';
import { nameInConfig, projectNamed } from '../../../config/index.js';
import type { Interaction, Run } from '../../../engine/index.js';
import type { Spine } from '../../../store/index.js';
import type { WebContext } from '../../context/web-context.js';
import { AtWork } from '../attempt/attempt-line.js';
import { Cards } from '../cards/card.js';
import { Tabs } from '../shared/layout.js';
import { projectPath } from '../shared/paths.js';
import { RunActions, StopRun } from '../shared/run-actions.js';
import { Ago, askedSaid, Badge, Since } from '../shared/status.js';
import { capital, costOf, durationOf, lineOf, moneyOf, shortened, tokensOf } from '../shared/text.js';
import { askedOf, stateOfRun } from '../shared/work-state.js';
import { Chain, saidOfItem } from './chain.js';
import { Delivered } from './delivered.js';
import { RunCost } from './run-cost.js';
import { RunEvidence } from './run-evidence.js';
import { itemsShown, nounsOf, presentView } from './run-view.js';
import { Stories } from './stories.js';
import { Timeline } from './timeline/timeline.js';
import { timelineOf } from './timeline/timeline-data.js';

interface RunQuery {
  readonly steps: number | null;
  readonly items: number | null;
  readonly attempts: number;
}

const shownCards = 10;

interface RunProps {
  readonly web: WebContext;
  readonly spine: Spine;
  readonly query: RunQuery;
}

export function RunPage({ web, spine, query }: RunProps) {
  const { reader } = web.services.runtime;
  const { run } = spine;
  const view = presentView(reader, spine, {
    from: query.steps,
    saidOf: (asked) => askedSaid(askedOf(web, run, asked)),
  });
  const shown = itemsShown(spine.items, query.items);
  const now = web.now();
  const interactions = interactionsOf(web, run);
  return (
    <>
      <RunHead web={web} run={run} path="" />
      <div class="columns wide">
        <div class="column">
          <Needs web={web} spine={spine} />
          <section id="chain" data-live aria-labelledby="chain-title">
            <div class="headline">
              <h2 id="chain-title">Chain</h2>
              <a class="soft" href={`/runs/${run.id}/workflow`}>
                Workflow graph
              </a>
            </div>
            <Chain view={view} now={now} itemsFrom={query.items} />
            {run.live.length > 0 ? <Working web={web} spine={spine} /> : null}
          </section>
          <TimelineSection web={web} spine={spine} query={query} interactions={interactions} />
          {spine.items.length > 0 ? (
            <section id="stories" data-live aria-labelledby="stories-title">
              <h2 id="stories-title">{capital(nounsOf(spine)[1])}</h2>
              <Stories reader={reader} spine={spine} items={shown.items} saidOf={(item) => saidOfItem(view, item)} />
            </section>
          ) : (
            <div id="stories" data-live></div>
          )}
        </div>
        <div class="column">
          <section id="evidence" data-live aria-label="Evidence">
            <RunEvidence web={web} run={run} open={spine.interactions} />
          </section>
          <section id="delivered" data-live aria-labelledby="delivered-title">
            <Delivered web={web} run={run} interactions={interactions} items={spine.items} />
          </section>
          <section id="cost" data-live aria-labelledby="cost-title">
            <RunCost web={web} spine={spine} />
          </section>
        </div>
      </div>
    </>
  );
}

function Working({ web, spine }: Omit<RunProps, 'query'>) {
  const { run, workflow } = spine;
  return (
    <div class="panel at-work">
      <ul class="list" aria-label="At work">
        {run.live.map((live) => (
          <AtWork web={web} run={run} live={live} workflow={workflow} />
        ))}
      </ul>
      <div class="foot-actions">
        <StopRun web={web} run={run} />
      </div>
    </div>
  );
}

function Needs({ web, spine }: { readonly web: WebContext; readonly spine: Spine }) {
  const { run, interactions } = spine;
  if (interactions.length === 0) return <div id="needs" data-live></div>;
  return (
    <section id="needs" data-live aria-label="Needs you">
      <Cards web={web} open={interactions.slice(0, shownCards).map((interaction) => ({ run: run.id, interaction }))} />
      {interactions.length > shownCards ? (
        <p class="more">
          <a href="/inbox?all=1">And {interactions.length - shownCards} more</a>
        </p>
      ) : null}
    </section>
  );
}

interface RunHeadProps {
  readonly web: WebContext;
  readonly run: Run;
  readonly path: '' | '/history' | '/workflow' | '/changes';
}

export function RunHead({ web, run, path }: RunHeadProps) {
  const now = web.now();
  const [first = '', ...rest] = shortened(run.task, 4_000).split('\n');
  const own = `/runs/${run.id}`;
  const tabs = {
    [own]: 'Run',
    ...(run.startedAt === null ? {} : { [`${own}/changes`]: 'Changes' }),
    [`${own}/history`]: 'History',
    [`${own}/workflow`]: 'Workflow',
  };
  return (
    <div id="head" data-live class="title">
      <p class="crumbs">
        <a href={projectPath(run.project)}>{lineOf(run.project)}</a> <span aria-hidden="true">/</span>
        <span>{run.id}</span>
      </p>
      <div class="headline">
        <div class="row">
          <h1 dir="auto">{lineOf(first, 200) || run.id}</h1>
          <Badge {...stateOfRun(web, run)} />
        </div>
        {path === '/changes' ? null : <RunActions web={web} run={run} />}
      </div>
      {rest.join('').trim() === '' ? null : (
        <details id="task">
          <summary class="soft">The whole task</summary>
          <pre dir="auto">{rest.join('\n').trim()}</pre>
        </details>
      )}
      <div class="row dots">
        <span class="soft">{lineOf(run.workflow, 60)}</span>
        <span class="soft">{lineOf(personName(nameInConfig(run.createdBy)), 40)}</span>
        <span class="soft num">
          {run.startedAt === null ? (
            <>
              made <Ago at={run.createdAt} now={now} />
            </>
          ) : run.endedAt === null ? (
            <>
              for <Since at={run.startedAt} now={now} />
            </>
          ) : run.endedAt < run.startedAt ? null : (
            `took ${durationOf(run.endedAt - run.startedAt)}`
          )}
        </span>
        <span class="soft num">
          {costOf(run)}
          {run.budgetUsd === null
            ? ''
            : ` ${run.unpriced && run.costUsd === 0 ? '· limit' : 'of'} ${moneyOf(run.budgetUsd)}`}
          {run.tokensOut > 0 ? ` · ${tokensOf(run.tokensIn + run.tokensOut)} tokens` : ''}
        </span>
        {run.branch === null ? null : <code>{lineOf(run.branch.name, 80)}</code>}
        <a href={`${projectPath(run.project)}?about=${run.id}#talk`}>Conversation</a>
      </div>
      <Tabs label="This run" tabs={tabs} current={`${own}${path}`} />
    </div>
  );
}

const shownInteractions = 60;

/** The newest ones, oldest first. */
function interactionsOf({ services }: WebContext, { number, counters }: Run): readonly Interaction[] {
  const first = Math.max(1, counters.interactions - shownInteractions + 1);
  const ids = Array.from(
    { length: Math.max(0, counters.interactions - first + 1) },
    (_, n) => `i${number}-${first + n}`,
  );
  return ids.flatMap((id) => services.runtime.reader.interaction(id)?.interaction ?? []);
}

interface TimelineSectionProps extends RunProps {
  readonly interactions: readonly Interaction[];
}

function TimelineSection({ web, spine, query, interactions }: TimelineSectionProps) {
  const { reader } = web.services.runtime;
  const { run } = spine;
  const rows = reader.browsing.newestAttempts(run.id, query.attempts + 1);
  const attempts = rows.slice(0, query.attempts);
  const data = timelineOf({ attempts, interactions, labelOf: stepNames(web, run.id), now: web.now() });
  return (
    <section id="timeline" data-live aria-labelledby="timeline-title">
      <div class="headline">
        <h2 id="timeline-title">Timeline</h2>
        <p class="soft legend" aria-hidden="true">
          <span class="key ok">passed</span>
          <span class="key bad">failed</span>
          <span class="key wait">waiting for you</span>
          {isAlone(web, run.project) ? null : <span class="key other">for others</span>}
        </p>
      </div>
      {data === null ? (
        <p class="panel empty">No attempts yet.</p>
      ) : (
        <Timeline web={web} project={run.project} data={data} />
      )}
      {rows.length > attempts.length ? (
        <p class="more">
          {query.attempts < maxAttempts ? (
            <a href={`/runs/${run.id}?attempts=${Math.min(maxAttempts, query.attempts * 4)}#timeline`}>Show more</a>
          ) : (
            <a href={`/api/runs/${run.id}/attempts`}>All attempts as JSON</a>
          )}
        </p>
      ) : null}
    </section>
  );
}

/** No one else has a role. */
function isAlone({ services }: WebContext, project: string): boolean {
  return Object.keys(projectNamed(services.config(), project)?.members ?? {}).length === 0;
}

export const maxAttempts = 480;

/** Cached, because a node may have many attempts. */
function stepNames(
  { services }: WebContext,
  run: string,
): (row: { readonly chain: string; readonly node: string }) => string {
  const names = new Map<string, string>();
  return ({ chain, node }) => {
    const known = names.get(node) ?? services.runtime.reader.browsing.nodeName(run, node) ?? node;
    names.set(node, known);
    return chain === '' ? lineOf(known, 60) : `${lineOf(chain, 60)} ${lineOf(known, 60)}`;
  };
}

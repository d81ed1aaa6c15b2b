import type { QueuedWork, QueuePart, QueueView, WaitingGroup } from '../../../dispatch/index.js';
import { homeDisk } from '../../../jobs/index.js';
import type { WebContext } from '../../context/web-context.js';
import { AttemptLine, attemptKnown } from '../attempt/attempt-line.js';
import { projectPath } from '../shared/paths.js';
import { Badge, Empty } from '../shared/status.js';
import { clockOf, countOf, dotted, isoOf, lineOf } from '../shared/text.js';
import { isOwn, lacking, type WorkerShown, workersShown } from '../shared/worker-view.js';
import { Nobody, WorkersHead } from './workers.js';

const shownRows = 50;

export function Queue({ web }: { readonly web: WebContext }) {
  const view = web.services.runtime.queueView(shownRows);
  const workers = workersShown(web);
  const isWaited = view.waiting.count + view.offered.count > 0;
  return (
    <>
      <WorkersHead path="/queue" />
      <Totals view={view} />
      {isWaited && !workers.some(({ isTaking }) => isTaking) ? (
        <div id="nobody" data-live>
          <Nobody web={web} />
        </div>
      ) : (
        <div id="nobody" data-live></div>
      )}
      <Groups view={view} workers={workers} />
      <Part web={web} id="at-work" title="Running" none="Nothing is running" part={view.running} />
      {view.redis.kind === 'none' ? (
        <div id="on-offer" data-live></div>
      ) : (
        <Part web={web} id="on-offer" title="On offer" none="Nothing is on offer" part={view.offered} />
      )}
      <Part web={web} id="waiting" title="Waiting" none="Nothing is waiting" part={view.waiting} />
    </>
  );
}

function Totals({ view }: { readonly view: QueueView }) {
  const { redis } = view;
  const counts = [
    ['Running', view.running.count],
    ...(redis.kind === 'none' ? [] : [['On offer', view.offered.count] as const]),
    ['Waiting', view.waiting.count],
  ] as const;
  return (
    <section id="totals" data-live aria-label="Summary">
      <div class="tiles">
        {counts.map(([label, count]) => (
          <div class="panel tile">
            <span class="soft">{label}</span>
            <b>{count}</b>
          </div>
        ))}
        <div class="panel tile">
          <span class="soft">Redis</span>
          <span>
            {redis.kind === 'none' ? <Badge tone="quiet" word="none" /> : null}
            {redis.kind === 'fine' ? <Badge tone="ok" word="reached" /> : null}
            {redis.kind === 'away' ? <Badge tone="bad" word={troubleIn(redis.problem)} /> : null}
          </span>
          {redis.kind === 'none' ? <span class="soft">the queue is in this process</span> : null}
        </div>
      </div>
      {redis.kind === 'away' ? (
        <p class="panel more problem">
          {lineOf(redis.problem, 300).replace(/\.$/, '')}. Nothing is lost: work continues by itself once Redis is back.
        </p>
      ) : null}
    </section>
  );
}

function troubleIn(problem: string): string {
  return /\bis (full|away|too slow)\b/.exec(problem)?.[1] ?? 'not working';
}

function Groups({ view, workers }: { readonly view: QueueView; readonly workers: readonly WorkerShown[] }) {
  const groups = view.groups.slice(0, shownRows);
  if (groups.length === 0) return <div id="groups" data-live></div>;
  return (
    <section id="groups" data-live aria-labelledby="groups-title">
      <h2 id="groups-title">Not started, by project and need</h2>
      <ul class="panel list">
        {groups.map((group) => (
          <Group group={group} workers={workers} />
        ))}
      </ul>
    </section>
  );
}

function Group({ group, workers }: { readonly group: WaitingGroup; readonly workers: readonly WorkerShown[] }) {
  const { project, needs, count } = group;
  const missing = lacking(workers, needs);
  return (
    <li>
      <div class="headline">
        <div class="row">
          <a class="whole" href={projectPath(project)}>
            {lineOf(project, 60)}
          </a>
          <span class="soft">{needs.length === 0 ? 'any worker' : `needs ${listed(needs)}`}</span>
        </div>
        <span class="num">{countOf(count, 'attempt')}</span>
      </div>
      {missing === null || missing.length === 0 ? null : (
        <p class="problem">
          No connected worker can do {listed(missing)}: {count === 1 ? 'it waits' : 'they wait'} for{' '}
          <WayOut missing={missing} />.
        </p>
      )}
    </li>
  );
}

function WayOut({ missing }: { readonly missing: readonly string[] }) {
  const others = missing.filter((need) => need !== homeDisk);
  const ones = others.map((need) => `--can ${lineOf(need, 40)}`).join(' ');
  if (others.length === missing.length) {
    return (
      <>
        one started with <code>bosun worker {ones}</code>
      </>
    );
  }
  return (
    <>
      a worker on Bosun's own machine{others.length === 0 ? '' : `, started with ${ones}`}; or set{' '}
      <code>git.remote</code> for the project, so that a worker on another machine can fetch it once its merge has ended
    </>
  );
}

interface PartProps {
  readonly web: WebContext;
  readonly id: string;
  readonly title: string;
  readonly none: string;
  readonly part: QueuePart;
}

function Part({ web, id, title, none, part }: PartProps) {
  const rows = part.oldest.slice(0, shownRows);
  return (
    <section id={id} data-live aria-labelledby={`${id}-title`}>
      <div class="headline">
        <h2 id={`${id}-title`}>{title}</h2>
        {part.count > 1 ? <p class="soft num">{part.count}, oldest first</p> : null}
      </div>
      {rows.length === 0 ? (
        <Empty title={none} />
      ) : (
        <ul class="panel list">
          {rows.map((work) => (
            <Work web={web} work={work} />
          ))}
        </ul>
      )}
      {part.count > rows.length ? <p class="more soft">and {part.count - rows.length} more</p> : null}
    </section>
  );
}

function Work({ web, work }: { readonly web: WebContext; readonly work: QueuedWork }) {
  const known = attemptKnown(web, work.attempt);
  const { needs, worker, notBefore } = work;
  const facts = dotted([
    worker === null ? '' : isOwn(worker) ? 'in this process' : `on ${lineOf(worker, 80)}`,
    needs.length === 0 ? '' : `needs ${listed(needs)}`,
  ]);
  const later = notBefore !== null && notBefore > web.now() ? notBefore : null;
  if (known === null) return <li class="soft">{lineOf(work.attempt, 120)}, which has ended</li>;
  return (
    <AttemptLine web={web} known={known} since={work.since}>
      {facts === '' && later === null ? null : (
        <>
          {facts}
          {later === null ? null : (
            <>
              {facts === '' ? '' : ' · '}not before <time datetime={isoOf(later)}>{clockOf(later, web.zone)}</time>
            </>
          )}
        </>
      )}
    </AttemptLine>
  );
}

function listed(words: readonly string[]): string {
  return words
    .slice(0, 20)
    .map((word) => lineOf(word, 40))
    .join(' and ');
}

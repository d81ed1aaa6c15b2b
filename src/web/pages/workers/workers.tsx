import type { WebContext } from '../../context/web-context.js';
import { type AttemptKnown, AttemptLine, attemptKnown } from '../attempt/attempt-line.js';
import { Tabs } from '../shared/layout.js';
import { Badge, Empty, Since } from '../shared/status.js';
import { countOf, dotted, lineOf } from '../shared/text.js';
import { isOwn, type WorkerShown, workersShown } from '../shared/worker-view.js';

const shownWorkers = 100;
const shownAttempts = 50;

export function Workers({ web }: { readonly web: WebContext }) {
  const workers = workersShown(web);
  const shown = workers.slice(0, shownWorkers);
  const held = heldBy(web, workers);
  const { left } = held;
  return (
    <>
      <WorkersHead path="/workers" />
      <section id="workers" data-live aria-labelledby="workers-title">
        <div class="headline">
          <h2 id="workers-title">Workers</h2>
          <p class="soft num">{summaryOf(workers)}</p>
        </div>
        {workers.length === 0 ? (
          <Nobody web={web} />
        ) : (
          <ul class="panel list">
            {shown.map((worker) => (
              <WorkerRow web={web} worker={worker} held={held.of(worker)} />
            ))}
          </ul>
        )}
        {workers.length > shown.length ? <p class="more soft">and {workers.length - shown.length} more</p> : null}
      </section>
      {left.length === 0 ? (
        <div id="elsewhere" data-live></div>
      ) : (
        <section id="elsewhere" data-live aria-labelledby="elsewhere-title">
          <h2 id="elsewhere-title">Running elsewhere</h2>
          <ul class="panel list">
            {left.slice(0, shownAttempts).map((known) => (
              <AttemptLine web={web} known={known} since={known.row.attempt.startedAt}>
                {workerOf(known)}
              </AttemptLine>
            ))}
          </ul>
          {left.length > shownAttempts ? <p class="more soft">and {left.length - shownAttempts} more</p> : null}
        </section>
      )}
    </>
  );
}

export function WorkersHead({ path }: { readonly path: '/workers' | '/queue' }) {
  const tabs = { '/workers': 'Workers', '/queue': 'Queue' } as const;
  return (
    <div class="title">
      <h1>{tabs[path]}</h1>
      <Tabs label="Workers and queue" tabs={tabs} current={path} />
    </div>
  );
}

export function Nobody({ web }: { readonly web: WebContext }) {
  const hasRedis = web.services.config().queue.redis !== null;
  return (
    <Empty title={hasRedis ? 'No worker is connected' : 'This process runs no agents'}>
      {hasRedis ? (
        <p>
          Work waits. Start a worker with <code>bosun worker</code> on a machine that reaches this Redis, or restart{' '}
          <code>bosun up</code> without <code>--no-worker</code>.
        </p>
      ) : (
        <p>
          Work waits. Restart <code>bosun up</code> without <code>--no-worker</code>, or set <code>queue.redis</code> in
          config.yaml and start a separate <code>bosun worker</code>.
        </p>
      )}
    </Empty>
  );
}

function WorkerRow({ web, worker, held }: { web: WebContext; worker: WorkerShown; held: readonly AttemptKnown[] }) {
  const { load, isSilent } = worker;
  const facts = factsOf(worker);
  const trouble = troubleOf(worker, web.version);
  return (
    <li class="worker">
      <div class="headline">
        <div class="row">
          <strong>{nameOf(worker)}</strong>
          {isSilent ? <Badge tone="bad" word="silent" /> : <Badge {...busy(worker, held.length)} />}
          {worker.self?.isDraining && !isSilent ? <Badge tone="wait" word="draining" /> : null}
          {isOther(worker, web.version) ? <Badge tone="wait" word="another version" /> : null}
        </div>
        <span class="soft num">
          {load === undefined ? '' : `${load.running} of ${countOf(load.slots, 'slot')} used · `}
          {isSilent ? (
            <>
              last heartbeat <Since at={worker.seenAt} now={web.now()} /> ago
            </>
          ) : (
            'last heartbeat just now'
          )}
        </span>
      </div>
      {facts === '' ? null : <p class="soft">{facts}</p>}
      {trouble.map((words) => (
        <p class="problem">{words}</p>
      ))}
      {held.length === 0 ? null : (
        <ul class="inner">
          {held.slice(0, shownAttempts).map((known) => (
            <AttemptLine web={web} known={known} since={known.row.attempt.startedAt} />
          ))}
        </ul>
      )}
      {held.length > shownAttempts ? <p class="soft">and {held.length - shownAttempts} more</p> : null}
    </li>
  );
}

function factsOf({ self }: WorkerShown): string {
  if (self === undefined) return '';
  const { host, isAway, can, version } = self;
  return dotted([
    host === '' ? '' : `on ${lineOf(host, 60)}`,
    isAway ? 'works in its own clone' : '',
    can.length === 0
      ? ''
      : `can do ${can
          .slice(0, 20)
          .map((one) => lineOf(one, 40))
          .join(', ')}`,
    version === '' ? '' : `Bosun ${lineOf(version, 40)}`,
  ]);
}

function isOther({ self }: WorkerShown, own: string): boolean {
  return self !== undefined && (self.isForeign || (self.version !== '' && self.version !== own));
}

function troubleOf(worker: WorkerShown, own: string): readonly string[] {
  const problems: string[] = [];
  if (worker.isSilent) problems.push('It may be dead: another worker retries its attempts.');
  if (worker.self?.isForeign) problems.push(`Bosun refuses its jobs: upgrade it to this Bosun's version, ${own}.`);
  return problems;
}

function nameOf({ name }: WorkerShown): string {
  return isOwn(name) ? `${lineOf(name, 80)}, in this process` : lineOf(name, 80);
}

function busy({ load }: WorkerShown, held: number) {
  const running = load?.running ?? held;
  if (running === 0) return { tone: 'quiet', word: 'free' } as const;
  return { tone: 'run', word: load !== undefined && running >= load.slots ? 'full' : 'working' } as const;
}

function summaryOf(workers: readonly WorkerShown[]): string {
  const silent = workers.filter(({ isSilent }) => isSilent).length;
  return [countOf(workers.length - silent, 'worker'), silent > 0 ? `${silent} silent` : ''].filter(Boolean).join(', ');
}

/** The worker that reports it, else the one that claimed it. */
function heldBy(web: WebContext, workers: readonly WorkerShown[]) {
  const { oldest } = web.services.runtime.queueView(shownAttempts * 4).running;
  const known = oldest.flatMap(({ attempt }) => attemptKnown(web, attempt) ?? []);
  const ofWorker = new Map<string, AttemptKnown[]>();
  const left: AttemptKnown[] = [];
  for (const one of known) {
    const holder = workers.find((worker) => isHeld(worker, one));
    if (holder === undefined) left.push(one);
    else ofWorker.set(holder.name, [...(ofWorker.get(holder.name) ?? []), one]);
  }
  return { left, of: ({ name }: WorkerShown) => ofWorker.get(name) ?? [] };
}

function isHeld({ name, self }: WorkerShown, { row }: AttemptKnown): boolean {
  const { id, worker } = row.attempt;
  if (self !== undefined) return self.runs.includes(id);
  return worker !== null && (worker === name || (name === 'embedded' && isOwn(worker)));
}

function workerOf({ row }: AttemptKnown): string {
  return row.attempt.worker === null ? '' : `claimed by ${lineOf(row.attempt.worker, 80)}`;
}

// Who does the work: the worker in this process, what it holds and what waits.
import type { Site } from '../site.js';
import { RunAtWork } from './home.js';
import { Badge, Empty } from './status.js';
import { countOf } from './text.js';

const shownRuns = 50;

export function Workers({ site }: { readonly site: Site }) {
  const { room } = site.desk;
  const open = room.store.openAttempts();
  const running = open.filter(({ attempt }) => attempt.state === 'running');
  const holding = room.store.browsing.liveRuns(null, shownRuns).filter(({ live }) => live.length > 0);
  return (
    <>
      <h1>Workers</h1>
      <section id="workers" data-live aria-label="Workers">
        <ul class="panel list">
          <li>
            <div class="headline">
              <div class="row">
                <strong>embedded</strong>
                <Badge tone={room.isWorking ? 'ok' : 'quiet'} word={room.isWorking ? 'works' : 'off'} />
              </div>
              <span class="soft num">
                {countOf(running.length, 'attempt')} at work, {open.length - running.length} queued
              </span>
            </div>
            <p class="soft">
              {room.isWorking
                ? `In this process, pid ${process.pid}, Bosun ${site.version}.`
                : 'This process runs no agents: it was started with --no-worker.'}
            </p>
          </li>
        </ul>
      </section>
      <section id="holding" data-live aria-labelledby="holding-title">
        <h2 id="holding-title">At work</h2>
        {holding.length === 0 ? (
          <Empty title="Nothing is at work" />
        ) : (
          <div class="grid two">
            {holding.map((run) => (
              <RunAtWork site={site} run={run} />
            ))}
          </div>
        )}
      </section>
    </>
  );
}

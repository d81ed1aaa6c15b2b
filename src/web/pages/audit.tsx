// Who did what and when, and whether the history is whole: each event is sealed with the hash of all before it.
import { eventLine } from '../../bot/index.js';
import type { Site } from '../site.js';
import { Badge, Empty } from './status.js';
import { isoOf, lineOf, stampOf } from './text.js';

export interface AuditQuery {
  readonly by: string;
  readonly before: number | null;
  readonly check: string;
}

const pageSize = 50;
const keptForMs = 60_000;

export function Audit({ site, query }: { readonly site: Site; readonly query: AuditQuery }) {
  const { store } = site.desk.room;
  const by = query.by.trim() === '' ? null : query.by.trim();
  const { events, next } = store.browsing.byPeople(by, query.before, pageSize);
  const more = new URLSearchParams({ by: query.by, before: String(next ?? 0) });
  return (
    <>
      <h1>Audit</h1>
      {site.who.kind === 'home-owner' ? <HashChain site={site} isAsked={query.check === '1'} /> : null}
      <form class="panel filters" method="get" action="/audit">
        <label for="by">
          Person
          <input id="by" name="by" value={query.by} maxlength={100} placeholder="anybody" data-first />
        </label>
        <button type="submit">Filter</button>
      </form>
      <section aria-labelledby="acts-title">
        <h2 id="acts-title">What people did</h2>
        {events.length === 0 ? (
          <Empty title="Nothing here" />
        ) : (
          <section class="panel scroll" tabindex={0} aria-label="What people did">
            <table class="stack">
              <thead>
                <tr>
                  <th>When (UTC)</th>
                  <th>Who</th>
                  <th>What</th>
                  <th>Run</th>
                  <th class="num">Event</th>
                </tr>
              </thead>
              <tbody>
                {events.map(({ seq, event }) => (
                  <tr>
                    <td class="nowrap soft">
                      <time datetime={isoOf(event.at)}>{stampOf(event.at)}</time>
                    </td>
                    <td>
                      {'by' in event ? lineOf(event.by, 60) : ''}
                      {'where' in event && event.where ? <span class="soft"> · {lineOf(event.where, 30)}</span> : null}
                    </td>
                    <td class="what">{eventLine(event)}</td>
                    <td>
                      <a href={`/runs/${event.run}`}>{event.run}</a>
                    </td>
                    <td class="num">{seq}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
        {next === null ? null : (
          <p class="more">
            <a href={`/audit?${more}`}>Earlier</a>
          </p>
        )}
      </section>
    </>
  );
}

function HashChain({ site, isAsked }: { readonly site: Site; readonly isAsked: boolean }) {
  return (
    <section aria-labelledby="seal-title">
      <h2 id="seal-title">Hash chain</h2>
      {isAsked ? (
        <Seal site={site} />
      ) : (
        <p class="panel more">
          <span class="num">{site.desk.room.store.browsing.newestSeq()}</span> events, each sealed with all before it.{' '}
          <a href="/audit?check=1">Check the whole chain</a>
        </p>
      )}
    </section>
  );
}

interface Checked {
  readonly at: number;
  readonly seq: number;
  readonly found: ReturnType<Site['desk']['room']['store']['auditBreak']>;
}

const lately = new WeakMap<object, Checked>();

/** It reads every event, so that it is asked for, and not again within a minute. */
function Seal({ site }: { readonly site: Site }) {
  const { store } = site.desk.room;
  const before = lately.get(store);
  const isFresh = before !== undefined && site.now() - before.at < keptForMs;
  const checked = isFresh ? before : { at: site.now(), seq: store.browsing.newestSeq(), found: store.auditBreak() };
  lately.set(store, checked);
  return (
    <p class="panel more row">
      {checked.found === null ? (
        <>
          <Badge tone="ok" word="whole" />
          <span>
            All {checked.seq} events fit each other, as of{' '}
            <time datetime={isoOf(checked.at)}>{stampOf(checked.at)} UTC</time>.
          </span>
        </>
      ) : (
        <>
          <Badge tone="bad" word="broken" />
          <span>
            At event {checked.found.seq}: {lineOf(checked.found.why, 300)}
          </span>
        </>
      )}
    </p>
  );
}

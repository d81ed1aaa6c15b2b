import { setImmediate as breathe } from 'node:timers/promises';
import { eventLine, eventWords, personName, withoutCodes } from '../../bot/index.js';
import { homeOwner } from '../../config/index.js';
import type { AuditBreak, HomeReader } from '../../store/index.js';
import type { WebContext } from '../context/web-context.js';
import { Icon } from './shared/icons.js';
import { Badge, Empty } from './shared/status.js';
import { channelName, isoOf, lineOf, stampOf } from './shared/text.js';

export interface AuditQuery {
  readonly by: string;
  readonly before: number | null;
  readonly check: string;
}

const pageSize = 50;
const keptForMs = 60_000;

export interface AuditProps {
  readonly web: WebContext;
  readonly query: AuditQuery;
  readonly seal: Checked | null;
}

export function Audit({ web, query, seal }: AuditProps) {
  const { reader } = web.services.runtime;
  const by = query.by.trim() === '' ? null : query.by.trim();
  const { events, next } = reader.browsing.byPeople(by, query.before, pageSize);
  const more = new URLSearchParams({ by: query.by, before: String(next ?? 0) });
  return (
    <>
      <h1>Audit</h1>
      {web.who.kind === 'home-owner' ? <HashChain web={web} seal={seal} /> : null}
      <PersonFilter web={web} by={by} />
      <section aria-labelledby="acts-title">
        <h2 id="acts-title">What people did</h2>
        {events.length === 0 ? (
          <Empty title="No events found" />
        ) : (
          <section class="panel scroll" tabindex={0} aria-label="What people did">
            <table class="stack">
              <thead>
                <tr>
                  <th>When</th>
                  <th>What</th>
                  <th>From</th>
                  <th>Run</th>
                  <th class="num">Event</th>
                </tr>
              </thead>
              <tbody>
                {events.map(({ seq, event }) => (
                  <tr>
                    <td class="nowrap soft">
                      <time datetime={isoOf(event.at)}>{stampOf(event.at, web.zone)}</time>
                    </td>
                    <td class="what">
                      <details>
                        <summary dir="auto">{withoutCodes(eventWords(reader, event))}</summary>
                        <code>{eventLine(event)}</code>
                      </details>
                    </td>
                    <td class="soft">{'where' in event && event.where ? channelName(event.where) : ''}</td>
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

const maxPeople = 100;

/** The members of the projects that the viewer sees. */
function peopleIn({ services }: WebContext): readonly string[] {
  const members = services.config().projects.flatMap((project) => Object.keys(project.members));
  return [homeOwner, ...new Set(members.filter((name) => name !== homeOwner).sort())].slice(0, maxPeople);
}

function PersonFilter({ web, by }: { readonly web: WebContext; readonly by: string | null }) {
  return (
    <ul class="row tokens" aria-label="Filters">
      {by === null ? null : (
        <li>
          <a class="token" href="/audit">
            <span class="soft">person</span> {lineOf(personName(by), 40)} <Icon name="x" />
            <span class="hidden">: remove this filter</span>
          </a>
        </li>
      )}
      <li>
        <details id="audit-filter" class="drop">
          <summary class="token add">
            <Icon name="plus" /> Filter
          </summary>
          <div class="menu">
            {peopleIn(web).map((name) => (
              <a href={`/audit?${new URLSearchParams({ by: name })}`} aria-current={name === by ? 'true' : undefined}>
                {lineOf(personName(name), 40)}
              </a>
            ))}
            <form class="row" method="get" action="/audit">
              <label for="by">
                <span class="hidden">Someone else, as a former member</span>
                <input id="by" name="by" maxlength={100} placeholder="name" required />
              </label>
              <button type="submit">Show</button>
            </form>
          </div>
        </details>
      </li>
    </ul>
  );
}

function HashChain({ web, seal }: Pick<AuditProps, 'web' | 'seal'>) {
  return (
    <section aria-labelledby="seal-title">
      <h2 id="seal-title">Hash chain</h2>
      {seal !== null ? (
        <Seal checked={seal} zone={web.zone} />
      ) : (
        <p class="panel more">
          <span class="num">{web.services.runtime.reader.browsing.newestSeq()}</span> events, each sealed with the hash
          of all before it. <a href="/audit?check=1">Check the whole chain</a>
        </p>
      )}
    </section>
  );
}

interface Checked {
  readonly at: number;
  readonly seq: number;
  readonly found: AuditBreak | null;
}

const lately = new WeakMap<object, { readonly at: number; readonly checked: Promise<Checked> }>();

/** Reads every event: on request, shared, cached for a minute. */
export function sealOf({ services, now, who }: WebContext): Promise<Checked> | null {
  if (who.kind !== 'home-owner') return null;
  const { reader } = services.runtime;
  const before = lately.get(reader);
  if (before !== undefined && now() - before.at < keptForMs) return before.checked;
  const at = now();
  const checked = walked(reader).then((found) => ({ at, seq: reader.browsing.newestSeq(), found }));
  lately.set(reader, { at, checked });
  checked.catch(() => lately.delete(reader));
  return checked;
}

async function walked(reader: Pick<HomeReader, 'auditWalk'>): Promise<AuditBreak | null> {
  const steps = reader.auditWalk();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await breathe();
  }
}

function Seal({ checked, zone }: { readonly checked: Checked; readonly zone: string | null }) {
  return (
    <p class="panel more row">
      {checked.found === null ? (
        <>
          <Badge tone="ok" word="intact" />
          <span>
            All {checked.seq} events are consistent, as of{' '}
            <time datetime={isoOf(checked.at)}>{stampOf(checked.at, zone)}</time>.
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

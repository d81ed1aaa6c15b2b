// Events, and the state after any of them.
import { eventLine, eventWords, withoutCodes } from '../../../bot/index.js';
import type { Spine, StoredEvent } from '../../../store/index.js';
import { inSlot, type WebContext } from '../../context/web-context.js';
import { maxReplayed, replayed } from '../shared/replay.js';
import { Badge, workSaid } from '../shared/status.js';
import { costOf, countOf, isoOf, lineOf, stampOf } from '../shared/text.js';
import { Chain } from './chain.js';
import { RunHead } from './run.js';
import { pastView, type RunView } from './run-view.js';

interface ReplayShown {
  readonly at: number;
  readonly count: number;
  readonly view: RunView | null;
  /** Set if the state cannot be shown. */
  readonly why: string | null;
  readonly around: readonly StoredEvent[];
  readonly when: number;
}

const shownAround = 15;

export async function replayAt(web: WebContext, spine: Spine, wanted: number | null): Promise<ReplayShown> {
  const { reader } = web.services.runtime;
  const { id } = spine.run;
  const count = reader.browsing.countEvents(id);
  // Replaying a long run is slow: start at its first event.
  const at = Math.max(1, Math.min(wanted ?? (count > maxReplayed ? 1 : count), count));
  const present = reader.browsing.nthEvent(id, at);
  const first = reader.browsing.nthEvent(id, Math.max(1, at - shownAround));
  const around = first === null ? [] : reader.events(id, first.seq - 1, 2 * shownAround + 1);
  const when = present?.event.at ?? 0;
  if (at > maxReplayed)
    return { at, count, view: null, why: `Only the first ${maxReplayed} events can be replayed here.`, around, when };
  const { workflow } = spine;
  const { world } = await inSlot(web, () => replayed({ reader, run: id, workflow, count: at }));
  return { at, count, view: pastView(spine, world), why: null, around, when };
}

interface ReplayPageProps {
  readonly web: WebContext;
  readonly spine: Spine;
  readonly replay: ReplayShown;
}

export function ReplayPage({ web, spine, replay }: ReplayPageProps) {
  const { run } = spine;
  const { at, count, view, around, when } = replay;
  const path = `/runs/${run.id}/history`;
  return (
    <>
      <RunHead web={web} run={run} path="/history" />
      <section aria-labelledby="replay-title">
        <div class="headline">
          <h2 id="replay-title">Replay</h2>
          <p class="soft num" id="replay-place" data-live>
            Event {at} of {count}, <time datetime={isoOf(when)}>{stampOf(when, web.zone)}</time>
          </p>
        </div>
        <form class="panel filters slide" method="get" action={path} data-slide>
          <label for="at">
            After event
            <input id="at" type="range" name="at" min={1} max={Math.max(1, count)} value={at} data-first />
          </label>
          <div class="buttons" id="replay-steps" data-live>
            <a class="button" id="replay-back" href={`${path}?at=${Math.max(1, at - 1)}`}>
              Previous
            </a>
            <a class="button" id="replay-on" href={`${path}?at=${Math.min(count, at + 1)}`}>
              Next
            </a>
            <noscript>
              <button type="submit">Show</button>
            </noscript>
          </div>
        </form>
      </section>
      <section id="then" data-live aria-labelledby="then-title">
        <h2 id="then-title">State after this event</h2>
        {view === null ? (
          <p class="panel empty">{replay.why ?? 'The run had no state yet.'}</p>
        ) : (
          <>
            <p class="row stood">
              <Badge {...workSaid({ run: view.spine.run, asked: askedThen(view) })} />
              <span class="soft num">{costOf(view.spine.run)}</span>
              {view.spine.interactions.some(({ state }) => state === 'open') ? (
                <span class="soft">
                  asked:{' '}
                  {view.spine.interactions
                    .filter(({ state }) => state === 'open')
                    .map(({ text, kind }) => lineOf(withoutCodes(text), 80) || kind)
                    .join('; ')}
                </span>
              ) : null}
            </p>
            <Chain view={view} now={when} itemsFrom={null} />
          </>
        )}
      </section>
      <section id="events" data-live aria-labelledby="events-title">
        <div class="headline">
          <h2 id="events-title">Events around this one</h2>
          <p class="soft">{countOf(count, 'event')} in all</p>
        </div>
        <ol class="panel list dense">
          {around.map(({ seq, event }, index) => (
            <li aria-current={Math.max(1, at - shownAround) + index === at ? 'true' : undefined}>
              <details id={`event-${seq}`}>
                <summary dir="auto">{withoutCodes(eventWords(web.services.runtime.reader, event))}</summary>
                <code>{eventLine(event)}</code>
              </details>
              <span class="soft num">
                <time datetime={isoOf(event.at)}>{stampOf(event.at, web.zone)}</time> · event{' '}
                {Math.max(1, at - shownAround) + index}
              </span>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

function askedThen({ spine }: RunView) {
  const open = spine.interactions.find(({ state }) => state === 'open');
  return open === undefined ? null : { kind: open.kind, isMine: true, who: 'a person' };
}

// All open interactions, oldest first.
import type { WebContext } from '../context/web-context.js';
import { askedOf, Card } from './card.js';
import { Empty } from './shared/status.js';
import { countOf } from './shared/text.js';

const shownAtFirst = 30;
const shownAtMost = 300;

export function Inbox({ web, all }: { readonly web: WebContext; readonly all: boolean }) {
  const { reader } = web.services.runtime;
  const limit = all ? shownAtMost : shownAtFirst;
  const open = reader.browsing.openInteractions(null, limit);
  const count = open.length < limit ? open.length : reader.browsing.countOpen(null);
  return (
    <section id="inbox" data-live aria-labelledby="inbox-title">
      <div class="headline">
        <h1 id="inbox-title">Inbox</h1>
        <p class="soft">{countOf(count, 'open question')}</p>
      </div>
      {open.length === 0 ? (
        <Empty title="Nothing waits for you">
          <p>Reviews, questions and permissions of all projects come here.</p>
        </Empty>
      ) : (
        <div class="grid">
          {open.map((one) => (
            <Card web={web} asked={askedOf(reader, one)} />
          ))}
        </div>
      )}
      {count > open.length && !all ? (
        <p class="more">
          <a href="/inbox?all=1">Show more</a>
        </p>
      ) : null}
      {count > open.length && all ? (
        <p class="more">And {count - open.length} more: they come up as these are answered</p>
      ) : null}
    </section>
  );
}

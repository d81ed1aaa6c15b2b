// All open interactions, oldest first.
import type { WebContext } from '../../context/web-context.js';
import { Empty } from '../shared/status.js';
import { countOf } from '../shared/text.js';
import { Cards, openQuestions } from './card.js';

const shownAtFirst = 30;
const shownAtMost = 300;

export function Inbox({ web, all }: { readonly web: WebContext; readonly all: boolean }) {
  const { open, count } = openQuestions(web, all ? shownAtMost : shownAtFirst);
  return (
    <section id="inbox" data-live aria-labelledby="inbox-title">
      <div class="headline">
        <h1 id="inbox-title">Inbox</h1>
        <p class="soft">{countOf(count, 'open question')}</p>
      </div>
      {open.length === 0 ? (
        <Empty title="Nothing is waiting for you">
          <p>Reviews, questions and permissions of all projects appear here.</p>
        </Empty>
      ) : (
        <Cards web={web} open={open} />
      )}
      {count > open.length && !all ? (
        <p class="more">
          <a href="/inbox?all=1">Show more</a>
        </p>
      ) : null}
      {count > open.length && all ? (
        <p class="more">And {count - open.length} more: they appear as you answer these</p>
      ) : null}
    </section>
  );
}

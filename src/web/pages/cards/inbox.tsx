import type { WebContext } from '../../context/web-context.js';
import { Empty } from '../shared/status.js';
import { Cards, openQuestions, type Questions } from './card.js';
import { CardFacts } from './card-facts.js';
import { CardIndex, SnoozedCards, WaitingForOthers } from './question-lines.js';
import { answeredQuestions, SettledLines } from './settled.js';

export interface InboxQuery {
  readonly all: boolean;
  readonly show: 'you' | 'others' | 'snoozed' | 'answered';
}

const shownAtFirst = 30;
const shownAtMost = 300;
const shownAnswered = 40;

export function Inbox({ web, query }: { readonly web: WebContext; readonly query: InboxQuery }) {
  const questions = openQuestions(web, query.all ? shownAtMost : shownAtFirst);
  const { count, others, snoozed } = questions;
  return (
    <>
      <div class="headline">
        <h1>Inbox</h1>
        <nav id="inbox-ways" class="seg" data-live aria-label="Which questions">
          <Way to="you" label="For you" count={count} query={query} />
          {others.length === 0 && query.show !== 'others' ? null : (
            <Way to="others" label="Others" count={others.length} query={query} />
          )}
          {snoozed.length === 0 && query.show !== 'snoozed' ? null : (
            <Way to="snoozed" label="Snoozed" count={snoozed.length} query={query} />
          )}
          <Way to="answered" label="Answered" query={query} />
        </nav>
      </div>
      <section id="inbox" data-live aria-label="Questions">
        <Shown web={web} query={query} questions={questions} />
      </section>
    </>
  );
}

interface WayProps {
  readonly to: InboxQuery['show'];
  readonly label: string;
  readonly count?: number;
  readonly query: InboxQuery;
}

function Way({ to, label, count, query }: WayProps) {
  return (
    <a href={to === 'you' ? '/inbox' : `/inbox?show=${to}`} aria-current={query.show === to ? 'page' : undefined}>
      {label} {count === undefined ? null : <b class="num">{count}</b>}
    </a>
  );
}

interface ShownProps {
  readonly web: WebContext;
  readonly query: InboxQuery;
  readonly questions: Questions;
}

function Shown({ web, query, questions }: ShownProps) {
  const { others, snoozed } = questions;
  switch (query.show) {
    case 'answered': {
      const settled = answeredQuestions(web, { limit: shownAnswered, since: 0, withStarts: true });
      return settled.length === 0 ? (
        <Empty title="Nothing was answered yet" />
      ) : (
        <SettledLines web={web} settled={settled} />
      );
    }
    case 'others':
      return others.length === 0 ? (
        <Empty title="Nothing waits for others" />
      ) : (
        <WaitingForOthers web={web} open={others} />
      );
    case 'snoozed':
      return snoozed.length === 0 ? <Empty title="You put nothing off" /> : <SnoozedCards web={web} open={snoozed} />;
    case 'you':
      return <ForYou web={web} query={query} questions={questions} />;
  }
}

function ForYou({ web, query, questions }: ShownProps) {
  const { mine, others, snoozed, count } = questions;
  return (
    <div class="beside-index">
      {mine.length === 0 ? (
        <Empty title="Nothing is waiting for you">
          <p>Reviews, questions and permissions of all projects appear here.</p>
        </Empty>
      ) : (
        <>
          <nav aria-label="Open questions">
            <CardIndex web={web} open={mine} />
            {count > mine.length ? (
              <p class="more">
                {query.all ? (
                  `And ${count - mine.length} more: they appear as you answer these`
                ) : (
                  <a href="/inbox?all=1">Show more</a>
                )}
              </p>
            ) : null}
          </nav>
          <div class="detail">
            <a class="button line phone-only" href="#inbox">
              All questions
            </a>
            <Cards
              web={web}
              open={mine}
              picked={mine[0]?.interaction.id}
              facts={(run, interaction) => <CardFacts web={web} run={run} interaction={interaction} />}
            />
            <p class="soft key-hints wide-only" aria-hidden="true">
              <span>
                <kbd>j</kbd> <kbd>k</kbd> next, previous
              </span>
              <span>
                <kbd>Enter</kbd> into the card
              </span>
              <span>
                <kbd>1</kbd>…<kbd>9</kbd> that answer
              </span>
              <span>
                <kbd>a</kbd> approve
              </span>
              <span>
                <kbd>c</kbd> request changes
              </span>
              <span>
                <kbd>z</kbd> snooze
              </span>
              <span>
                <kbd>h</kbd> hand over
              </span>
            </p>
          </div>
        </>
      )}
      <div class="rest">
        {snoozed.length === 0 ? null : (
          <>
            <h2>Snoozed</h2>
            <SnoozedCards web={web} open={snoozed} />
          </>
        )}
        {others.length === 0 ? null : (
          <>
            <h2>For others</h2>
            <WaitingForOthers web={web} open={others} />
          </>
        )}
      </div>
    </div>
  );
}

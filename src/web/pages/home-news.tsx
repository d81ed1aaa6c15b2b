// Counts of the runs that ended and the reviews that were decided while the reader was away.
import type { WebContext } from '../context/web-context.js';
import { answeredQuestions } from './cards/settled.js';
import { clockOf, countOf, dayOf, dotted, isoOf, moneyOf } from './shared/text.js';

const maxEnded = 100;
const maxDecided = 100;

interface HappenedProps {
  readonly web: WebContext;
  /** The end of the reader's last visit; null: unknown. */
  readonly since: number | null;
}

/** Since the reader's last visit, or today: each count reads the newest of its kind. */
export function Happened({ web, since }: HappenedProps) {
  const { browsing } = web.services.runtime.reader;
  const isNew = (at: number) => (since === null ? dayOf(at, web.now(), web.zone) === 'Today' : at >= since);
  const ended = (status: 'completed' | 'failed' | 'cancelled') =>
    browsing
      .runs({ project: null, status, before: null, limit: maxEnded })
      .filter(({ endedAt }) => endedAt !== null && isNew(endedAt));
  const [done, failed, aborted] = [ended('completed'), ended('failed'), ended('cancelled')];
  const usd = [...done, ...failed, ...aborted].reduce((sum, { costUsd }) => sum + costUsd, 0);
  const decided = since === null ? 0 : reviewsDecided(web, since);
  const counted = (count: number, word: string) =>
    count === 0 ? '' : `${count}${count === maxEnded ? '+' : ''} ${word}`;
  const facts = dotted([
    counted(done.length, 'done'),
    counted(failed.length, 'failed'),
    counted(aborted.length, 'aborted'),
    decided === 0 ? '' : `${countOf(decided, 'review')} decided`,
    usd > 0 ? moneyOf(usd) : '',
  ]);
  return (
    <div id="today" data-live="beside">
      {facts === '' && since === null ? null : (
        <p class="strip num">
          <span>
            <strong>{since === null ? 'Today' : <SinceThen web={web} at={since} />}</strong>{' '}
            {facts === '' ? <span class="soft">nothing has ended</span> : facts}
          </span>
          <a href="/history">What was done</a>
        </p>
      )}
    </div>
  );
}

function reviewsDecided(web: WebContext, since: number): number {
  const answered = answeredQuestions(web, { limit: maxDecided, since, withStarts: false });
  return answered.filter(({ interaction }) => interaction.kind === 'review').length;
}

/** `Since 18:40`, `Since yesterday, 18:40`. */
function SinceThen({ web, at }: { readonly web: WebContext; readonly at: number }) {
  const day = dayOf(at, web.now(), web.zone);
  const before = day === 'Today' ? '' : `${day === 'Yesterday' ? 'yesterday' : day}, `;
  return (
    <>
      Since {before}
      <time datetime={isoOf(at)}>{clockOf(at, web.zone)}</time>
    </>
  );
}

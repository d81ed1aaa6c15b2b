// The changes of a run or one of its items: what a reviewer reads, comments on and decides.

import { BosunError } from '../../../base/index.js';
import { projectNamed } from '../../../config/index.js';
import { diffOfRun } from '../../../dispatch/index.js';
import type { Interaction } from '../../../engine/index.js';
import type { Spine } from '../../../store/index.js';
import type { WebContext } from '../../context/web-context.js';
import { inSlot } from '../../context/web-context.js';
import { answersOf, OptionButton, postedText } from '../cards/card.js';
import { CardText } from '../cards/card-text.js';
import { DiffView } from '../diff/diff-view.js';
import { RunHead } from '../run/run.js';
import { attemptPath, changesPath } from '../shared/paths.js';
import { Ago } from '../shared/status.js';
import { countOf, lineOf, shortened } from '../shared/text.js';
import { earlierRequests } from './earlier-requests.js';

const patchMaxBytes = 256 * 1024;

interface ChangesQuery {
  readonly item: string | null;
  readonly ws: '' | 'ignore';
  readonly view: '' | 'unified';
}

export interface RunChanges {
  readonly query: ChangesQuery;
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  readonly patch: string;
}

export async function runChangesOf(web: WebContext, { run, items }: Spine, query: ChangesQuery): Promise<RunChanges> {
  const { reader } = web.services.runtime;
  const { item } = query;
  const project = projectNamed(web.services.config(), run.project);
  if (project === null) throw new BosunError('not_found', `The project of ${run.id} is no longer configured`);
  if (item !== null && !items.some(({ key }) => key === item))
    throw new BosunError('not_found', `${run.id} has no item "${lineOf(item, 80)}"`);
  return inSlot(web, async () => {
    const diff = await diffOfRun(reader, run, item, project.root);
    return { query, ...diff.stat, patch: await diff.patch(patchMaxBytes) };
  });
}

interface Shown {
  readonly web: WebContext;
  readonly spine: Spine;
  readonly changes: RunChanges;
}

export function RunChangesPage({ web, spine, changes }: Shown) {
  const { query, patch } = changes;
  const { item } = query;
  const review = spine.interactions.find(
    ({ kind, state, chain }) => kind === 'review' && state === 'open' && (item === null || chain === item),
  );
  return (
    <>
      <RunHead web={web} run={spine.run} path="/changes" />
      <section id="facts" data-live aria-label="What to know">
        <Facts web={web} spine={spine} item={item} review={review ?? null} />
      </section>
      <section id="changes" data-live aria-labelledby="changes-title">
        <ChangesHead spine={spine} changes={changes} />
        {patch === '' ? (
          <p class="panel empty">No changes.</p>
        ) : (
          <DiffView patch={patch} ignoreSpace={query.ws === 'ignore'} isUnified={query.view === 'unified'} />
        )}
      </section>
      <div id="verdict" data-live>
        {review === undefined ? null : (
          <div data-key={review.id}>
            <Verdict web={web} spine={spine} review={review} />
          </div>
        )}
      </div>
    </>
  );
}

function ChangesHead({ spine, changes }: Omit<Shown, 'web'>) {
  const { query, files, insertions, deletions } = changes;
  const { item, ws, view } = query;
  const link = (more: Partial<ChangesQuery>) => {
    const { ws: space, view: look } = { ws, view, ...more };
    const path = changesPath(spine.run.id, item ?? '');
    const set = [...(space === '' ? [] : [`ws=${space}`]), ...(look === '' ? [] : [`view=${look}`])];
    return set.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${set.join('&')}`;
  };
  return (
    <div class="headline">
      <div class="row">
        <h2 id="changes-title">Changes{item === null ? '' : ` of ${lineOf(item, 60)}`}</h2>
        <p class="soft num">
          {countOf(files, 'file')} <b class="plus">+{insertions}</b> <b class="minus">−{deletions}</b>
        </p>
      </div>
      <nav class="row" aria-label="How changes are shown">
        <span class="seg wide-only">
          <a href={link({ view: '' })} aria-current={view === '' ? 'true' : undefined}>
            Side by side
          </a>
          <a href={link({ view: 'unified' })} aria-current={view === '' ? undefined : 'true'}>
            Unified
          </a>
        </span>
        <span class="seg">
          <a href={link({ ws: ws === '' ? 'ignore' : '' })} aria-current={ws === '' ? undefined : 'true'}>
            Hide white space
          </a>
        </span>
      </nav>
    </div>
  );
}

interface FactsProps {
  readonly web: WebContext;
  readonly spine: Spine;
  readonly item: string | null;
  readonly review: Interaction | null;
}

const maxLooked = 20;

function Facts({ web, spine, item, review }: FactsProps) {
  const { reader } = web.services.runtime;
  const { run } = spine;
  const asked = review === null ? [] : earlierRequests(reader, run, review);
  const told = reader.browsing
    .newestAttempts(run.id, maxLooked)
    .find(({ attempt, chain }) => attempt.summary && (item === null || chain === item));
  const text = review === null ? '' : postedText(reader, run.id, review);
  if (review === null && told === undefined) return null;
  return (
    <div class="panel facts-panel">
      {asked.map(({ answer }, index) => (
        <div class="asked">
          <h3>
            {lineOf(answer.by, 40)} asked in round {index + 1}, <Ago at={answer.at} now={web.now()} />
          </h3>
          <pre dir="auto">{shortened(answer.text ?? '', 2_000)}</pre>
        </div>
      ))}
      {told === undefined ? null : (
        <div>
          <h3>
            <a href={attemptPath(run.id, told.attempt.id)}>The agent says</a>
          </h3>
          <pre dir="auto">{shortened(told.attempt.summary ?? '', 2_000)}</pre>
        </div>
      )}
      {review === null ? null : (
        <details id="card-text" class="fold" open={asked.length === 0}>
          <summary>
            <h3>{lineOf(text) || 'Review'}</h3>
          </summary>
          <CardText text={text} title={text.split('\n', 1)[0] ?? ''} />
        </details>
      )}
    </div>
  );
}

interface VerdictProps {
  readonly web: WebContext;
  readonly spine: Spine;
  readonly review: Interaction;
}

/** The bar at the foot: comments on lines become the text of the request. */
function Verdict({ web, spine, review }: VerdictProps) {
  const { refused, options } = answersOf(web, spine.run.project, review);
  if (refused !== null) return <p class="soft">Someone else answers this: {lineOf(refused, 200)}.</p>;
  const [first, ...rest] = options;
  const { id } = review;
  return (
    <form class="verdict" method="post" action="/api/press" data-act="press" data-drafts={id}>
      <p class="drafts num" data-drafts-count hidden></p>
      <label for="verdict-words">
        <span class="hidden">A remark on all of it (optional)</span>
        <textarea
          id="verdict-words"
          name="text"
          rows={1}
          maxlength={20_000}
          placeholder="A remark on all of it (optional)"
        ></textarea>
      </label>
      <div class="buttons">
        {first === undefined ? null : <OptionButton id={id} option={first} look="first" />}
        {rest.map((option) => (
          <OptionButton id={id} option={option} look={option.needsText ? 'line' : 'danger'} />
        ))}
      </div>
    </form>
  );
}

// A reviewer reads changes, comments on lines and decides.

import { BosunError } from '../../../base/index.js';
import { personName } from '../../../bot/index.js';
import { nameInConfig, projectNamed } from '../../../config/index.js';
import { diffOfRange, diffOfRun } from '../../../dispatch/index.js';
import type { Interaction, Run, WorkRange } from '../../../engine/index.js';
import type { Spine } from '../../../store/index.js';
import type { WebContext } from '../../context/web-context.js';
import { inSlot } from '../../context/web-context.js';
import { answersOf, OptionButton } from '../cards/answer-form.js';
import { CardText } from '../cards/card-text.js';
import { postedText } from '../cards/card-words.js';
import { DiffView, maxLines, type Unfolding } from '../diff/diff-view.js';
import { readPatch } from '../diff/patch.js';
import { RunHead } from '../run/run.js';
import { attemptPath, changesPath } from '../shared/paths.js';
import { Ago } from '../shared/status.js';
import { countOf, lineOf, shortened } from '../shared/text.js';
import { earlierRequests, requestLines } from './earlier-requests.js';

const patchMaxBytes = 256 * 1024;
const maxUnfolded = 6;
const maxGaps = 20;

type Range = 'since' | 'all';

interface ChangesQuery {
  readonly item: string | null;
  readonly ws: '' | 'ignore';
  readonly view: '' | 'unified';
  /** '': since the last review, else everything. */
  readonly show: '' | Range;
  /** Shown with all of their lines. */
  readonly open: readonly string[];
  /** Unfolded gaps, each as its first line behind it and its file: `12:src/cart.ts`. */
  readonly gap: readonly string[];
  /** Markdown files that are shown as they read. */
  readonly read: readonly string[];
}

export interface RunChanges {
  readonly query: ChangesQuery;
  readonly review: Interaction | null;
  readonly shown: Range;
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  readonly patch: string;
  readonly whole: ReadonlyMap<string, string>;
}

export async function runChangesOf(web: WebContext, spine: Spine, query: ChangesQuery): Promise<RunChanges> {
  const { run, items } = spine;
  const { item } = query;
  const project = projectNamed(web.services.config(), run.project);
  if (project === null) throw new BosunError('not_found', `The project of ${run.id} is no longer configured`);
  if (item !== null && !items.some(({ key }) => key === item))
    throw new BosunError('not_found', `${run.id} has no item "${lineOf(item, 80)}"`);
  const review = openReview(spine, item);
  return inSlot(web, async () => {
    const since = query.show === 'all' ? null : await frozen(run, project.root, changedSince(review));
    const diff =
      since ??
      (await frozen(run, project.root, review?.work ?? null)) ??
      (await diffOfRun(web.services.runtime.reader, run, item, project.root));
    const patch = await diff.patch(patchMaxBytes);
    const whole = new Map<string, string>();
    for (const path of unfoldedPaths(query)) whole.set(path, await diff.wholeFile(path, patchMaxBytes));
    return { query, review, shown: since === null ? 'all' : 'since', ...diff.stat, patch, whole };
  });
}

function unfoldedPaths({ open, gap, read }: ChangesQuery): readonly string[] {
  return [...new Set([...read, ...open, ...gap.map((one) => gapOf(one).path)])].slice(0, maxUnfolded);
}

function gapOf(said: string): { readonly path: string; readonly gap: number } {
  const at = said.indexOf(':');
  return { path: said.slice(at + 1), gap: Number(said.slice(0, at)) };
}

function openReview({ interactions }: Spine, item: string | null): Interaction | null {
  const isOpen = ({ kind, state }: Interaction) => kind === 'review' && state === 'open';
  return interactions.find((one) => isOpen(one) && (item === null || one.chain === item)) ?? null;
}

/** After the latest request; null: first review, or nothing. */
function changedSince(review: Interaction | null): WorkRange | null {
  const since = review?.work?.since;
  return since === undefined || since.from === since.to ? null : since;
}

/** Null: git lost these trees. */
async function frozen(run: Run, root: string, range: WorkRange | null) {
  return range === null ? null : diffOfRange(run, root, range);
}

interface Shown {
  readonly web: WebContext;
  readonly spine: Spine;
  readonly changes: RunChanges;
}

export function RunChangesPage({ web, spine, changes }: Shown) {
  const { query, patch, review } = changes;
  return (
    <>
      <RunHead web={web} run={spine.run} path="/changes" />
      <section id="facts" data-live aria-label="What to know">
        <Facts web={web} spine={spine} changes={changes} />
      </section>
      <section id="changes" data-live aria-labelledby="changes-title">
        <ChangesHead spine={spine} changes={changes} />
        {patch === '' ? (
          <p class="panel empty">No changes.</p>
        ) : (
          <DiffView
            patch={patch}
            ignoreSpace={query.ws === 'ignore'}
            isUnified={query.view === 'unified'}
            unfolding={unfoldingOf(spine, changes)}
          />
        )}
      </section>
      <div id="verdict" data-live>
        {review === null ? null : (
          <div data-key={review.id}>
            <Verdict web={web} spine={spine} review={review} />
          </div>
        )}
      </div>
    </>
  );
}

function unfoldingOf(spine: Spine, { query, whole }: RunChanges): Unfolding {
  const { open, gap, read } = query;
  return {
    whole,
    isWhole: (path) => open.includes(path),
    gaps: (path) => gap.map(gapOf).flatMap((one) => (one.path === path ? [one.gap] : [])),
    link: (path) => linkOf(spine, query, { open: toggled(open, path, maxUnfolded) }),
    gapLink: (path, of) => linkOf(spine, query, { gap: toggled(gap, `${of}:${path}`, maxGaps) }),
    isRendered: (path) => read.includes(path),
    renderLink: (path) => linkOf(spine, query, { read: toggled(read, path, maxUnfolded) }),
  };
}

function toggled(all: readonly string[], one: string, most: number): readonly string[] {
  return all.includes(one) ? all.filter((other) => other !== one) : [...all, one].slice(-most);
}

/** The same page, shown another way. */
function linkOf({ run }: Spine, query: ChangesQuery, more: Partial<ChangesQuery>): string {
  const { item, ws, view, show, open, gap, read } = { ...query, ...more };
  const set = new URLSearchParams(Object.entries({ ws, view, show }).filter(([, to]) => to !== ''));
  for (const path of open) set.append('open', path);
  for (const one of gap) set.append('gap', one);
  for (const path of read) set.append('read', path);
  const path = changesPath(run.id, item ?? '');
  return set.size === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${set}`;
}

function ChangesHead({ spine, changes }: Omit<Shown, 'web'>) {
  const { query, files, insertions, deletions } = changes;
  const { item, ws, view } = query;
  const link = (more: Partial<ChangesQuery>) => linkOf(spine, query, more);
  const { review, shown } = changes;
  const since = changedSince(review);
  const title = spine.items.find(({ key }) => key === item)?.title;
  return (
    <div class="headline">
      <div class="row">
        <h2 id="changes-title" dir="auto">
          Changes{item === null ? '' : ` of ${lineOf(item, 60)}`} <span class="soft">{lineOf(title ?? '', 80)}</span>
        </h2>
        <p class="soft num">
          {countOf(files, 'file')} <b class="plus">+{insertions}</b> <b class="minus">−{deletions}</b>
        </p>
      </div>
      <nav class="row" aria-label="Which changes, and how">
        {since === null ? null : (
          <span class="seg">
            <a href={link({ show: '' })} aria-current={shown === 'since' ? 'true' : undefined}>
              Since your review <b class="num">{review?.work?.since?.measured?.stat.files ?? ''}</b>
            </a>
            <a href={link({ show: 'all' })} aria-current={shown === 'all' ? 'true' : undefined}>
              Everything <b class="num">{review?.work?.whole?.stat.files ?? ''}</b>
            </a>
          </span>
        )}
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

const maxLooked = 20;

function Facts({ web, spine, changes }: Shown) {
  const { reader } = web.services.runtime;
  const { run } = spine;
  const { review, query, patch } = changes;
  const asked = review === null ? [] : earlierRequests(reader, run, review);
  const told = reader.browsing
    .newestAttempts(run.id, maxLooked)
    .find(({ attempt, chain }) => attempt.summary && (query.item === null || chain === query.item));
  const text = review === null ? '' : postedText(web, run.id, review);
  if (review === null && told === undefined) return null;
  return (
    <div class="panel facts-panel">
      {asked.map(({ answer }, index) => (
        <div class="asked">
          <h3>
            {lineOf(personName(nameInConfig(answer.by)), 40)} asked in round {index + 1},{' '}
            <Ago at={answer.at} now={web.now()} />
          </h3>
          <Request text={answer.text ?? ''} patch={patch} />
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

/** A comment leads to its file as it is now. */
function Request({ text, patch }: { readonly text: string; readonly patch: string }) {
  const paths = readPatch(patch, { maxLines, ignoreSpace: false }).files.map(({ path }) => path);
  return (
    <ul class="request">
      {requestLines(shortened(text, 2_000)).map(({ words, path, line }) => {
        const file = path === null ? -1 : paths.indexOf(path);
        return (
          <li dir="auto">
            <span>{words}</span>
            {path === null ? null : file < 0 ? (
              <code>{lineOf(`${path}:${line}`, 120)}</code>
            ) : (
              <a class="mono" href={`#f${file + 1}`}>
                {lineOf(`${path}:${line}`, 120)}
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface VerdictProps {
  readonly web: WebContext;
  readonly spine: Spine;
  readonly review: Interaction;
}

/** Comments on lines become the request's text. */
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

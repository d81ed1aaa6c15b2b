// The error page: the failure and its remedy.

import { BosunError } from '../../base/index.js';
import type { WebContext } from '../context/web-context.js';
import { bannersOf } from './shared/banners.js';
import { type Frame, pageResponse, waysOf } from './shared/layout.js';
import { versionOf } from './shared/live.js';
import { lineOf } from './shared/text.js';

interface Failure {
  readonly title: string;
  readonly detail: string;
  readonly hint: string | null;
  readonly status: number;
}

export function failurePage(web: WebContext, failure: Failure): Promise<Response> {
  const { title, status } = failure;
  return pageResponse({ title, place: null, live: liveOrNull(web), children: <Shown {...failure} /> }, status);
}

/** Other errors are bugs, which only the log shows. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof BosunError)) {
    const detail = 'An internal error stopped this page from loading.';
    return { title: 'Bosun failed', detail, hint: "See Bosun's log for details, or reload to try again.", status: 500 };
  }
  const { message: detail, hint } = error;
  if (error.code === 'not_allowed') return { title: 'Not allowed', detail, hint, status: 403 };
  if (error.code === 'not_found') return { title: 'Not found', detail, hint, status: 404 };
  return { title: 'Something went wrong', detail, hint, status: 503 };
}

export function noSuchPage(web: WebContext, path: string): Promise<Response> {
  const detail = `No page ${lineOf(path, 80)}`;
  return failurePage(web, { title: 'Not found', detail, hint: 'Check the address.', status: 404 });
}

function Shown({ title, detail, hint }: Omit<Failure, 'status'>) {
  return (
    <section class="panel narrow" id="failure" aria-labelledby="failure-title">
      <h1 id="failure-title">{title}</h1>
      <p>{lineOf(detail, 400)}</p>
      {hint === null ? null : <p class="soft">{lineOf(hint, 400)}</p>}
      <p>
        <a href="/">Home</a> · <a href="/history">All runs</a>
      </p>
    </section>
  );
}

/** Without the database there is no version, hence no updates. */
function liveOrNull(web: WebContext): Frame['live'] {
  try {
    return { ways: waysOf(web, null), problems: bannersOf(web), version: versionOf(web) };
  } catch {
    return null;
  }
}

// The page shown when another one fails: what failed, and what to do.

import type { WebContext } from '../context/web-context.js';
import { type Frame, pageResponse } from './shared/layout.js';
import { lineOf } from './shared/text.js';
import { versionOf } from './shared/version.js';

export interface Failure {
  readonly title: string;
  readonly detail: string;
  readonly hint: string | null;
}

export function failurePage(web: WebContext, failure: Failure, status: number): Promise<Response> {
  return pageResponse(
    { title: failure.title, place: null, live: liveOrNull(web), children: <Shown {...failure} /> },
    status,
  );
}

export function noSuchPage(web: WebContext, path: string): Promise<Response> {
  const detail = `There is no page ${lineOf(path, 80)}`;
  return failurePage(web, { title: 'Not found', detail, hint: 'The address may be mistyped.' }, 404);
}

function Shown({ title, detail, hint }: Failure) {
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

/** Without a database there is no version, so the page does not update. */
function liveOrNull(web: WebContext): Frame['live'] {
  try {
    return { who: web.who, version: versionOf(web) };
  } catch {
    return null;
  }
}

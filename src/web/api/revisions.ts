// Cheap revisions for ETags: every change of a run appends an event, so the newest sequence number identifies the
// state.
import type { WebContext } from '../context/web-context.js';
import type { ApiRequest } from './route.js';

/** Covers everything on disk. */
export function ofAll({ web }: Pick<ApiRequest<unknown>, 'web'>): string {
  return String(web.services.runtime.reader.browsing.newestSeq());
}

/** For responses that include the activity of running attempts, which changes without an event: null while any runs. */
export function ofAllAtRest(request: Pick<ApiRequest<unknown>, 'web'>): string | null {
  const isAtWork = request.web.services.runtime.reader.counts.attempts().some(({ word }) => word === 'running');
  return isAtWork ? null : ofAll(request);
}

/** Covers one run; null: no such run. */
export function ofRun({ web, param }: Pick<ApiRequest<unknown>, 'web' | 'param'>): string | null {
  return newestOf(web, param('run'));
}

export function ofRunAtRest({ web, param }: Pick<ApiRequest<unknown>, 'web' | 'param'>): string | null {
  const isAtWork = (web.services.runtime.reader.run(param('run'))?.live.length ?? 0) > 0;
  return isAtWork ? null : newestOf(web, param('run'));
}

export function newestOf(web: WebContext, run: string): string | null {
  const [newest] = web.services.runtime.reader.newestEvents(run, 1);
  return newest === undefined ? null : `${run}.${newest.seq}`;
}

// How far things have come, without looking at them: every change of a run is an event.
import type { WebContext } from '../context/web-context.js';
import type { ApiRequest } from './route.js';

/** Of all that is on disk. */
export function ofAll({ site }: Pick<ApiRequest<unknown>, 'site'>): string {
  return String(site.desk.room.store.browsing.newestSeq());
}

/** Of what also tells how those at work are: that changes by itself. */
export function ofAllAtRest(asked: Pick<ApiRequest<unknown>, 'site'>): string | null {
  const isAtWork = asked.site.desk.room.store.counts.attempts().some(({ word }) => word === 'running');
  return isAtWork ? null : ofAll(asked);
}

/** Of one run; null: there is none. */
export function ofRun({ site, param }: Pick<ApiRequest<unknown>, 'site' | 'param'>): string | null {
  return newestOf(site, param('run'));
}

export function ofRunAtRest({ site, param }: Pick<ApiRequest<unknown>, 'site' | 'param'>): string | null {
  const isAtWork = (site.desk.room.store.run(param('run'))?.live.length ?? 0) > 0;
  return isAtWork ? null : newestOf(site, param('run'));
}

export function newestOf(site: WebContext, run: string): string | null {
  const [newest] = site.desk.room.store.newestEvents(run, 1);
  return newest === undefined ? null : `${run}.${newest.seq}`;
}

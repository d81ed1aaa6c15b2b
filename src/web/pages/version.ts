// What a page was made from, in one word: when it is another one, the page may be.
import type { Site } from '../site.js';

const watchedRuns = 20;
/** Another process, another count of what is kept in memory alone. */
const started = Date.now().toString(36);

export function versionOf({ desk }: Pick<Site, 'desk'>): string {
  const { browsing } = desk.room.store;
  const signs = browsing
    .liveRuns(null, watchedRuns)
    .flatMap(({ live }) => live.map(({ attempt }) => desk.room.lastSign(attempt)?.at ?? 0));
  return [started, browsing.newestSeq(), browsing.newestMessage(), Math.max(0, ...signs)].join('.');
}

import { deliveryMetrics } from './delivery.js';
import type { LoopDelay } from './event-loop.js';
import type { Scraped } from './metrics-sources.js';
import { processMetrics } from './process.js';
import { metricsIn } from './text.js';
import { workMetrics } from './work.js';

export { CommitTally } from './tally.js';

/** Prometheus text: counters that are kept in memory, and counts of what is under way. */
export function metricsText(site: Scraped, delay: LoopDelay): string {
  const { config, room } = site.desk;
  const names = config().projects.map((project) => project.name);
  return metricsIn([
    ...workMetrics(site),
    ...site.tally.metrics(names),
    ...deliveryMetrics(room.store, site.now()),
    ...processMetrics(site, delay),
  ]);
}

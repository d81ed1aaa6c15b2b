import { deliveryMetrics } from './delivery.js';
import type { LoopDelay } from './event-loop.js';
import type { Scraped } from './metrics-sources.js';
import { processMetrics } from './process.js';
import { metricsIn } from './text.js';
import { workMetrics } from './work.js';

export { CommitTally } from './tally.js';

/** All metrics in Prometheus text format: in-memory counters and current counts. */
export function metricsText(web: Scraped, delay: LoopDelay): string {
  const { config, runtime } = web.services;
  const names = config().projects.map((project) => project.name);
  return metricsIn([
    ...workMetrics(web),
    ...web.tally.metrics(names),
    ...deliveryMetrics(runtime, web.now()),
    ...processMetrics(web, delay),
  ]);
}

import type { Config } from '../../config/index.js';
import type { KeptRows, LiveView } from '../../dispatch/index.js';
import { deliveryMetrics } from './delivery.js';
import { type LoopDelay, processMetrics } from './process.js';
import type { CommitTally } from './tally.js';
import { metricsIn } from './text.js';
import { workMetrics } from './work.js';

export { type LoopDelay, watchEventLoop } from './process.js';
export { CommitTally } from './tally.js';

export interface Scraped {
  readonly services: {
    readonly config: () => Config;
    readonly runtime: Pick<LiveView, 'isWorking' | 'workers' | 'queueState' | 'writeState'> &
      Pick<KeptRows, 'reader' | 'deliveries'>;
  };
  readonly now: () => number;
  readonly version: string;
  readonly answered: ReadonlyMap<string, number>;
  readonly open: { readonly size: number };
  readonly tally: CommitTally;
}

/** Prometheus text format. */
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

// The data from which metrics are computed.
import type { Config } from '../../config/index.js';
import type { KeptRows, LiveView } from '../../dispatch/index.js';
import type { CommitTally } from './tally.js';

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

// What the metrics are taken from.
import type { Config } from '../../config/index.js';
import type { Room } from '../../dispatch/index.js';
import type { Tally } from './tally.js';

export interface Scraped {
  readonly desk: {
    readonly config: () => Config;
    readonly room: Pick<Room, 'store' | 'isWorking' | 'workers' | 'queueState' | 'writeState'>;
  };
  readonly now: () => number;
  readonly version: string;
  /** Requests by the class of their answer. */
  readonly answered: ReadonlyMap<string, number>;
  readonly open: { readonly size: number };
  readonly tally: Tally;
}

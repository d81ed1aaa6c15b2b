import type { Batch } from '../../store/index.js';

export interface Committed {
  readonly batch: Batch;
  readonly plans: number;
  readonly seconds: number;
}

export type CommitListener = (committed: Committed) => void;

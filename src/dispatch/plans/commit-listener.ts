// What is on disk now, for those who count, log or trace it. They change nothing, and what they do wrong stops nobody.
import type { Batch } from '../../store/index.js';

export interface Committed {
  readonly batch: Batch;
  /** How many plans went along. */
  readonly plans: number;
  /** From the first decision until it was on disk. */
  readonly seconds: number;
}

export type CommitListener = (committed: Committed) => void;

// Commits as seen by metrics, logs and traces. Listeners change nothing, and their failures are isolated.
import type { Batch } from '../../store/index.js';

export interface Committed {
  readonly batch: Batch;
  readonly plans: number;
  /** Duration from the first decision until the commit. */
  readonly seconds: number;
}

export type CommitListener = (committed: Committed) => void;

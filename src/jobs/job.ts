// A job: an attempt that waits in a queue or runs on a worker.

import type { AttemptSpec } from './attempt-spec.js';

export interface Job {
  /** The attempt's id: derived, without `:`, and so its own idempotency key. */
  readonly id: string;
  readonly project: string;
  readonly run: string;
  /** Jobs with the same checkout run one at a time, unless they share a group. */
  readonly checkout: string | null;
  readonly group: string | null;
  /** Lower runs first. */
  readonly priority: number;
  /** Not to begin before this time of day, in ms; left out: at once. */
  readonly notBefore?: number;
  readonly payload: AttemptSpec;
}

// A queue job: an attempt that waits in a queue or runs on a worker.

import type { AttemptSpec } from './attempt-spec.js';

export interface Job {
  /** The attempt's id. It is derived, not drawn, so it doubles as the idempotency key; it never contains `:`. */
  readonly id: string;
  readonly project: string;
  readonly run: string;
  /** Jobs with the same checkout run one at a time, unless they share a group. */
  readonly checkout: string | null;
  readonly group: string | null;
  /** Lower runs first. */
  readonly priority: number;
  /** Earliest start, as wall-clock time in ms; absent: at once. */
  readonly notBefore?: number;
  readonly payload: AttemptSpec;
}

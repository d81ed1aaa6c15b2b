import type { AttemptSpec } from './attempt-spec.js';

export interface Job {
  /** The attempt's id, hence the idempotency key; without `:`. */
  readonly id: string;
  readonly project: string;
  readonly run: string;
  /** One job at a time per checkout, unless they share a group. */
  readonly checkout: string | null;
  readonly group: string | null;
  /** Lower runs first. */
  readonly priority: number;
  /** Wall clock in ms. */
  readonly notBefore?: number;
  readonly payload: AttemptSpec;
}

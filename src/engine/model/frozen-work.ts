// The changes that a card shows, as two fixed git trees: later work in the checkout does not alter them.
import type { Change } from '../report/envelope.js';
import type { RecordedAnswer } from './interaction-model.js';

/** Tree or commit ids of the project's repository. */
export interface WorkRange {
  readonly from: string;
  readonly to: string;
}

/** A person's latest request for changes. `to`: the tree that they judged; null: unknown. */
export interface SentBack extends Pick<RecordedAnswer, 'by' | 'at' | 'text' | 'where'> {
  readonly to: string | null;
}

/** Kept with a card when it is asked. */
export interface FrozenWork extends WorkRange {
  /** Line counts; absent: the newest attempt did not measure this range. */
  readonly whole?: Change;
  /** What changed after the request. */
  readonly since?: WorkRange & { readonly measured?: Change };
  readonly sentBack?: SentBack;
}

// Two fixed trees: later work does not alter a card (decision 0039).
import type { Change } from '../report/envelope.js';
import type { RecordedAnswer } from './interaction-model.js';

/** Tree or commit ids. */
export interface WorkRange {
  readonly from: string;
  readonly to: string;
}

/** `to`: the tree that they judged; null: unknown. */
export interface SentBack extends Pick<RecordedAnswer, 'by' | 'at' | 'text' | 'where'> {
  readonly to: string | null;
}

export interface FrozenWork extends WorkRange {
  /** Line counts; absent: this range was not measured. */
  readonly whole?: Change;
  /** Changes after the request. */
  readonly since?: WorkRange & { readonly measured?: Change };
  readonly sentBack?: SentBack;
}

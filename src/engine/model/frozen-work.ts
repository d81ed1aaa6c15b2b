// Fixed trees: later work does not alter a card (decision 0039).
import type { Change } from '../report/envelope.js';
import type { RecordedAnswer } from './interaction-model.js';

export interface WorkRange {
  readonly from: string;
  readonly to: string;
}

/** `to`: the judged tree; null: unknown. */
export interface SentBack extends Pick<RecordedAnswer, 'by' | 'at' | 'text' | 'where'> {
  readonly to: string | null;
}

export interface FrozenWork extends WorkRange {
  /** Line counts; absent: unmeasured. */
  readonly whole?: Change;
  /** Changes after a person's request. */
  readonly since?: WorkRange & { readonly measured?: Change };
  readonly sentBack?: SentBack;
}

import type { Ask, CheckResult, DiffStat, Output, TeamReport, TestCounts } from '../report/envelope.js';
import type { Story } from '../report/index.js';

/** Delivered once, with the next prompt. */
export interface HumanNote {
  readonly kind: 'remark' | 'answer' | 'instruction';
  readonly question: string | null;
  readonly text: string;
  readonly by: string;
  readonly node?: string;
  /** Stories begun since have a copy, so it is not repeated after the loop. */
  readonly isHanded?: true;
  /** A finished story left it, for the next one only. */
  readonly isForNext?: true;
  /** `to`: the attempt to hear it; null: the next prompt. */
  readonly words?: { readonly key: string; readonly to: string | null };
}

export type OutcomeKind = 'pass' | 'failing' | 'timeout' | 'crashed' | 'needs_human' | 'cancelled';

export interface Attempt {
  readonly id: string;
  readonly generation: number;
  /** As people count: within this generation, without abandoned attempts. */
  readonly number: number;
  readonly state: 'queued' | 'running' | 'settled';
  readonly dispatchedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly worker: string | null;
  readonly notes: readonly HumanNote[];
  readonly outcome: OutcomeKind | null;
  readonly reason: string | null;
  readonly summary: string | null;
  readonly claim: string | null;
  readonly tests: TestCounts | null;
  readonly checks: readonly CheckResult[];
  readonly warnings: readonly string[];
  readonly filesChanged: readonly string[];
  readonly diffStat: DiffStat | null;
  readonly durationMs: number;
  readonly costUsd: number | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly isUnpriced?: boolean;
  readonly logPath: string | null;
  readonly team: readonly TeamReport[];
  readonly session: string | null;
  readonly resumes: string | null;
  readonly asks: readonly Ask[];
  readonly denied: readonly string[];
  readonly notBefore: number | null;
  readonly retryAt: number | null;
  readonly program: string | null;
  /** Set if the project lists several; absent while queued: the first. */
  readonly executor?: string;
  /** Includes an attempt that it resumed; absent: unmeasured. */
  readonly wrote?: readonly string[];
  /** Git tree at its end; absent: unmeasured. */
  readonly tree?: string;
  readonly again?: true;
}

export interface LiveAttempt {
  readonly attempt: string;
  readonly chain: string;
  readonly node: string;
  readonly step: string;
  readonly startedAt: number | null;
}

export interface Outcome {
  readonly kind: OutcomeKind;
  readonly reason: string | null;
  readonly summary: string | null;
  /** Set if evidence contradicts the report. */
  readonly claim: string | null;
  /** For `on_status`. */
  readonly word: string | null;
  readonly warnings: readonly string[];
  /** The step is not at fault. */
  readonly isInterrupted: boolean;
  readonly keys: Output['keys'];
  /** A retry would change nothing. */
  readonly isFinal: boolean;
}

export interface Resolved extends Outcome {
  readonly tests: TestCounts | null;
  readonly stories: readonly Story[];
  /** These block the step. */
  readonly asks: readonly Ask[];
}

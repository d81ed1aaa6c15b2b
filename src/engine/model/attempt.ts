// An attempt: its input, its results and its outcome.

import type { Ask, CheckResult, DiffStat, Output, TeamReport, TestCounts } from '../report/envelope.js';
import type { Story } from '../report/index.js';

/** For the next prompt; delivered once. */
export interface HumanNote {
  readonly kind: 'remark' | 'answer' | 'instruction';
  /** The question that this answers. */
  readonly question: string | null;
  readonly text: string;
  readonly by: string;
  /** If others may be dispatched first. */
  readonly node?: string;
  /** Copied into stories begun since: not repeated after the loop. */
  readonly isHanded?: true;
  /** From a finished story, for the next only. */
  readonly isForNext?: true;
  /** `to`: the attempt to hear it; null: the next prompt. */
  readonly words?: { readonly key: string; readonly to: string | null };
}

export type OutcomeKind = 'pass' | 'failing' | 'timeout' | 'crashed' | 'needs_human' | 'cancelled';

export interface Attempt {
  readonly id: string;
  readonly generation: number;
  /** As people see it: this generation, without abandoned ones. */
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
  /** The claim, if evidence contradicts it. */
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
  /** An agent ran at unknown cost. */
  readonly isUnpriced?: boolean;
  readonly logPath: string | null;
  readonly team: readonly TeamReport[];
  /** To resume later, and the one resumed. */
  readonly session: string | null;
  readonly resumes: string | null;
  /** Questions left by its agent. */
  readonly asks: readonly Ask[];
  /** Keys of permissions that a person denied meanwhile. */
  readonly denied: readonly string[];
  readonly notBefore: number | null;
  readonly retryAt: number | null;
  readonly program: string | null;
  /** If the project lists several; while queued absent means the first. */
  readonly executor?: string;
  /** By it or one that it resumed; absent: unmeasured. */
  readonly wrote?: readonly string[];
  /** Left behind; absent: unmeasured. */
  readonly tree?: string;
  /** Stopped for a retry. */
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
  /** The reported status, if evidence contradicts it. */
  readonly claim: string | null;
  /** For `on_status`. */
  readonly word: string | null;
  readonly warnings: readonly string[];
  /** Not the step's fault. */
  readonly isInterrupted: boolean;
  readonly keys: Output['keys'];
  /** No retry changes it. */
  readonly isFinal: boolean;
}

export interface Resolved extends Outcome {
  readonly tests: TestCounts | null;
  readonly stories: readonly Story[];
  /** They block the step. */
  readonly asks: readonly Ask[];
}

// One try of a step: what it was given, what it left, and what the engine made of its end.

import type { Ask, CheckResult, DiffStat, Output, TeamReport, TestCounts } from '../report/envelope.js';
import type { Story } from '../report/index.js';

/** A person's words for the next prompt; delivered once. */
export interface HumanNote {
  readonly kind: 'remark' | 'answer' | 'instruction';
  /** The question, if this is an answer. */
  readonly question: string | null;
  readonly text: string;
  readonly by: string;
  /** The step it is for, if others may be dispatched first. */
  readonly node?: string;
  /**
   * Noted in the run's chain and already copied into stories that began since, so it is not repeated after the loop.
   */
  readonly isHanded?: true;
  /** Came with a finished story, so only the next one gets it. */
  readonly isForNext?: true;
  /** Said to a running step. `to`: the attempt that has yet to hear it; null: it waits for the next prompt. */
  readonly words?: { readonly key: string; readonly to: string | null };
}

export type OutcomeKind = 'pass' | 'failing' | 'timeout' | 'crashed' | 'needs_human' | 'cancelled';

export interface Attempt {
  readonly id: string;
  readonly generation: number;
  /** The number people see: attempts of this generation, without abandoned ones. */
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
  /** What the agent claimed, where the evidence contradicts it. */
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
  /** An agent ran and its cost is unknown. */
  readonly isUnpriced?: boolean;
  readonly logPath: string | null;
  readonly team: readonly TeamReport[];
  /** The agent session that a later attempt can resume, and the one that this attempt resumed. */
  readonly session: string | null;
  readonly resumes: string | null;
  /** Questions and permission requests that its agent left open. */
  readonly asks: readonly Ask[];
  /** Keys of the permission requests that a person denied during the attempt. */
  readonly denied: readonly string[];
  readonly notBefore: number | null;
  /** When a retry may succeed. */
  readonly retryAt: number | null;
  readonly program: string | null;
  /** The name in config.yaml, where the project lists several; while it is queued, absent means the first. */
  readonly executor?: string;
  /** Files judged by gates that it, or an earlier attempt that it resumed, wrote. Absent if unmeasured. */
  readonly wrote?: readonly string[];
  /** The tree that it left; absent if unmeasured. */
  readonly tree?: string;
  /** A person stopped it so that the step is retried. */
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
  /** The status word of the report, where evidence contradicts it. */
  readonly claim: string | null;
  /** The status word of the report, for `on_status`. */
  readonly word: string | null;
  readonly warnings: readonly string[];
  /** Bosun or the worker died; the step is not at fault. */
  readonly isInterrupted: boolean;
  readonly keys: Output['keys'];
  /** A retry cannot change it. */
  readonly isFinal: boolean;
}

export interface Resolved extends Outcome {
  readonly tests: TestCounts | null;
  readonly stories: readonly Story[];
  /** Questions that block the step. */
  readonly asks: readonly Ask[];
}

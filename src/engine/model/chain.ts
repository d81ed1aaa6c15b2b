import type { Envelope, Picture, TestCounts } from '../report/envelope.js';
import type { NodeKind } from '../workflow/definition.js';
import type { Attempt, HumanNote } from './attempt.js';
import type { SentBack } from './frozen-work.js';
import type { ReviewVerdict } from './interaction-model.js';
import type { SkipReason } from './skip.js';

export type NodeState =
  | 'waiting'
  | 'ready'
  | 'queued'
  | 'running'
  | 'needs_human'
  | 'passed'
  | 'failed'
  | 'skipped'
  | 'cancelled';

export interface Node {
  readonly id: string;
  readonly label: string;
  readonly template: string;
  readonly kind: NodeKind;
  readonly title: string;
  readonly state: NodeState;
  readonly generation: number;
  readonly attempt: number;
  readonly abandons: number;
  /** Never reset: attempt ids derive from it. */
  readonly dispatches: number;
  readonly live: Attempt | null;
  readonly last: Attempt | null;
  /** A rollback to this node restores its checkpoint. */
  readonly firstAttempt: string | null;
  readonly skipReason: SkipReason | null;
  /** If nodes share a template, or an edit redescribed it. */
  readonly description: string | null;
  readonly restarts: number;
  /** Gates: insertions so far. */
  readonly retry: number;
  /** If the inserter set them. */
  readonly args: string | null;
  readonly params: Readonly<Record<string, string>>;
  readonly insertedBy: string | null;
  readonly verdict: ReviewVerdict | null;
}

export interface SettledNode extends Node {
  readonly last: Attempt;
}

export interface Digest {
  readonly step: string;
  readonly text: string | null;
  readonly questions: readonly string[];
  readonly files: readonly string[];
  readonly pictures?: readonly Picture[];
  /** Where the work can be seen. */
  readonly previews?: readonly string[];
}

/** From the step that sent work back. */
export interface Again {
  readonly step: string;
  readonly text: string;
}

/** By kind, from the newest attempt with it. */
export interface LatestEvidence {
  readonly tests: TestCounts | null;
  /** Null: none ran. */
  readonly checkPassed: boolean | null;
  readonly filesChanged: readonly string[];
}

export interface Chain {
  /** '' for the run's own. */
  readonly key: string;
  readonly nodes: readonly Node[];
  readonly labels: number;
  /** Steps back, by `from>to`. */
  readonly edges: Readonly<Record<string, number>>;
  readonly notes: readonly HumanNote[];
  readonly context: Readonly<Record<string, string>>;
  readonly digests: readonly Digest[];
  /** Why it is walked again; in the run's chain also for its loops, unless a person's note says. */
  readonly again?: Again | null;
  readonly costUsd?: number;
  readonly unpriced?: number;
  /** Absent: no attempt settled since this field exists. */
  readonly evidence?: LatestEvidence;
  /** Its changes, as last measured. */
  readonly work?: NonNullable<Envelope['work']>;
  /** Cleared by an approval. */
  readonly sentBack?: SentBack | null;
  readonly scratch: string;
}

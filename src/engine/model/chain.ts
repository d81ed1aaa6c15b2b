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
  /** Never reset, because attempt ids derive from it. */
  readonly dispatches: number;
  readonly live: Attempt | null;
  readonly last: Attempt | null;
  /** A rollback to this node restores this attempt's checkpoint. */
  readonly firstAttempt: string | null;
  readonly skipReason: SkipReason | null;
  /** Set if nodes share a template, or an edit redescribed one. */
  readonly description: string | null;
  readonly restarts: number;
  /** Insertions by a gate. */
  readonly retry: number;
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
  /** Addresses that show the work. */
  readonly previews?: readonly string[];
}

/** The step that sent work back, with its reason. */
export interface Again {
  readonly step: string;
  readonly text: string;
}

/** Each kind from the newest attempt that has it. */
export interface LatestEvidence {
  readonly tests: TestCounts | null;
  /** Null: none ran. */
  readonly checkPassed: boolean | null;
  readonly filesChanged: readonly string[];
}

export interface Chain {
  /** '': the run's own. */
  readonly key: string;
  readonly nodes: readonly Node[];
  readonly labels: number;
  /** Steps back, by `from>to`. */
  readonly edges: Readonly<Record<string, number>>;
  readonly notes: readonly HumanNote[];
  readonly context: Readonly<Record<string, string>>;
  readonly digests: readonly Digest[];
  /** The reason for walking again, in the run's chain for its loops too; null: a person's note has it. */
  readonly again?: Again | null;
  readonly costUsd?: number;
  readonly unpriced?: number;
  /** Absent: no attempt settled since this field exists. */
  readonly evidence?: LatestEvidence;
  readonly work?: NonNullable<Envelope['work']>;
  /** An approval clears it. */
  readonly sentBack?: SentBack | null;
  readonly scratch: string;
}

// A chain of nodes, and what its steps hand on to later ones.

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
  /** Counts every dispatch and is never reset, because attempt ids are derived from it. */
  readonly dispatches: number;
  readonly live: Attempt | null;
  readonly last: Attempt | null;
  /** The first attempt of this generation: a rollback to this node restores its checkpoint. */
  readonly firstAttempt: string | null;
  readonly skipReason: SkipReason | null;
  /** Set where several nodes share a template, or an edit redescribed the node. */
  readonly description: string | null;
  readonly restarts: number;
  /** Gates: how often work was already inserted for it. */
  readonly retry: number;
  /** The call's arguments, if its inserter set them. */
  readonly args: string | null;
  /** Parameters of the fragment that inserted it. */
  readonly params: Readonly<Record<string, string>>;
  readonly insertedBy: string | null;
  readonly verdict: ReviewVerdict | null;
}

export interface SettledNode extends Node {
  readonly last: Attempt;
}

/** For the next reviewer, from earlier nodes. */
export interface Digest {
  readonly step: string;
  readonly text: string | null;
  readonly questions: readonly string[];
  readonly files: readonly string[];
  readonly pictures?: readonly Picture[];
  /** Addresses where the work can be looked at. */
  readonly previews?: readonly string[];
}

/** The message of the step that sent the work back. */
export interface Again {
  readonly step: string;
  readonly text: string;
}

/** Each kind of evidence from the newest attempt that produced it. */
export interface LatestEvidence {
  readonly tests: TestCounts | null;
  /** Whether the last check passed; null if none ran. */
  readonly checkPassed: boolean | null;
  readonly filesChanged: readonly string[];
}

export interface Chain {
  /** Empty for the run's own chain, else the item's key. */
  readonly key: string;
  readonly nodes: readonly Node[];
  readonly labels: number;
  /** Backward steps taken, by `from>to`. */
  readonly edges: Readonly<Record<string, number>>;
  readonly notes: readonly HumanNote[];
  readonly context: Readonly<Record<string, string>>;
  readonly digests: readonly Digest[];
  /**
   * Why the chain is walked again. In the run's own chain it covers its loops, unless a person's note gives the reason.
   */
  readonly again?: Again | null;
  readonly costUsd?: number;
  /** Agent attempts with unknown cost. */
  readonly unpriced?: number;
  /** Absent if no attempt has settled since this field exists. */
  readonly evidence?: LatestEvidence;
  /** Its changes so far, as the newest attempt measured them. */
  readonly work?: NonNullable<Envelope['work']>;
  /** Cleared by an approval. */
  readonly sentBack?: SentBack | null;
  /** Notes from its steps for later steps. */
  readonly scratch: string;
}

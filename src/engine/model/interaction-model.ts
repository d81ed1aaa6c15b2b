// What a person is asked, and what became of it.
import type { Permission } from '../report/envelope.js';
import type { Approvals } from '../workflow/definition.js';
import type { Digest } from './model.js';
import type { Takeover } from './takeover-data.js';
import type { WorkspaceOp } from './workspace-op.js';

export type InteractionKind = 'review' | 'question' | 'escalation' | 'confirm' | 'choice' | 'permission' | 'budget';
export type InteractionState = 'open' | 'answered' | 'expired' | 'superseded';

/** What an interaction is about decides what its options do. */
export type Subject =
  | { readonly type: 'proposal' }
  | { readonly type: 'review' }
  | { readonly type: 'question' }
  /** An agent at work waits for the answer; `isLate`: no longer, it is being stopped and the next try gets it. */
  | { readonly type: 'agent_question'; readonly attempt: string; readonly key: string; readonly isLate: boolean }
  | {
      readonly type: 'agent_permission';
      readonly attempt: string;
      readonly key: string;
      readonly permission: Permission;
    }
  /** An agent was not allowed something, and has ended. */
  | { readonly type: 'denied'; readonly permissions: readonly Permission[] }
  /** `isFailed`: the step failed, where others wait for a person. */
  | { readonly type: 'stuck'; readonly isFailed: boolean }
  | { readonly type: 'next_item'; readonly item: string }
  | { readonly type: 'abort' }
  | { readonly type: 'dirty' }
  | { readonly type: 'workspace'; readonly op: WorkspaceOp; readonly isLarge?: boolean }
  | { readonly type: 'rollback_target' }
  /** `votes`: of those who approved before; they count again where the review is asked again. */
  | { readonly type: 'reject_reason'; readonly note: string | null; readonly votes?: readonly RecordedAnswer[] }
  | { readonly type: 'give_up' }
  | { readonly type: 'fuse' }
  | { readonly type: 'items_failed' }
  /** What a gate would do, before it does. */
  | { readonly type: 'gate'; readonly verdict: ReviewVerdict }
  /** A gate that gave up: a person may have it look again. */
  | { readonly type: 'gate_stuck' }
  /** Where the project stands could not be told. */
  | { readonly type: 'position' }
  /** A value that the workflow declares and nobody gave. */
  | { readonly type: 'input'; readonly name: string }
  /** State of another orchestrator was found in the project. */
  | { readonly type: 'takeover'; readonly takeover: Takeover };

export type ReviewVerdict = 'pass' | 'fix' | 'escalate';

export interface Option {
  readonly id: string;
  readonly label: string;
  /** The option means nothing without words; a press without them asks for them. */
  readonly needsText: boolean;
}

export interface Interaction {
  readonly id: string;
  readonly kind: InteractionKind;
  readonly subject: Subject;
  readonly chain: string;
  readonly node: string | null;
  readonly generation: number;
  readonly text: string;
  readonly digests: readonly Digest[];
  readonly options: readonly Option[];
  readonly state: InteractionState;
  readonly openedAt: number;
  readonly answer: RecordedAnswer | null;
  /** What its node asks of those who approve, and when others are reminded of it; left out: nothing. */
  readonly approvals?: Approvals;
  /** Where it takes several to say yes: who did so far, each person once. */
  readonly votes?: readonly RecordedAnswer[];
  /** How often people were reminded of it, and when last; left out: never. */
  readonly reminded?: { readonly count: number; readonly at: number };
  /** When those were told who stand in for whoever does not answer. */
  readonly escalatedAt?: number;
}

/** What one person said to it, and on which channel, where that is known. */
export interface RecordedAnswer {
  readonly option: string;
  readonly text: string | null;
  readonly by: string;
  readonly at: number;
  readonly where?: string;
}

export interface GivenAnswer {
  readonly option: string;
  readonly text: string | null;
  readonly by: string;
  readonly where?: string;
  readonly behind: string | null;
}

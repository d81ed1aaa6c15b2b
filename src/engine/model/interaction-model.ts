// Questions to people, and their answers.
import type { Permission } from '../report/envelope.js';
import type { Approvals } from '../workflow/definition.js';
import type { FrozenWork } from './frozen-work.js';
import type { Digest } from './model.js';
import type { Takeover } from './takeover-data.js';
import type { LeftBehind, WorkspaceOp } from './workspace-op.js';

export type InteractionKind = 'review' | 'question' | 'escalation' | 'confirm' | 'choice' | 'permission' | 'budget';
export type InteractionState = 'open' | 'answered' | 'expired' | 'superseded';

/** What an interaction is about; it decides what its options do. */
export type Subject =
  | { readonly type: 'proposal' }
  | { readonly type: 'review' }
  | { readonly type: 'question' }
  /**
   * A running agent waits for the answer. `isLate`: its wait ended, it is being stopped, and the next attempt gets it.
   */
  | { readonly type: 'agent_question'; readonly attempt: string; readonly key: string; readonly isLate: boolean }
  | {
      readonly type: 'agent_permission';
      readonly attempt: string;
      readonly key: string;
      readonly permission: Permission;
    }
  /** An agent was denied permissions and has ended. */
  | { readonly type: 'denied'; readonly permissions: readonly Permission[] }
  /** `isFailed`: the step failed; otherwise it waits for a person. */
  | { readonly type: 'stuck'; readonly isFailed: boolean }
  /** `after`: the item that was done just before. */
  | { readonly type: 'next_item'; readonly item: string; readonly after?: string }
  | { readonly type: 'abort' }
  /** `left`: what an aborted run left; absent: every change is a person's. */
  | { readonly type: 'dirty'; readonly left?: LeftBehind }
  /** The run was aborted, and its agents left uncommitted changes. */
  | { readonly type: 'leftovers' }
  | { readonly type: 'workspace'; readonly op: WorkspaceOp; readonly isLarge?: boolean }
  /** `votes`: earlier approvals of the gate's card, which count again if it is asked again. */
  | { readonly type: 'rollback_target'; readonly votes?: readonly RecordedAnswer[] }
  /** `votes`: earlier approvals, which count again if the review is asked again. */
  | { readonly type: 'reject_reason'; readonly note: string | null; readonly votes?: readonly RecordedAnswer[] }
  | { readonly type: 'give_up' }
  /** A review, or a gate that people vote on, would be left out. `reason`: given with the command. */
  | { readonly type: 'skip_approval'; readonly reason: string | null }
  | { readonly type: 'fuse' }
  | { readonly type: 'items_failed' }
  /** What a gate would do, for confirmation. */
  | { readonly type: 'gate'; readonly verdict: ReviewVerdict }
  /** The gate gave up; a person may let it judge again. */
  | { readonly type: 'gate_stuck' }
  /** The survey could not tell where the project stands. */
  | { readonly type: 'position' }
  /** A declared workflow input that has no value. */
  | { readonly type: 'input'; readonly name: string }
  /** Another orchestrator's state was found in the project. */
  | { readonly type: 'takeover'; readonly takeover: Takeover };

export type ReviewVerdict = 'pass' | 'fix' | 'escalate';

export interface Option {
  readonly id: string;
  readonly label: string;
  /** A press without text prompts for the text. */
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
  /** The node's rules for approvals, reminders and escalation; absent: none. */
  readonly approvals?: Approvals;
  /** The approvals so far where several are required, one per person. */
  readonly votes?: readonly RecordedAnswer[];
  /** How often and when people were last reminded; absent: never. */
  readonly reminded?: { readonly count: number; readonly at: number };
  /** Closed then if no one has answered; absent: it stays open. */
  readonly expiresAt?: number;
  /** When the people to escalate to were told. */
  readonly escalatedAt?: number;
  /** The changes that it is about; absent: none were measured. */
  readonly work?: FrozenWork;
}

export interface RecordedAnswer {
  readonly option: string;
  readonly text: string | null;
  readonly by: string;
  readonly at: number;
  readonly where?: string;
}

export interface GivenAnswer extends Omit<RecordedAnswer, 'at'> {
  readonly behind: string | null;
}

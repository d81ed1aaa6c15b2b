import type { Permission } from '../report/envelope.js';
import type { Approvals } from '../workflow/definition.js';
import type { FrozenWork } from './frozen-work.js';
import type { Digest } from './model.js';
import type { Takeover } from './takeover-data.js';
import type { LeftBehind, WorkspaceOp } from './workspace-op.js';

export type InteractionKind = 'review' | 'question' | 'escalation' | 'confirm' | 'choice' | 'permission' | 'budget';
export type InteractionState = 'open' | 'answered' | 'expired' | 'superseded';

export type Subject =
  | { readonly type: 'proposal' }
  | { readonly type: 'review' }
  | { readonly type: 'question' }
  /** `isLate`: the wait ended, and the next attempt gets the answer. */
  | {
      readonly type: 'agent_question';
      readonly attempt: string;
      readonly key: string;
      readonly isLate: boolean;
      /** Absent: an earlier version asked. */
      readonly waitsUntil?: number;
    }
  | {
      readonly type: 'agent_permission';
      readonly attempt: string;
      readonly key: string;
      readonly permission: Permission;
      readonly waitsUntil?: number;
    }
  | { readonly type: 'denied'; readonly permissions: readonly Permission[] }
  /** `isFailed` false: it waits for a person. */
  | { readonly type: 'stuck'; readonly isFailed: boolean }
  | { readonly type: 'next_item'; readonly item: string; readonly after?: string }
  | { readonly type: 'abort'; readonly changed?: ChangedFiles }
  /** `left`: an aborted run's; absent: all are a person's. */
  | { readonly type: 'dirty'; readonly left?: LeftBehind }
  /** Uncommitted changes of an aborted run. */
  | { readonly type: 'leftovers' }
  /** The branch of an ended run that worked beside another. */
  | { readonly type: 'land' }
  | { readonly type: 'workspace'; readonly op: WorkspaceOp; readonly isLarge?: boolean }
  /** `votes`: count again if the gate asks again. */
  | { readonly type: 'rollback_target'; readonly votes?: readonly RecordedAnswer[] }
  /** `votes`: count again if the review asks again. */
  | { readonly type: 'reject_reason'; readonly note: string | null; readonly votes?: readonly RecordedAnswer[] }
  | { readonly type: 'give_up' }
  /** Of a review or voted gate. `reason`: given with the command. */
  | { readonly type: 'skip_approval'; readonly reason: string | null }
  | { readonly type: 'fuse' }
  | { readonly type: 'items_failed' }
  | { readonly type: 'gate'; readonly verdict: ReviewVerdict }
  | { readonly type: 'gate_stuck' }
  | { readonly type: 'position' }
  | { readonly type: 'input'; readonly name: string }
  | { readonly type: 'takeover'; readonly takeover: Takeover };

export type ReviewVerdict = 'pass' | 'fix' | 'escalate';

export interface ChangedFiles {
  readonly count: number;
  /** The first of them. */
  readonly names: readonly string[];
}

export interface Option {
  readonly id: string;
  readonly label: string;
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
  readonly approvals?: Approvals;
  /** Approvals, one per person. */
  readonly votes?: readonly RecordedAnswer[];
  /** Absent: never. */
  readonly reminded?: { readonly count: number; readonly at: number };
  /** Closes unanswered then; absent: stays open. */
  readonly expiresAt?: number;
  readonly escalatedAt?: number;
  /** By a person; absent: never. */
  readonly nudged?: { readonly by: string; readonly at: number };
  readonly snoozes?: readonly { readonly by: string; readonly until: number }[];
  /** Absent: people nearest to its subject decide. */
  readonly handed?: { readonly to: string; readonly by: string; readonly at: number };
  /** Absent: unmeasured. */
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

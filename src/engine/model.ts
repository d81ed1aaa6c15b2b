// The state that the engine decides on: a run's spine, its items, and the one chain that an event touches.
import type { CheckResult, DiffStat, TestCounts } from './envelope.js';
import type { Level, NodeKind, Workflow } from './workflow/definition.js';

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
export type ItemStatus = 'ready' | 'blocked' | 'running' | 'merging' | 'done' | 'failed' | 'cancelled';
export type RunStatus = 'draft' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';
export type PauseReason = 'decision' | 'escalation' | 'failure' | 'user' | 'level' | 'budget';
export type OutcomeKind = 'pass' | 'failing' | 'timeout' | 'crashed' | 'needs_human' | 'cancelled';

/** A person's words on their way to the next prompt. They are delivered once. */
export interface HumanNote {
  readonly kind: 'remark' | 'answer' | 'instruction';
  /** What was asked, when this is an answer. */
  readonly question: string | null;
  readonly text: string;
  readonly by: string;
}

export interface Attempt {
  readonly id: string;
  readonly generation: number;
  /** The number that people see: tries of this generation, abandoned ones not counted. */
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
  /** What the executor said, where the evidence said otherwise. */
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
  readonly logPath: string | null;
}

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
  /** Counts every dispatch of this node and is never reset: attempt ids rest on it. */
  readonly dispatches: number;
  readonly live: Attempt | null;
  readonly last: Attempt | null;
  /** The first attempt of this generation: what a rollback to this node goes back to. */
  readonly firstAttempt: string | null;
  readonly skipReason: string | null;
}

/** A node whose attempt has come back. */
export interface SettledNode extends Node {
  readonly last: Attempt;
}

export interface Item {
  readonly key: string;
  readonly order: number;
  readonly title: string;
  readonly description: string;
  readonly criteria: readonly string[];
  readonly dependsOn: readonly string[];
  readonly status: ItemStatus;
  readonly loop: string;
  readonly template: string;
  readonly rejections: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

/** What earlier nodes want the next reviewer to look at. */
export interface Digest {
  readonly step: string;
  readonly text: string | null;
  readonly questions: readonly string[];
  readonly files: readonly string[];
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
}

export interface LiveAttempt {
  readonly attempt: string;
  readonly chain: string;
  readonly node: string;
  readonly step: string;
  readonly startedAt: number | null;
}

/** Work on the checkout that must end before the chain goes on. */
export type WorkspaceOp =
  | { readonly id: string; readonly kind: 'prepare'; readonly stash: boolean }
  | { readonly id: string; readonly kind: 'deliver'; readonly chain: string; readonly message: string }
  | {
      readonly id: string;
      readonly kind: 'rollback';
      readonly chain: string;
      readonly node: string;
      readonly attempt: string;
    }
  /** Gives a person the changes back that were put aside at the start. */
  | { readonly id: string; readonly kind: 'restore'; readonly stash: string };

export type WorkspaceResult =
  | {
      readonly ok: true;
      readonly note: string | null;
      readonly diffStat: DiffStat | null;
      readonly commit: string | null;
      readonly stash: string | null;
    }
  | {
      readonly ok: false;
      readonly code: 'dirty' | 'blocked';
      readonly message: string;
      readonly files: readonly string[];
    };

export interface Run {
  readonly id: string;
  readonly number: number;
  readonly home: string;
  readonly project: string;
  readonly workflow: string;
  readonly snapshot: string;
  readonly task: string;
  readonly status: RunStatus;
  readonly pauseReason: PauseReason | null;
  /** A person said stop; nothing new starts until a person says go. */
  readonly held: boolean;
  readonly level: Level;
  readonly afterStory: 'propose' | 'start';
  readonly context: Readonly<Record<string, string>>;
  /** Dispatches that a person granted, where the level does not grant them by itself. */
  readonly credit: number;
  readonly live: readonly LiveAttempt[];
  readonly op: WorkspaceOp | null;
  readonly prepared: boolean;
  /** The person's own changes, put aside until the run ends. */
  readonly stash: string | null;
  readonly counters: {
    readonly dispatches: number;
    readonly nodes: number;
    readonly interactions: number;
    readonly ops: number;
  };
  readonly dispatchLimit: number;
  readonly costUsd: number;
  readonly budgetUsd: number | null;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** At level manual: the step that a person named before there was a chain to find it in. */
  readonly named: { readonly step: string; readonly instruction: string | null; readonly by: string } | null;
  /** A draft that a person already said yes to and that waits for its turn. */
  readonly approved: boolean;
}

export type InteractionKind = 'review' | 'question' | 'escalation' | 'confirm' | 'choice' | 'permission' | 'budget';
export type InteractionState = 'open' | 'answered' | 'expired' | 'superseded';

/** What an interaction is about decides what its options do. */
export type Subject =
  | { readonly type: 'proposal' }
  | { readonly type: 'review' }
  | { readonly type: 'question' }
  | { readonly type: 'stuck' }
  | { readonly type: 'next_item'; readonly item: string }
  | { readonly type: 'abort' }
  | { readonly type: 'dirty' }
  | { readonly type: 'workspace'; readonly op: WorkspaceOp }
  | { readonly type: 'rollback_target' }
  | { readonly type: 'reject_reason'; readonly note: string | null }
  | { readonly type: 'give_up' }
  | { readonly type: 'fuse' }
  | { readonly type: 'items_failed' };

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
  readonly answer: {
    readonly option: string;
    readonly text: string | null;
    readonly by: string;
    readonly at: number;
  } | null;
}

export interface State {
  readonly workflow: Workflow;
  readonly run: Run;
  readonly items: readonly Item[];
  readonly chain: Chain;
  /** The open ones, and those that the last decision settled. */
  readonly interactions: readonly Interaction[];
}

/** Exhaustiveness: a case that the types rule out is a bug, and a bug throws. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

// Defaults are filled in, names resolved.

import type { Expression } from './expressions/expression.js';

export type NodeKind = NodeDef['kind'];

/** Other routes hold the node back. */
export type Route =
  | { readonly type: 'next' }
  /** Bounded by the node's attempts, or its item's rejections. */
  | { readonly type: 'retry'; readonly budget: 'attempts' | 'rejections' }
  | {
      readonly type: 'goto';
      readonly target: string;
      /** A way back spends its edge's loops, or the item's rejections. */
      readonly budget: 'loops' | 'rejections';
      /** Context key → output key: `{verify_feedback: ISSUES}`. */
      readonly carry: Readonly<Record<string, string>>;
      readonly clear: readonly string[];
    }
  | Insert
  | { readonly type: 'ask' }
  | { readonly type: 'fail' }
  | { readonly type: 'finish' };

export interface Insert {
  readonly type: 'insert';
  readonly fragment: string;
  readonly args: readonly string[];
  /** Context key → output key, or path in a gate's evidence. */
  readonly carry: Readonly<Record<string, string>>;
  /** May name {{retry}} and {{max}}. */
  readonly say: string | null;
}

export interface Expects {
  /** Canonical words; null: any. */
  readonly status: readonly string[] | null;
  readonly keys: readonly string[];
  readonly items: 'required' | 'none' | 'any';
  /** Test-first: the tests must fail. */
  readonly red: boolean;
  /** Must change a file or report `nothing_to_do`. */
  readonly changes?: true;
}

export interface TestCommand {
  readonly run: string;
  readonly format: TestFormat;
  /** Green even if no test ran. */
  readonly allowNone?: true;
}

export type TestFormat = 'auto' | 'vitest' | 'jest' | 'tap' | 'node' | 'go' | 'junit' | 'pytest' | 'exit';

/** Questions about a kind: see node-kinds.ts. */
export type NodeDef = TaskDef | CheckDef | ReviewDef | GateDef | LoopDef;

export type JobDef = TaskDef | CheckDef;

export interface NodeCore {
  readonly id: string;
  readonly title: string;
  readonly mandatory: boolean;
  /** Exports always name both. 0: no job. */
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly onPass: Route;
  readonly onFail: Readonly<Record<string, Route>>;
  /** `system`: an edit may not add more of it. */
  readonly insertBy: 'anyone' | 'system';
  readonly pinLast: boolean;
  /** After the last of these, as lint after coding. */
  readonly afterAny: readonly string[];
  /** Never runs beside another node. */
  readonly barrier: boolean;
  /** Null: needs all earlier ones. */
  readonly needs: readonly string[] | null;
  /** A node whose condition is false is skipped. */
  readonly when: Expression | null;
  readonly shows?: readonly string[];
  /** Absent: any who may answer, no reminders. */
  readonly approvals?: Approvals;
}

export interface JobFields {
  readonly role: string | null;
  readonly writes: readonly string[];
  readonly expects: Expects;
  /** Values for the context; null: all but reserved ones. */
  readonly outputs: readonly string[] | null;
  /** As in earlier files: no outputs are declared. */
  readonly mayNameStory?: true;
  readonly check: string | null;
  /** `project`: the project's tests. */
  readonly tests: 'project' | TestCommand | null;
  readonly abandons: number;
  readonly maxLoops: number;
  readonly maxRestarts: number;
  readonly rollback: boolean;
  readonly onStatus: Readonly<Record<string, Route>>;
  readonly decisionKey: string | null;
  readonly onDecision: Readonly<Record<string, Route>>;
  readonly onExhausted: Exhausted;
  /** `abandon`: within `abandons`, then an exhausted budget's end. */
  readonly onTimeout: 'abandon' | 'cancel_item' | Ending;
  readonly editable: boolean;
  /** `maestro-plan`; null: its id. */
  readonly call: string | null;
  readonly args: string | null;
}

export interface AgentFields {
  /** A template; null: the built-in prompt. */
  readonly prompt: string | null;
  readonly reads: readonly string[];
  /** A template: the run's branch, created once the step has passed. */
  readonly branch?: string;
  readonly freshSession: boolean;
  readonly team: Team | null;
}

export interface LoopFields {
  readonly body: readonly NodeDef[];
  readonly maxRejections: number;
  readonly over: 'items' | 'phases';
  readonly parallel: number;
  readonly isolate: 'shared' | 'worktree';
  readonly stepTypes: readonly NodeDef[];
  readonly onItemDone: OnItemDone | null;
}

/** Superset of all kinds, as a file or snapshot may hold. */
export type NodeFields = NodeCore & JobFields & AgentFields & LoopFields & Pick<ReviewDef, 'onAnswer'>;

export interface TaskDef extends NodeCore, JobFields, AgentFields {
  readonly kind: 'task';
}

export interface CheckDef extends NodeCore, JobFields {
  readonly kind: 'check';
}

export interface ReviewDef extends NodeCore {
  readonly kind: 'human';
  readonly prompt: string | null;
  readonly onAnswer: Readonly<Partial<Record<'continue' | 'skip' | 'abort', Route>>> | null;
}

export interface GateDef extends NodeCore {
  readonly kind: 'decision';
  readonly gate: Gate;
}

export interface LoopDef extends NodeCore, LoopFields {
  readonly kind: 'loop';
}

export interface Approvals {
  /** Different people; one rejection suffices. */
  readonly quorum: number;
  readonly notRequester: boolean;
  readonly remindAfterMs: number | null;
  readonly escalateAfterMs: number | null;
  readonly escalateTo: readonly string[];
}

/** Ask a person, fail the item or run, or fail the node and pause the run. */
export type Ending = 'ask' | 'fail' | 'pause';
export type Exhausted = Ending | Insert;

export interface OnItemDone {
  /** A template for the commit message. */
  readonly squash: string;
  readonly conflict: { readonly insert: string; readonly before: string } | null;
}

export interface Gate {
  readonly evidence: readonly Evidence[];
  readonly failWhen: Expression;
  /** Null: unlimited. */
  readonly maxRetries: number | null;
  readonly onFail: Insert;
  readonly onEscalate: Insert | null;
  readonly say: string | null;
}

/** `file`: below the work's folder; `survey`: a fresh one. */
export interface Evidence {
  readonly file: string;
  /** '' puts its fields at the top. */
  readonly as: string;
  readonly isOptional: boolean;
}

export interface Fragment {
  readonly id: string;
  readonly params: readonly string[];
  readonly nodes: readonly FragmentNode[];
  /** Its own nodes; `nodes` may repeat the chain's. */
  readonly defs: readonly NodeDef[];
}

export interface FragmentNode {
  /** A node's id, or `$name`. */
  readonly template: string;
  readonly args: string | null;
  /** A gate's count starts anew, or continues the inserting one's. */
  readonly retry: 'fresh' | 'next';
  readonly when: Expression | null;
}

export type Complexity = 'S' | 'M' | 'L';

export interface Team {
  readonly mode: Readonly<Record<Complexity, 'single' | 'auto' | 'team'>>;
  readonly roles: Readonly<Record<string, TeamRole>>;
}

export interface TeamRole {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly prompt: string | null;
}

/** The first that holds names the run's first node. */
export interface Position {
  readonly name: string;
  readonly begin: string;
  readonly when: Expression;
}

export interface RoleDef {
  readonly id: string;
  readonly prompt: string | null;
  readonly executor: string | null;
  readonly access: 'read' | 'exec' | 'write' | null;
  /** An agent's guide (AGENTS.md, SOUL.md, IDENTITY.md), before its prompts. */
  readonly preface?: string;
}

export interface InputDef {
  readonly required: boolean;
  readonly default: string | null;
}

export interface Policy {
  /** Null: the project's. */
  readonly level: Level | null;
  readonly onItemFailed: 'fail_run' | 'continue';
  /** `required`: exit 0 without a report is a crash. Null: only of coding agents. */
  readonly report: 'required' | 'optional' | null;
  readonly afterStory: 'propose' | 'start' | null;
  readonly pollMs: number;
  /** `before`: a person sees a verdict first. */
  readonly stopAtDecisions: 'before' | 'never';
  readonly adoptLate: boolean;
  readonly autoMode: boolean;
  readonly writes: 'check' | 'warn';
}

export type Level = 'manual' | 'semi' | 'auto';

export interface Limits {
  readonly items: number;
  readonly nodesPerItem: number;
  readonly dispatches: number;
  /** Each item raises the run's limits by this. */
  readonly perItem: number;
  readonly insertions: number;
  readonly costUsd: number | null;
}

export type ExportName = 'state' | 'workflow-state' | 'session' | 'progress';

export interface Workflow {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly inputs: Readonly<Record<string, InputDef>>;
  readonly context: Readonly<Record<string, string>>;
  readonly roles: Readonly<Record<string, RoleDef>>;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly chain: readonly NodeDef[];
  readonly fragments: Readonly<Record<string, Fragment>>;
  /** Tells the project's position; null: runs begin at the first node. */
  readonly survey: string | null;
  readonly positions: readonly Position[];
  readonly exports: readonly ExportName[];
}

// A loaded workflow: every default is filled in and every name resolved.

import type { Expression } from './expressions/expression.js';

export type NodeKind = NodeDef['kind'];

/** `next` and `finish` go on; the others hold the node back. */
export type Route =
  | { readonly type: 'next' }
  /** Bounded by the node's attempts, or by its item's rejections. */
  | { readonly type: 'retry'; readonly budget: 'attempts' | 'rejections' }
  | {
      readonly type: 'goto';
      readonly target: string;
      /** What a step back costs: a pass of this edge, or a rejection of the item. */
      readonly budget: 'loops' | 'rejections';
      /** Context key → output key of this report: `{verify_feedback: ISSUES}`. */
      readonly carry: Readonly<Record<string, string>>;
      /** Context keys to clear. */
      readonly clear: readonly string[];
    }
  | Insert
  | { readonly type: 'ask' }
  | { readonly type: 'fail' }
  | { readonly type: 'finish' };

/** Adds nodes right after this one. */
export interface Insert {
  readonly type: 'insert';
  readonly fragment: string;
  /** Node ids for the fragment's params, in order. */
  readonly args: readonly string[];
  /** Context key → output key of the report, or path into a gate's evidence. */
  readonly carry: Readonly<Record<string, string>>;
  /** Told in the thread; may name {{retry}} and {{max}}. */
  readonly say: string | null;
}

export interface Expects {
  /** The report must carry one of these canonical words; null: any. */
  readonly status: readonly string[] | null;
  readonly keys: readonly string[];
  readonly items: 'required' | 'none' | 'any';
  /** The tests must fail: a skeleton written before its code. */
  readonly red: boolean;
  /** A coding agent must change a file or report `nothing_to_do`. */
  readonly changes?: true;
}

export interface TestCommand {
  readonly run: string;
  readonly format: TestFormat;
  /** Green even if no test ran. */
  readonly allowNone?: true;
}

export type TestFormat = 'auto' | 'vitest' | 'jest' | 'tap' | 'node' | 'go' | 'junit' | 'pytest' | 'exit';

/** A node as the rest of Bosun sees it. What a kind answers when it is asked: node-kinds.ts. */
export type NodeDef = TaskDef | CheckDef | ReviewDef | GateDef | LoopDef;

/** A node that runs as a job. */
export type JobDef = TaskDef | CheckDef;

export interface NodeCore {
  readonly id: string;
  readonly title: string;
  readonly mandatory: boolean;
  /** Exports name both for every step. 0 without a job. */
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly onPass: Route;
  readonly onFail: Readonly<Record<string, Route>>;
  /** `system`: an edit may not add more of it, only Bosun may. */
  readonly insertBy: 'anyone' | 'system';
  readonly pinLast: boolean;
  /** It comes after the last of these, as lint after coding. */
  readonly afterAny: readonly string[];
  /** Never runs beside another node. */
  readonly barrier: boolean;
  /** Earlier nodes that it depends on; null: all of them. */
  readonly needs: readonly string[] | null;
  /** Skipped unless this holds when the node is reached. */
  readonly when: Expression | null;
  /** Pictures (globs) and addresses (templates) for the next review. */
  readonly shows?: readonly string[];
  /** For the cards that ask people. Missing: any authorised person may answer, without reminders. */
  readonly approvals?: Approvals;
}

/** How an attempt is run and judged, and where its outcome leads. */
export interface JobFields {
  readonly role: string | null;
  readonly writes: readonly string[];
  readonly expects: Expects;
  /** Output keys that may enter the context; null: all but the reserved ones. */
  readonly outputs: readonly string[] | null;
  /** May name the next story without declaring outputs, as files of earlier versions expect. */
  readonly mayNameStory?: true;
  /** A shell line (template) that must exit 0. */
  readonly check: string | null;
  /** `project`: the project's own tests. */
  readonly tests: 'project' | TestCommand | null;
  readonly abandons: number;
  readonly maxLoops: number;
  readonly maxRestarts: number;
  readonly rollback: boolean;
  readonly onStatus: Readonly<Record<string, Route>>;
  readonly decisionKey: string | null;
  readonly onDecision: Readonly<Record<string, Route>>;
  readonly onExhausted: Exhausted;
  /** Another try within `abandons`, or one of the ways an exhausted budget ends. */
  readonly onTimeout: 'abandon' | 'cancel_item' | Ending;
  /** Its executor may propose edits to the rest of the chain. */
  readonly editable: boolean;
  /** The step's name in other tools: `maestro-plan`. null: its id. */
  readonly call: string | null;
  /** Arguments of the call (a template), for prompts as {{args}} and for exports. */
  readonly args: string | null;
}

/** What only a coding agent is given. */
export interface AgentFields {
  /** A template; null: the built-in prompt of the role or step. */
  readonly prompt: string | null;
  readonly reads: readonly string[];
  /** The name of the run's branch (a template), which Bosun creates once the step has passed. */
  readonly branch?: string;
  /** Each attempt starts a new session. */
  readonly freshSession: boolean;
  readonly team: Team | null;
}

export interface LoopFields {
  /** The chain that each item walks. */
  readonly body: readonly NodeDef[];
  /** Rejections that an item may cost. */
  readonly maxRejections: number;
  readonly over: 'items' | 'phases';
  /** Items in parallel; more than one needs worktrees. */
  readonly parallel: number;
  readonly isolate: 'shared' | 'worktree';
  /** Steps that an edit or Bosun may add to an item's chain. */
  readonly stepTypes: readonly NodeDef[];
  /** The commit's message, and in worktrees how a conflict is resolved. */
  readonly onItemDone: OnItemDone | null;
}

/** What a file, or the snapshot of a run, holds for every node, whatever its kind. */
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
  /** An escalation's routes. */
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
  /** Different people who must approve; one rejection suffices. */
  readonly quorum: number;
  /** The requester of the run may not approve it. */
  readonly notRequester: boolean;
  /** null: no reminders. */
  readonly remindAfterMs: number | null;
  readonly escalateAfterMs: number | null;
  readonly escalateTo: readonly string[];
}

/** A question, a failed item or run, or a failed node and a waiting run. */
export type Ending = 'ask' | 'fail' | 'pause';
export type Exhausted = Ending | Insert;

export interface OnItemDone {
  /** Template for the message of the single commit on the base. */
  readonly squash: string;
  /** The step to insert on a conflict, and before which step. */
  readonly conflict: { readonly insert: string; readonly before: string } | null;
}

/** Judges files, and adds work when they report a failure. */
export interface Gate {
  readonly evidence: readonly Evidence[];
  readonly failWhen: Expression;
  /** How often it adds work before it escalates; null: unlimited. */
  readonly maxRetries: number | null;
  readonly onFail: Insert;
  readonly onEscalate: Insert | null;
  /** Told when the gate lets the work pass. */
  readonly say: string | null;
}

/** `file` is relative to the work's folder; `survey` stands for a fresh survey of the project. */
export interface Evidence {
  readonly file: string;
  /** Its name in expressions; empty: its fields are top-level. */
  readonly as: string;
  readonly isOptional: boolean;
}

export interface Fragment {
  readonly id: string;
  readonly params: readonly string[];
  readonly nodes: readonly FragmentNode[];
  /** Nodes of its own; `nodes` may also repeat those of the chain. */
  readonly defs: readonly NodeDef[];
}

export interface FragmentNode {
  /** A node's id, or `$name` of a parameter. */
  readonly template: string;
  readonly args: string | null;
  /** A gate counts its retries anew, or continues the count of the gate that inserted it. */
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

/** The first position that holds names the node at which a run begins. */
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
  /** An agent's guide (AGENTS.md, SOUL.md, IDENTITY.md), put before each of its prompts. */
  readonly preface?: string;
}

export interface InputDef {
  readonly required: boolean;
  readonly default: string | null;
}

export interface Policy {
  /** null: the project's level. */
  readonly level: Level | null;
  readonly onItemFailed: 'fail_run' | 'continue';
  /** `required`: exit 0 without a report is a crash. null: of coding agents only. */
  readonly report: 'required' | 'optional' | null;
  readonly afterStory: 'propose' | 'start' | null;
  readonly pollMs: number;
  /** `before`: a person sees a gate's verdict before it takes effect. */
  readonly stopAtDecisions: 'before' | 'never';
  /** A pass after its timeout counts if nothing was tried since. */
  readonly adoptLate: boolean;
  /** The run starts without asking for permission. */
  readonly autoMode: boolean;
  /** Files outside a step's `writes` fail it, or only cause a warning. */
  readonly writes: 'check' | 'warn';
}

export type Level = 'manual' | 'semi' | 'auto';

export interface Limits {
  readonly items: number;
  readonly nodesPerItem: number;
  readonly dispatches: number;
  /** Dispatches, and insertions, that each item adds to the run's limit. */
  readonly perItem: number;
  readonly insertions: number;
  readonly costUsd: number | null;
}

/** Files of other designs, updated during a run. */
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
  /** The folder that tells where the project stands; null: runs begin at the first node. */
  readonly survey: string | null;
  readonly positions: readonly Position[];
  readonly exports: readonly ExportName[];
}

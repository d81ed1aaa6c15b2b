// The loaded form of a workflow file: every default is filled in and every name resolved.

import type { Expression } from './expressions/expression.js';

export type NodeKind = 'task' | 'check' | 'human' | 'decision' | 'loop';

/** Where an outcome leads. `next` and `finish` go on; the others hold the node back. */
export type Route =
  | { readonly type: 'next' }
  /** Bounded by the node's attempts, or by its item's rejections. */
  | { readonly type: 'retry'; readonly budget: 'attempts' | 'rejections' }
  | {
      readonly type: 'goto';
      readonly target: string;
      /** What a step back costs: a pass of this edge, or one of the item's rejections. */
      readonly budget: 'loops' | 'rejections';
      /** Context key to fill → output key of this report: `{verify_feedback: ISSUES}`. */
      readonly carry: Readonly<Record<string, string>>;
      /** Context keys to clear. */
      readonly clear: readonly string[];
    }
  | Insert
  | { readonly type: 'ask' }
  | { readonly type: 'fail' }
  | { readonly type: 'finish' };

/** New nodes right after this one: how a gate, a verifier or an answer adds work. */
export interface Insert {
  readonly type: 'insert';
  readonly fragment: string;
  /** Values of the fragment's parameters, in order: node ids. */
  readonly args: readonly string[];
  /** Context key to fill → output key of the report, or a path into a gate's evidence. */
  readonly carry: Readonly<Record<string, string>>;
  /** Told in the thread; may name {{retry}} and {{max}}. */
  readonly say: string | null;
}

export interface Expects {
  /** Canonical words, one of which the report must carry; null: any. */
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

export interface NodeDef {
  readonly id: string;
  readonly kind: NodeKind;
  readonly title: string;
  readonly role: string | null;
  /** The prompt's text (a template); null: the built-in prompt of the role or step. */
  readonly prompt: string | null;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly expects: Expects;
  /** Output keys that may enter the context; null: all but the reserved ones. */
  readonly outputs: readonly string[] | null;
  /** May name the next story without declaring outputs; workflow files of earlier versions rely on it. */
  readonly mayNameStory?: true;
  /** A shell line (template) that must exit 0. */
  readonly check: string | null;
  /** `project`: the project's own tests. */
  readonly tests: 'project' | TestCommand | null;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly abandons: number;
  readonly maxLoops: number;
  readonly rollback: boolean;
  readonly mandatory: boolean;
  readonly onPass: Route;
  readonly onFail: Readonly<Record<string, Route>>;
  readonly onStatus: Readonly<Record<string, Route>>;
  readonly decisionKey: string | null;
  readonly onDecision: Readonly<Record<string, Route>>;
  readonly onExhausted: Exhausted;
  /** Effect of a timeout: another try within `abandons`, or one of the ways an exhausted budget ends. */
  readonly onTimeout: 'abandon' | 'cancel_item' | Ending;
  /** The name of this step in other tools: `maestro-plan`. null: its id. */
  readonly call: string | null;
  /** The arguments of the call (a template), for prompts as {{args}} and for exports. */
  readonly args: string | null;
  /** Each attempt starts without the memory of an earlier session. */
  readonly freshSession: boolean;
  /** Its executor may propose edits of the rest of the chain. */
  readonly editable: boolean;
  /** Who may add more of it by an edit; `system`: only Bosun. */
  readonly insertBy: 'anyone' | 'system';
  /** No node may come after it. */
  readonly pinLast: boolean;
  /** It must come after the last of these nodes, as lint after coding. */
  readonly afterAny: readonly string[];
  /** Never runs beside another node. */
  readonly barrier: boolean;
  /** Earlier nodes that it depends on; it may run beside all others. null: it depends on every node before it. */
  readonly needs: readonly string[] | null;
  /** Skipped unless this holds when the node is reached. */
  readonly when: Expression | null;
  /** Decisions only. */
  readonly gate: Gate | null;
  /** People only: an escalation, and where each answer leads. */
  readonly onAnswer: Readonly<Partial<Record<'continue' | 'skip' | 'abort', Route>>> | null;
  readonly team: Team | null;
  /** Applies to the cards by which it asks people. Missing: anyone allowed may answer, and there are no reminders. */
  readonly approvals?: Approvals;
  readonly maxRestarts: number;
  /** Loops only: the chain that each item walks. */
  readonly body: readonly NodeDef[];
  /** Loops only: how many rejections an item may cost. */
  readonly maxRejections: number;
  /** Loops only: the source of the items. */
  readonly over: 'items' | 'phases';
  /** Loops only: how many items run at once; more than one needs worktrees. */
  readonly parallel: number;
  readonly isolate: 'shared' | 'worktree';
  /** Loops only: further steps that an edit or Bosun may add to an item's chain. */
  readonly stepTypes: readonly NodeDef[];
  /** Loops in worktrees only: how an item's branch is merged into the base. */
  readonly onItemDone: OnItemDone | null;
}

export interface Approvals {
  /** How many different people must approve. A single rejection suffices. */
  readonly quorum: number;
  /** The person who requested the run may not approve it. */
  readonly notRequester: boolean;
  /** null: no reminders. */
  readonly remindAfterMs: number | null;
  /** Delay before the people of `escalateTo` are told too. */
  readonly escalateAfterMs: number | null;
  readonly escalateTo: readonly string[];
}

/** The end of an exhausted budget: a question, a failed item or run, or a failed node and a run that waits. */
export type Ending = 'ask' | 'fail' | 'pause';
export type Exhausted = Ending | Insert;

export interface OnItemDone {
  /** Message (a template) of the single commit on the base. */
  readonly squash: string;
  /** On a conflict: the step to insert, and before which step. */
  readonly conflict: { readonly insert: string; readonly before: string } | null;
}

/** A node that judges files, and adds work when they report a failure. */
export interface Gate {
  readonly evidence: readonly Evidence[];
  readonly failWhen: Expression;
  /** How often it may add work before it escalates; null: unlimited and uncounted. */
  readonly maxRetries: number | null;
  readonly onFail: Insert;
  readonly onEscalate: Insert | null;
  /** Told when the gate lets the work pass. */
  readonly say: string | null;
}

/** `file` is relative to the work's folder, or `survey` for a fresh survey of where the project stands. */
export interface Evidence {
  readonly file: string;
  /** Its name in expressions; empty: its fields are top-level names. */
  readonly as: string;
  readonly isOptional: boolean;
}

export interface Fragment {
  readonly id: string;
  readonly params: readonly string[];
  readonly nodes: readonly FragmentNode[];
  /** Nodes defined by this fragment; `nodes` may also repeat nodes of the chain. */
  readonly defs: readonly NodeDef[];
}

export interface FragmentNode {
  /** A node's id, or `$name` of a parameter. */
  readonly template: string;
  readonly args: string | null;
  /** Whether a gate restarts its retry count, or continues that of the gate which inserted it. */
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

/** Where a project stands, by its own files: the first position that holds names the node to begin with. */
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
  /** An agent's guide (AGENTS.md, SOUL.md, IDENTITY.md), put before the prompt of each of its steps. */
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
  /** `required`: exit 0 without a report is a crash. null: required of coding agents only. */
  readonly report: 'required' | 'optional' | null;
  readonly afterStory: 'propose' | 'start' | null;
  readonly pollMs: number;
  /** Whether a person sees a gate's verdict before it takes effect. */
  readonly stopAtDecisions: 'before' | 'never';
  /** A pass after its timeout counts if nothing was tried since. */
  readonly adoptLate: boolean;
  /** The run starts without asking for permission. */
  readonly autoMode: boolean;
  /** Whether a step that writes files outside its `writes` fails, or only causes a warning. */
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

/** Files of other designs that are kept up to date during a run. */
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
  /** The folder that tells where the project stands; null: every run begins at the first node. */
  readonly survey: string | null;
  readonly positions: readonly Position[];
  readonly exports: readonly ExportName[];
}

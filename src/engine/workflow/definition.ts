// What a workflow file means once it is loaded: every default filled in, every name resolved, nothing left to look up.

import type { Expression } from './expressions/expression.js';

export type NodeKind = 'task' | 'check' | 'human' | 'decision' | 'loop';

/** Where an outcome leads. `next` and `finish` go on, the others hold the node back. */
export type Route =
  | { readonly type: 'next' }
  /** Tries of a node are bounded by its attempts, or by what its item may be rejected. */
  | { readonly type: 'retry'; readonly budget: 'attempts' | 'rejections' }
  | {
      readonly type: 'goto';
      readonly target: string;
      /** Which budget a backward step costs: its own edge, or the item's rejections. */
      readonly budget: 'loops' | 'rejections';
      /** Context key to fill from an output key of this report: `{verify_feedback: ISSUES}`. */
      readonly carry: Readonly<Record<string, string>>;
      /** Context keys to forget on the way. */
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
  /** Values of the fragment's parameters, in their order: ids of nodes. */
  readonly args: readonly string[];
  /** Context key to fill from an output key of the report, or from a path of a gate's evidence. */
  readonly carry: Readonly<Record<string, string>>;
  /** What the thread is told; may name {{retry}} and {{max}}. */
  readonly say: string | null;
}

export interface Expects {
  /** Canonical words that the report must carry one of; null when any will do. */
  readonly status: readonly string[] | null;
  readonly keys: readonly string[];
  readonly items: 'required' | 'none' | 'any';
  /** The tests must fail: a skeleton that is written before its code. */
  readonly red: boolean;
  /** A coding agent has to change a file, or to report `nothing_to_do`. */
  readonly changes?: true;
}

export interface TestCommand {
  readonly run: string;
  readonly format: TestFormat;
  /** It is green where no test ran at all. */
  readonly allowNone?: true;
}

export type TestFormat = 'auto' | 'vitest' | 'jest' | 'tap' | 'node' | 'go' | 'junit' | 'pytest' | 'exit';

export interface NodeDef {
  readonly id: string;
  readonly kind: NodeKind;
  readonly title: string;
  readonly role: string | null;
  /** The prompt's own text (a template), null for the built-in one of the role or step. */
  readonly prompt: string | null;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly expects: Expects;
  /** Output keys that may enter the context; null lets every key in but the reserved ones. */
  readonly outputs: readonly string[] | null;
  /** It may name the next story although it declares no outputs: workflow files of earlier versions rely on it. */
  readonly mayNameStory?: true;
  /** A shell line (template) that must exit 0; null for none. */
  readonly check: string | null;
  /** `project`: run the project's own tests; null: run none. */
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
  /** What a time limit that passed does: try again within abandons, or one of the ways an exhausted budget ends. */
  readonly onTimeout: 'abandon' | 'cancel_item' | Ending;
  /** How other tools call this step: `maestro-plan`. null: by its id. */
  readonly call: string | null;
  /** What it is called with (a template), for prompts as {{args}} and for exports. */
  readonly args: string | null;
  /** Whether each attempt begins without the memory of an earlier session. */
  readonly freshSession: boolean;
  /** Whether its executor may propose edits of the rest of the chain. */
  readonly editable: boolean;
  /** Whether an edit may add more of it, or only Bosun itself. */
  readonly insertBy: 'anyone' | 'system';
  /** Nothing may come after it. */
  readonly pinLast: boolean;
  /** Steps after the last of which it belongs: lint after coding. */
  readonly afterAny: readonly string[];
  /** Never beside another node. */
  readonly barrier: boolean;
  /** Earlier nodes that it rests on, and so may run beside all others; null: it rests on everything before it. */
  readonly needs: readonly string[] | null;
  /** Skipped where this does not hold when it is reached. */
  readonly when: Expression | null;
  /** Decisions only. */
  readonly gate: Gate | null;
  /** People only: an escalation, and where each of its answers leads. */
  readonly onAnswer: Readonly<Partial<Record<'continue' | 'skip' | 'abort', Route>>> | null;
  readonly team: Team | null;
  /** Of the cards that it asks people with; left out: whoever may answers, and nobody is reminded. */
  readonly approvals?: Approvals;
  readonly maxRestarts: number;
  /** Loops only: the chain that each item walks. */
  readonly body: readonly NodeDef[];
  /** Loops only: the pair of retries that a verifier may cost an item. */
  readonly maxRejections: number;
  /** Loops only: where its items come from. */
  readonly over: 'items' | 'phases';
  /** Loops only: how many items may be under way at once; more than one only in worktrees. */
  readonly parallel: number;
  readonly isolate: 'shared' | 'worktree';
  /** Loops only: further steps that an edit or Bosun itself may add to an item's chain. */
  readonly stepTypes: readonly NodeDef[];
  /** Loops only, in worktrees: how an item's branch comes back to the base. */
  readonly onItemDone: OnItemDone | null;
}

export interface Approvals {
  /** So many different people must approve; one alone rejects. */
  readonly quorum: number;
  /** Whoever asked for the run does not approve it. */
  readonly notRequester: boolean;
  /** Until people are told again; null: they are not. */
  readonly remindAfterMs: number | null;
  /** Until others are told too. */
  readonly escalateAfterMs: number | null;
  readonly escalateTo: readonly string[];
}

/** How a budget that is spent ends: with a question, a failed item or run, or a failed node and a run that waits. */
export type Ending = 'ask' | 'fail' | 'pause';
export type Exhausted = Ending | Insert;

export interface OnItemDone {
  /** The message (a template) of the one commit that the base gets. */
  readonly squash: string;
  /** What is put into the chain, and before which step, when the branch does not apply. */
  readonly conflict: { readonly insert: string; readonly before: string } | null;
}

/** A node that judges files, and adds work where they tell of a failure. */
export interface Gate {
  readonly evidence: readonly Evidence[];
  readonly failWhen: Expression;
  /** How often it may add work before it escalates; null: it only chooses, and counts nothing. */
  readonly maxRetries: number | null;
  readonly onFail: Insert;
  readonly onEscalate: Insert | null;
  /** What is told when it lets the work pass. */
  readonly say: string | null;
}

/** `survey`: where the project stands, read anew. A file is looked for in the folder of the work at hand. */
export interface Evidence {
  readonly file: string;
  /** Its name in expressions; empty: its fields are named directly. */
  readonly as: string;
  readonly isOptional: boolean;
}

export interface Fragment {
  readonly id: string;
  readonly params: readonly string[];
  readonly nodes: readonly FragmentNode[];
  /** Nodes that only fragments use, beside those of the chain that they name again. */
  readonly defs: readonly NodeDef[];
}

export interface FragmentNode {
  /** A node's id, or `$name` of a parameter. */
  readonly template: string;
  readonly args: string | null;
  /** A gate begins to count anew, or counts on from the one that inserted it. */
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

/** Where a project stands, told from files of its own: the first rule that holds names the node to begin with. */
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
  /** null: the project's level holds. */
  readonly level: Level | null;
  readonly onItemFailed: 'fail_run' | 'continue';
  /** Whether silence on exit 0 is a crash; null: only a coding agent's is. */
  readonly report: 'required' | 'optional' | null;
  readonly afterStory: 'propose' | 'start' | null;
  readonly pollMs: number;
  /** Whether a person sees a gate's verdict before it is acted on. */
  readonly stopAtDecisions: 'before' | 'never';
  /** A pass that comes after its time limit counts, where nothing was tried since. */
  readonly adoptLate: boolean;
  /** Whether a run starts without asking whether it may. */
  readonly autoMode: boolean;
  /** What a file outside of what a step is meant to write does: the step fails, or it is only told. */
  readonly writes: 'check' | 'warn';
}

export type Level = 'manual' | 'semi' | 'auto';

export interface Limits {
  readonly items: number;
  readonly nodesPerItem: number;
  readonly dispatches: number;
  /** Dispatches, and insertions, that each item adds to what a run may have. */
  readonly perItem: number;
  readonly insertions: number;
  readonly costUsd: number | null;
}

/** The files of other designs that are kept up to date while a run goes on. */
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
  /** The folder whose files tell where the project stands; null: it always begins at the beginning. */
  readonly survey: string | null;
  readonly positions: readonly Position[];
  readonly exports: readonly ExportName[];
}

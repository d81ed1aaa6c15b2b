// What a workflow file means once it is loaded: every default filled in, every name resolved, nothing left to look up.

export type NodeKind = 'task' | 'check' | 'human' | 'loop';

/** Where an outcome leads. `next` and `finish` go on, the others hold the node back. */
export type Route =
  | { readonly type: 'next' }
  | { readonly type: 'retry' }
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
  | { readonly type: 'ask' }
  | { readonly type: 'fail' }
  | { readonly type: 'finish' };

export interface Expects {
  /** Canonical words that the report must carry one of; null when any will do. */
  readonly status: readonly string[] | null;
  readonly keys: readonly string[];
  readonly items: 'required' | 'none' | 'any';
  /** The tests must fail: a skeleton that is written before its code. */
  readonly red: boolean;
}

export interface TestCommand {
  readonly run: string;
  readonly format: TestFormat;
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
  readonly onExhausted: 'ask' | 'fail';
  /** What a time limit that passed does: try again within abandons, ask, or cancel. */
  readonly onTimeout: 'abandon' | 'ask' | 'fail';
  /** Loops only: the chain that each item walks. */
  readonly body: readonly NodeDef[];
  /** Loops only: the pair of retries that a verifier may cost an item. */
  readonly maxRejections: number;
}

export interface RoleDef {
  readonly id: string;
  readonly prompt: string | null;
  readonly executor: string | null;
}

export interface InputDef {
  readonly required: boolean;
  readonly default: string | null;
}

export interface Policy {
  /** null: the project's level holds. */
  readonly level: Level | null;
  readonly onItemFailed: 'fail_run' | 'continue';
  /** Whether silence on exit 0 is a crash. */
  readonly report: 'required' | 'optional';
  readonly afterStory: 'propose' | 'start' | null;
  readonly pollMs: number;
}

export type Level = 'manual' | 'semi' | 'auto';

export interface Limits {
  readonly items: number;
  readonly nodesPerItem: number;
  readonly dispatches: number;
}

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
}

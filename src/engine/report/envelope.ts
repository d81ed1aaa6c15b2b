// The parsed result of an attempt: facts and claims. Only the engine judges them.

/** Counts tests, never files or packages. */
export interface TestCounts {
  readonly pass: number;
  readonly fail: number;
  readonly skip: number;
  readonly failing: readonly string[];
}

export interface CheckResult {
  readonly name: 'tests' | 'check';
  readonly command: string;
  readonly ok: boolean;
  readonly exit: number | null;
  readonly timedOut: boolean;
  readonly tests: TestCounts | null;
  readonly tail: string;
}

/** One report of an executor, with its words not yet normalised. */
export interface Report {
  readonly status: string | null;
  readonly reason: string | null;
  readonly summary: string | null;
}

export interface Handoff {
  /** null: no front matter, only a body. */
  readonly front:
    | (Report & {
        readonly filesChanged: readonly string[];
        readonly tests: Omit<TestCounts, 'failing'> | null;
        /** What the next reviewer should look at. */
        readonly reviewDigest: string | null;
        readonly questions: readonly string[];
      })
    | null;
  readonly body: string;
}

export interface Output {
  readonly isEmpty: boolean;
  /** `KEY: value` blocks; keys keep their upper case. */
  readonly keys: Readonly<Record<string, string>>;
  /** Contradicting STATUS words, in order; absent if they agree. */
  readonly statuses?: readonly string[];
  /** The unparsed text after `STORIES_JSON:`. */
  readonly stories: string | null;
  readonly summary: string | null;
  readonly tail: string;
}

export interface DiffStat {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  /** The total size of changed files too large for line counts. */
  readonly largeBytes?: number;
}

/** One changed file. A binary file has no line counts. */
export interface FileChange {
  readonly path: string;
  readonly insertions: number;
  readonly deletions: number;
}

/** What differs between two trees of the project. */
export interface Change {
  readonly from: string;
  readonly to: string;
  readonly stat: DiffStat;
  /** Only the first ones. */
  readonly files: readonly FileChange[];
}

/** One edit of the rest of the chain, proposed by an executor or a person. Targets are labels. */
export type EditOp =
  | {
      readonly operation: 'add_after' | 'split';
      readonly target: string;
      readonly reason: string;
      readonly steps: readonly NewStep[];
    }
  | { readonly operation: 'skip'; readonly target: string; readonly reason: string }
  | { readonly operation: 'reorder'; readonly order: readonly string[]; readonly reason: string }
  | {
      readonly operation: 'edit_description' | 'restart';
      readonly target: string;
      readonly reason: string;
      readonly description: string;
    };

export interface NewStep {
  readonly type: string;
  readonly description: string;
}

/** All operations of an edits file, or none and the problem. */
export type Edits =
  | { readonly ok: true; readonly ops: readonly EditOp[] }
  | { readonly ok: false; readonly error: string };

export interface TeamReport extends Report {
  readonly role: string;
  readonly exit: number | null;
  readonly filesChanged: readonly string[];
  /** Files it claims that belong to another role, or that another role changed too. */
  readonly conflicts: readonly string[];
}

/** A question that an agent left open, or a permission that it lacked. */
export interface Ask {
  readonly kind: 'question' | 'permission';
  readonly text: string;
  /** Answers that the agent offers. */
  readonly options: readonly string[];
  /** Permissions only. */
  readonly permission: Permission | null;
}

/** The exact action an agent wants to take; grants are matched by `mark`. */
export interface Permission {
  readonly tool: string;
  readonly what: string;
  readonly mark: string;
}

/**
 * A failure that voids every claim of the executor. `wait`: a retry may succeed later, after `waitMs` if known. `ask`:
 * only a person can fix it, so nothing is retried.
 */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly remedy?: 'wait' | 'ask';
  readonly waitMs?: number;
}

/** A picture as it was when the attempt ended, copied to Bosun's home. */
export interface Picture {
  /** In the checkout. */
  readonly path: string;
  /** Below the home's folder of pictures: `r12/<sha256>.png`. */
  readonly file: string;
}

export interface Envelope {
  readonly exit: number | null;
  /** `interrupted`: Bosun, the worker or the queue died meanwhile; `budget`: it overspent. */
  readonly killed: 'timeout' | 'cancel' | 'interrupted' | 'budget' | null;
  /** The executor could not be started or controlled, so its claims do not count. */
  readonly fault: Fault | null;
  readonly output: Output;
  readonly result: Report | null;
  readonly handoff: Handoff | null;
  readonly checks: readonly CheckResult[];
  readonly warnings: readonly string[];
  readonly filesChanged: readonly string[];
  readonly diffStat: DiffStat | null;
  readonly costUsd: number | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  /** An agent ran and its cost is unknown. */
  readonly isUnpriced?: boolean;
  readonly durationMs: number;
  readonly logPath: string | null;
  /** null: the executor proposed no edits. */
  readonly edits: Edits | null;
  /** Notes for the whole run and for this item. */
  readonly scratch: { readonly run: string; readonly item: string };
  /** The run's progress log now; null if there is none. */
  readonly progress: string | null;
  readonly team: readonly TeamReport[];
  /** Agents only: the session that can be resumed, and what was left open. */
  readonly session?: string | null;
  readonly asks?: readonly Ask[];
  readonly program?: string | null;
  /**
   * Files that differ from before this generation's first attempt. Absent for that attempt, unless it changed more
   * files than are recorded.
   */
  readonly filesKept?: readonly string[];
  /** The executor is a coding agent, which must report unless its workflow says otherwise. */
  readonly reports?: true;
  /** Changed paths that are symlinks out of the checkout. */
  readonly strays?: readonly string[];
  /** Files with the rules for judging work that changed during the attempt. */
  readonly touchedRules?: readonly string[];
  /** Files judged by gates that were written during the attempt; absent if unmeasured. */
  readonly wrote?: readonly string[];
  /** Changes since the chain began and since a person last asked for changes; absent if unmeasured. */
  readonly work?: { readonly whole: Change; readonly since?: Change };
  /** What the node's `shows` matched; only an attempt on Bosun's own machine has any. */
  readonly pictures?: readonly Picture[];
  /** The ref with work done in another checkout, on its way to this one. */
  readonly pushed?: { readonly ref: string; readonly commit: string };
}

export const emptyOutput: Output = { isEmpty: true, keys: {}, stories: null, summary: null, tail: '' };

export const emptyEnvelope: Envelope = {
  exit: null,
  killed: null,
  fault: null,
  output: emptyOutput,
  result: null,
  handoff: null,
  checks: [],
  warnings: [],
  filesChanged: [],
  diffStat: null,
  costUsd: null,
  tokensIn: null,
  tokensOut: null,
  durationMs: 0,
  logPath: null,
  edits: null,
  scratch: { run: '', item: '' },
  progress: null,
  team: [],
};

// What comes back from an attempt: facts and claims, read and parsed where they came in, judged only here in the engine.

/** Counts of tests, never of files or packages. */
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
  /** The end of what it printed. */
  readonly tail: string;
}

/** One report that an executor wrote: the words are as written, not yet normalised. */
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
        /** What the next reviewer should look at, and what is still open. */
        readonly reviewDigest: string | null;
        readonly questions: readonly string[];
      })
    | null;
  readonly body: string;
}

/** What standard output held, cut into its parts. */
export interface Output {
  readonly isEmpty: boolean;
  /** `KEY: value` blocks, keys in upper case as written. */
  readonly keys: Readonly<Record<string, string>>;
  /** The words of STATUS lines that contradict each other, in their order; left out where they agree. */
  readonly statuses?: readonly string[];
  /** The text after `STORIES_JSON:`, unparsed. */
  readonly stories: string | null;
  readonly summary: string | null;
  readonly tail: string;
}

export interface DiffStat {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  /** Of changed files that are too large for their lines to be counted, together. */
  readonly largeBytes?: number;
}

/** A change of the rest of the chain, as an executor or a person asks for it. Targets are labels. */
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

/** A file of edits: all of it was understood, or none. */
export type Edits =
  | { readonly ok: true; readonly ops: readonly EditOp[] }
  | { readonly ok: false; readonly error: string };

/** What one member of a team came to. */
export interface TeamReport extends Report {
  readonly role: string;
  readonly exit: number | null;
  readonly filesChanged: readonly string[];
  /** Files that it says it changed and that belong to another role, or that another one changed as well. */
  readonly conflicts: readonly string[];
}

/** Something that an agent left open: a question of its own, or what it was not allowed to do. */
export interface Ask {
  readonly kind: 'question' | 'permission';
  readonly text: string;
  /** Answers that it offers. */
  readonly options: readonly string[];
  /** Permissions only. */
  readonly permission: Permission | null;
}

/** What an agent wants to do, exactly; a grant is found again by its mark. */
export interface Permission {
  readonly tool: string;
  readonly what: string;
  readonly mark: string;
}

/**
 * Why nothing that an executor claims counts. With `wait` the same may go well later, not before `waitMs` where that is
 * known; with `ask` only a person can mend it, so that no further try is made.
 */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly remedy?: 'wait' | 'ask';
  readonly waitMs?: number;
}

export interface Envelope {
  readonly exit: number | null;
  /** `interrupted`: Bosun, the worker or the queue died under it; `budget`: it spent more than it might. */
  readonly killed: 'timeout' | 'cancel' | 'interrupted' | 'budget' | null;
  /** The executor could not be started or obeyed; nothing that it claims counts. */
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
  /** An agent was at work, and nobody knows what it cost. */
  readonly isUnpriced?: boolean;
  readonly durationMs: number;
  readonly logPath: string | null;
  /** null: the executor asked for no change. */
  readonly edits: Edits | null;
  /** What was written for others to know: of this run, and of this item. */
  readonly scratch: { readonly run: string; readonly item: string };
  /** The run's progress log as it is now; null where there is none. */
  readonly progress: string | null;
  readonly team: readonly TeamReport[];
  /** Of an agent: the session that can be gone on with, and what it left open. */
  readonly session?: string | null;
  readonly asks?: readonly Ask[];
  /** Which program and model did it. */
  readonly program?: string | null;
  /** Of what the tries of this generation changed, what is not as it was before the first. Left out for the first, unless it changed more than is noted. */
  readonly filesKept?: readonly string[];
  /** Its executor is a coding agent, which always reports how it went unless its workflow says otherwise. */
  readonly reports?: true;
  /** Changed paths that are links out of the checkout. */
  readonly strays?: readonly string[];
  /** Of the files that say how work is judged, those that changed meanwhile. */
  readonly touchedRules?: readonly string[];
  /** Of the files that gates judge, those that were written while it ran; left out where nobody looked. */
  readonly wrote?: readonly string[];
  /** Where the work lies that was done in another checkout, on its way to this one. */
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

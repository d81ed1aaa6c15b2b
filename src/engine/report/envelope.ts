// Facts and claims; only the engine judges them.

/** Counts tests, not files or packages. */
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

export interface Report {
  readonly status: string | null;
  readonly reason: string | null;
  readonly summary: string | null;
}

export interface Handoff {
  /** Null: only a body. */
  readonly front:
    | (Report & {
        readonly filesChanged: readonly string[];
        readonly tests: Omit<TestCounts, 'failing'> | null;
        readonly reviewDigest: string | null;
        readonly questions: readonly string[];
      })
    | null;
  readonly body: string;
}

export interface Output {
  readonly isEmpty: boolean;
  readonly keys: Readonly<Record<string, string>>;
  /** In order; absent: they agree. */
  readonly statuses?: readonly string[];
  /** After `STORIES_JSON:`, unparsed. */
  readonly stories: string | null;
  readonly summary: string | null;
  readonly tail: string;
}

export interface DiffStat {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  readonly largeBytes?: number;
}

/** Binary: no line counts. */
export interface FileChange {
  readonly path: string;
  readonly insertions: number;
  readonly deletions: number;
}

export interface Change {
  readonly from: string;
  readonly to: string;
  readonly stat: DiffStat;
  readonly files: readonly FileChange[];
}

/** Targets are labels. */
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

export type Edits =
  | { readonly ok: true; readonly ops: readonly EditOp[] }
  | { readonly ok: false; readonly error: string };

export interface TeamReport extends Report {
  readonly role: string;
  readonly exit: number | null;
  readonly filesChanged: readonly string[];
  /** Files that belong to another role or that it changed too. */
  readonly conflicts: readonly string[];
}

export interface Ask {
  readonly kind: 'question' | 'permission';
  readonly text: string;
  readonly options: readonly string[];
  /** Null for a question. */
  readonly permission: Permission | null;
}

/** Grants match the exact action by `mark`. */
export interface Permission {
  readonly tool: string;
  readonly what: string;
  readonly mark: string;
}

/** Voids every claim. `wait`: a retry may succeed, after `waitMs` if known. `ask`: only a person can fix it. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly remedy?: 'wait' | 'ask';
  readonly waitMs?: number;
}

/** In the home, as of the attempt's end. */
export interface Picture {
  readonly path: string;
  /** Below the pictures' folder: `r12/<sha256>.png`. */
  readonly file: string;
}

export interface Envelope {
  readonly exit: number | null;
  /** `interrupted`: Bosun, worker or queue died; `budget`: overspent. */
  readonly killed: 'timeout' | 'cancel' | 'interrupted' | 'budget' | null;
  /** The agent did not start or got out of control, so claims do not count. */
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
  readonly isUnpriced?: boolean;
  readonly durationMs: number;
  readonly logPath: string | null;
  readonly edits: Edits | null;
  readonly scratch: { readonly run: string; readonly item: string };
  readonly progress: string | null;
  readonly team: readonly TeamReport[];
  /** Only agents have a session and asks. */
  readonly session?: string | null;
  readonly asks?: readonly Ask[];
  readonly program?: string | null;
  /** Since this generation's first attempt. Absent for that one, unless it changed more than recorded. */
  readonly filesKept?: readonly string[];
  /** A coding agent must report, unless the workflow says otherwise. */
  readonly reports?: true;
  readonly strays?: readonly string[];
  /** Changed rule files by which work is judged. */
  readonly touchedRules?: readonly string[];
  /** Files judged by gates and written during the attempt; absent: unmeasured. */
  readonly wrote?: readonly string[];
  /** Since the chain began, and since the last request; absent: unmeasured. */
  readonly work?: { readonly whole: Change; readonly since?: Change };
  /** Matches of `shows`; only from Bosun's machine. */
  readonly pictures?: readonly Picture[];
  /** Lies at a remote, on its way from another checkout. */
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

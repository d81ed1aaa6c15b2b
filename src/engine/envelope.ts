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
  /** The text after `STORIES_JSON:`, unparsed. */
  readonly stories: string | null;
  readonly summary: string | null;
  readonly tail: string;
}

export interface DiffStat {
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
}

export interface Envelope {
  readonly exit: number | null;
  /** `interrupted`: Bosun, the worker or the queue died under it. */
  readonly killed: 'timeout' | 'cancel' | 'interrupted' | null;
  /** The executor could not be started or obeyed; nothing that it claims counts. */
  readonly fault: { readonly code: string; readonly message: string } | null;
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
  readonly durationMs: number;
  readonly logPath: string | null;
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
};

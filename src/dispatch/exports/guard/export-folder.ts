// One run's export files, written atomically and in order.
import { join } from 'node:path';
import type { Run } from '../../../engine/index.js';
import { writeText } from '../write-whole.js';
import type { ExportGuard, NewFile } from './export-guard.js';

export class ExportFolder {
  readonly root: string;
  readonly #run: Run;
  readonly #guard: ExportGuard | null;
  readonly #files: NewFile[] = [];
  /** No other program writes files named by run. */
  readonly #ofRun = new Set<NewFile>();

  /** Without a guard all files are Bosun's, as in its own checkout. */
  constructor(root: string, run: Run, guard: ExportGuard | null) {
    this.root = root;
    this.#run = run;
    this.#guard = guard;
  }

  put(path: string, value: unknown): void {
    this.#files.push({ path, text: `${JSON.stringify(value, null, 2)}\n` });
  }

  putOfRun(path: string, text: string): void {
    const file = { path, text };
    this.#files.push(file);
    this.#ofRun.add(file);
  }

  async write(): Promise<void> {
    this.#guard?.settle(this.#run.settled ?? []);
    const shared = this.#files.filter((file) => !this.#ofRun.has(file));
    const admitted = new Set(this.#guard ? this.#guard.admit(this.#run, shared) : shared);
    const files = this.#files.filter((file) => this.#ofRun.has(file) || admitted.has(file));
    await doAll(
      files.map(
        ({ path, text }) =>
          () =>
            writeText(this.root, join(this.root, path), text),
      ),
    );
  }
}

/** Throws all errors at the end. */
export async function doAll(works: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const work of works) await work().catch((error: unknown) => errors.push(error));
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('; '));
  if (errors.length === 1) throw errors[0];
}

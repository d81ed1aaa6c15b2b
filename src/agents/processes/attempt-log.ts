// JSON lines up to a size limit. A failed write never stops the attempt.
import { closeSync, writeSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type LineRedactor, lineRedactor, openToAppend, plain, type Redact } from '../../base/index.js';
import type { AttemptSpec } from '../../jobs/index.js';
import { baseOf } from './environment.js';

/** `tool`: an agent's command printed it. */
export type LogSource = 'out' | 'err' | 'sys' | 'tool';

export interface TeamRecord {
  readonly event: 'task_assigned' | 'task_done' | 'blocker' | 'conflict';
  readonly task_id: string;
  readonly role: string;
  readonly [field: string]: unknown;
}

export interface AttemptLogOptions {
  /** No agent creates this parent; links below it are rejected. */
  readonly base: string;
  readonly limitBytes: number;
  readonly clock: () => number;
  readonly redact?: Redact;
}

export interface LogSettings {
  readonly logLimitBytes: number;
  readonly clock: () => number;
  readonly redactOf: (spec: AttemptSpec) => Redact;
  readonly logFolderOf: (spec: AttemptSpec) => string | null;
}

export function openLog(spec: AttemptSpec, settings: LogSettings): AttemptLog {
  const { logLimitBytes: limitBytes, clock, redactOf, logFolderOf } = settings;
  const folder = logFolderOf(spec);
  const path = folder === null ? spec.logPath : join(folder, relative(spec.sharedDir, spec.logPath));
  const base = folder === null ? baseOf(spec, path) : dirname(folder);
  return new AttemptLog(path, { base, limitBytes, clock, redact: redactOf(spec) });
}

export class AttemptLog {
  readonly #path: string;
  readonly #options: AttemptLogOptions;
  readonly #redact: Redact;
  readonly #lines: Readonly<Record<LogSource, LineRedactor>>;
  #file: number | null = null;
  #writtenBytes = 0;
  #isCut = false;
  #problem: string | null = null;

  constructor(path: string, options: AttemptLogOptions) {
    this.#path = path;
    this.#options = options;
    const redact = options.redact ?? plain;
    this.#redact = redact;
    const lines = () => lineRedactor(redact);
    this.#lines = { out: lines(), err: lines(), sys: lines(), tool: lines() };
    this.#attempt(() => {
      this.#file = openToAppend(options.base, path, 0o600);
    });
  }

  get problem(): string | null {
    return this.#problem;
  }

  write(source: LogSource, lines: readonly string[]): void {
    this.#put(lines.map((line) => ({ s: source, line: this.#lines[source].take(line) })));
  }

  record(what: TeamRecord): void {
    const bare = Object.entries(what).map(([name, said]) => [
      name,
      typeof said === 'string' ? this.#redact(said) : said,
    ]);
    this.#put([{ s: 'team', line: `${what.role}: ${what.event}`, ...Object.fromEntries(bare) }]);
  }

  #put(entries: readonly object[]): void {
    if (this.#file === null || this.#isCut || entries.length === 0) return;
    const t = this.#options.clock();
    const text = entries.map((entry) => `${JSON.stringify({ t, ...entry })}\n`).join('');
    this.#writtenBytes += Buffer.byteLength(text);
    this.#isCut = this.#writtenBytes > this.#options.limitBytes;
    this.#append(this.#isCut ? `${JSON.stringify({ t, s: 'sys', line: this.#cutNotice() })}\n` : text);
  }

  close(): void {
    const file = this.#file;
    this.#file = null;
    if (file !== null) this.#attempt(() => closeSync(file));
  }

  #cutNotice(): string {
    return `the log is cut here: it reached its limit of ${this.#options.limitBytes} bytes`;
  }

  #append(text: string): void {
    const file = this.#file;
    if (file !== null) this.#attempt(() => writeSync(file, text));
  }

  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#problem ??= `cannot write the log ${this.#path}: ${error instanceof Error ? error.message : String(error)}`;
      this.#isCut = true;
    }
  }
}

// Starts git from a small process: fork copies the caller's page tables and blocks it, 5 ms at 150 MB against 1 ms at
// 45 MB.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ProcessEnd, type ProcessWanted, runGit as runHere } from './git-process.js';
import type { StarterOrder, StarterReport } from './starter-messages.js';

interface Pending {
  readonly isStuck: ProcessWanted['isStuck'] | undefined;
  readonly settle: (end: ProcessEnd) => void;
}

/** Frees its memory. */
const idleMs = 30_000;
/** The starter enforces time limits; Bosun kills a silent one. */
const answerGraceMs = 15_000;
const maxFailedStarts = 3;

export class GitStarter {
  readonly #script: string;
  readonly #idleMs: number;
  readonly #pending = new Map<number, Pending>();
  #child: ChildProcess | null = null;
  #isReady = false;
  #failedStarts = 0;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(script: string, idle = idleMs) {
    this.#script = script;
    this.#idleMs = idle;
  }

  /** In this process while no starter is ready. */
  run(wanted: ProcessWanted): Promise<ProcessEnd> {
    this.#start();
    const child = this.#child;
    return this.#isReady && child !== null ? this.#hand(child, wanted) : runHere(wanted);
  }

  close(): void {
    clearTimeout(this.#idle);
    if (this.#child?.connected) this.#child.disconnect();
    this.#forget('closed');
  }

  #start(): void {
    if (this.#child !== null || this.#failedStarts >= maxFailedStarts) return;
    // Ctrl-C must not end a git that Bosun still has to end in order.
    const child = fork(this.#script, [], {
      ...{ detached: true, env: {}, execArgv: [], serialization: 'advanced', stdio: 'ignore' },
    });
    this.#child = child;
    child.on('message', (report: StarterReport) => this.#hear(child, report));
    child.on('error', () => this.#lost(child, 'not started'));
    child.on('exit', (code, signal) => this.#lost(child, signal ?? `exit ${code}`));
    child.unref();
    child.channel?.unref();
  }

  #hear(child: ChildProcess, report: StarterReport): void {
    if (child !== this.#child) return;
    if ('ready' in report) {
      this.#isReady = true;
      this.#failedStarts = 0;
      this.#rest();
      return;
    }
    const pending = this.#pending.get(report.id);
    if (pending === undefined) return;
    if ('end' in report) pending.settle(report.end);
    else void this.#answerIfStuck(child, report.id, pending);
  }

  async #answerIfStuck(child: ChildProcess, id: number, { isStuck }: Pending): Promise<void> {
    send(child, { id, isStuck: (await isStuck?.()) === true });
  }

  #hand(child: ChildProcess, { isStuck, signal, ...run }: ProcessWanted): Promise<ProcessEnd> {
    this.#lastId += 1;
    const id = this.#lastId;
    clearTimeout(this.#idle);
    child.channel?.ref();
    return new Promise((resolve) => {
      const onAbort = () => send(child, { id, abort: true });
      const overdue = setTimeout(() => child.kill('SIGKILL'), run.timeoutMs + answerGraceMs);
      const settle = (end: ProcessEnd) => {
        clearTimeout(overdue);
        signal?.removeEventListener('abort', onAbort);
        this.#pending.delete(id);
        this.#rest();
        resolve(end);
      };
      this.#pending.set(id, { isStuck, settle });
      signal?.addEventListener('abort', onAbort, { once: true });
      send(child, { id, run, asksIfStuck: isStuck !== undefined, mayAbort: signal !== undefined });
    });
  }

  #rest(): void {
    if (this.#child === null || this.#pending.size > 0) return;
    this.#child.channel?.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(), this.#idleMs);
    this.#idle.unref();
  }

  #lost(child: ChildProcess, why: string): void {
    if (child !== this.#child) return;
    if (!this.#isReady) this.#failedStarts += 1;
    this.#forget(why);
  }

  #forget(why: string): void {
    this.#child = null;
    this.#isReady = false;
    const lost = new Error(`the process that starts git has ended (${why})`);
    for (const { settle } of this.#pending.values()) settle({ by: 'world', why, cause: lost, out: '', err: '' });
  }
}

function send(child: ChildProcess, order: StarterOrder): void {
  if (child.connected) child.send(order, () => undefined);
}

let starter: GitStarter | null = null;

/** Worth it for the service, with hundreds of starts an hour. */
export function useGitStarter(script = besideThis()): void {
  starter ??= new GitStarter(script);
}

export function runGit(wanted: ProcessWanted): Promise<ProcessEnd> {
  return starter === null ? runHere(wanted) : starter.run(wanted);
}

function besideThis(): string {
  return fileURLToPath(new URL('./starter-process.js', import.meta.url));
}

// Ends agents and checks when this process dies without a chance to do it (kill -9, out of memory): a small `sh` waits
// at a pipe from this process, knows the process groups that are at work, and ends them when the pipe closes.
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

const scriptPath = fileURLToPath(new URL('./orphan-guard.sh', import.meta.url));
const restartPauseMs = 1000;

class OrphanGuard {
  /** With the mark in their environment. */
  readonly #groups = new Map<number, string>();
  #child: ChildProcess | null = null;
  #startedAt = -restartPauseMs;

  /** Starts the guard, so that there is one before what it guards. Where it cannot be started, attempts run without. */
  begin(): void {
    if (this.#child !== null) return;
    this.#startedAt = performance.now();
    try {
      this.#start();
    } catch {
      // Out of memory, say: nothing was started, and the next attempt tries again.
      this.#child = null;
    }
    for (const [pid, mark] of this.#groups) this.#tell(`+ ${pid} ${mark}`);
  }

  #start(): void {
    // Of its own session: what ends this process's group must leave the guard alive. An empty environment: no mark.
    const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
    const child = spawn('sh', [scriptPath], { cwd: '/', env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    this.#child = child;
    child.once('error', () => this.#onEnd(child));
    child.once('exit', () => this.#onEnd(child));
    // Without a process there may be no pipe either (too many open files); its error comes next.
    if (child.pid === undefined) return;
    child.stdin.on('error', () => undefined); // It died; its exit starts the next one.
    // Neither keeps this process from ending by itself.
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
  }

  /**
   * From now on the group that this process leads ends with Bosun, and every process with this `NAME=value` in its
   * environment. The mark must be the attempt's alone: the next Bosun may start processes before the guard is through.
   */
  watch(pid: number, mark: string | null): void {
    this.#groups.set(pid, mark ?? '');
    this.#tell(`+ ${pid} ${mark ?? ''}`);
  }

  /** Nothing is left of the group. */
  release(pid: number): void {
    this.#groups.delete(pid);
    this.#tell(`- ${pid}`);
  }

  #tell(line: string): void {
    this.#child?.stdin?.write(`${line}\n`);
  }

  /** Without groups to guard, the next attempt starts the next one. */
  #onEnd(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = null;
    const pauseMs = Math.max(0, this.#startedAt + restartPauseMs - performance.now());
    setTimeout(() => this.#groups.size > 0 && this.begin(), pauseMs).unref();
  }
}

export const orphanGuard = new OrphanGuard();

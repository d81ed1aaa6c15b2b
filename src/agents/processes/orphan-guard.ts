// Ends agents and checks if this process dies abruptly (kill -9, out of memory): a small `sh` knows their process
// groups and kills them when the pipe from this process closes.
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

const scriptPath = fileURLToPath(new URL('./orphan-guard.sh', import.meta.url));
const restartPauseMs = 1000;

class OrphanGuard {
  /** Process groups, with the mark in their environment. */
  readonly #groups = new Map<number, string>();
  #child: ChildProcess | null = null;
  #startedAt = -restartPauseMs;

  /** Starts the guard before the processes it watches. If it cannot start, attempts run unguarded. */
  begin(): void {
    if (this.#child !== null) return;
    this.#startedAt = performance.now();
    try {
      this.#start();
    } catch {
      // E.g. out of memory: the next attempt tries again.
      this.#child = null;
    }
    for (const [pid, mark] of this.#groups) this.#tell(`+ ${pid} ${mark}`);
  }

  #start(): void {
    // Its own session, so that killing this process's group spares the guard. A bare environment, so that it carries no
    // mark.
    const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
    const child = spawn('sh', [scriptPath], { cwd: '/', env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    this.#child = child;
    child.once('error', () => this.#onEnd(child));
    child.once('exit', () => this.#onEnd(child));
    // With too many open files there may be no pipe either; the error event follows.
    if (child.pid === undefined) return;
    child.stdin.on('error', () => undefined); // It died; its exit starts the next one.
    // Neither the child nor its pipe may keep this process alive.
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
  }

  /**
   * If Bosun dies, ends this group and every process with this `NAME=value` in its environment. The mark must be unique
   * to the attempt, because the next Bosun may start before the guard finishes.
   */
  watch(pid: number, mark: string | null): void {
    this.#groups.set(pid, mark ?? '');
    this.#tell(`+ ${pid} ${mark ?? ''}`);
  }

  /** Call when no process of the group is left. */
  release(pid: number): void {
    this.#groups.delete(pid);
    this.#tell(`- ${pid}`);
  }

  #tell(line: string): void {
    this.#child?.stdin?.write(`${line}\n`);
  }

  /** Restarts the guard if groups are watched; otherwise the next attempt does. */
  #onEnd(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = null;
    const pauseMs = Math.max(0, this.#startedAt + restartPauseMs - performance.now());
    setTimeout(() => this.#groups.size > 0 && this.begin(), pauseMs).unref();
  }
}

export const orphanGuard = new OrphanGuard();

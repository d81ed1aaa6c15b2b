// If this process dies abruptly, its pipe closes and a small `sh` kills the agents' process groups.
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

const scriptPath = fileURLToPath(new URL('./orphan-guard.sh', import.meta.url));
const restartPauseMs = 1000;

class OrphanGuard {
  /** By group, the mark in its environment. */
  readonly #groups = new Map<number, string>();
  #child: ChildProcess | null = null;
  #startedAt = -restartPauseMs;

  begin(): void {
    if (this.#child !== null) return;
    this.#startedAt = performance.now();
    try {
      this.#start();
    } catch {
      // The next attempt tries again.
      this.#child = null;
    }
    for (const [pid, mark] of this.#groups) this.#tell(`+ ${pid} ${mark}`);
  }

  #start(): void {
    // Its own session, out of a group kill; a bare environment carries no mark.
    const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
    const child = spawn('sh', [scriptPath], { cwd: '/', env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    this.#child = child;
    child.once('error', () => this.#onEnd(child));
    child.once('exit', () => this.#onEnd(child));
    // Too many open files; the error event follows.
    if (child.pid === undefined) return;
    child.stdin.on('error', () => undefined);
    // Neither may keep this process alive.
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
  }

  /** The mark must be unique to the attempt: the next Bosun may start before the guard finishes. */
  watch(pid: number, mark: string | null): void {
    this.#groups.set(pid, mark ?? '');
    this.#tell(`+ ${pid} ${mark ?? ''}`);
  }

  /** Call once the group is empty. */
  release(pid: number): void {
    this.#groups.delete(pid);
    this.#tell(`- ${pid}`);
  }

  #tell(line: string): void {
    this.#child?.stdin?.write(`${line}\n`);
  }

  #onEnd(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = null;
    const pauseMs = Math.max(0, this.#startedAt + restartPauseMs - performance.now());
    setTimeout(() => this.#groups.size > 0 && this.begin(), pauseMs).unref();
  }
}

export const orphanGuard = new OrphanGuard();

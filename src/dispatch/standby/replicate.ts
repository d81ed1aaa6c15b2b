// Runs only while active: a stale copy must not replace a newer one.
import { type ChildProcess, spawn } from 'node:child_process';
import { endProcessesMarked } from '../../agents/index.js';

export interface Replicating {
  readonly line: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The command exited by itself; it restarts after `againMs`. */
  readonly onEnd: (how: string) => void;
  readonly againMs?: number;
}

const usualAgainMs = 5_000;
const graceMs = 1_500;
/** Marks the command's processes with their home folder. */
const mark = 'BOSUN_REPLICATES';

export interface Replication {
  /** Lets the command ship pending data. */
  end(): void;
  /** At once: another Bosun may ship to the same target. */
  kill(): void;
}

/** An orphaned replication would ship an old copy over a newer one. */
export async function endReplicationOf(cwd: string): Promise<void> {
  await endProcessesMarked([`${mark}=${cwd}`], graceMs);
}

export function replicate({ line, env, cwd, onEnd, againMs = usualAgainMs }: Replicating): Replication {
  let child: ChildProcess | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isEnded = false;

  function begin(): void {
    child = spawn('sh', ['-c', line], {
      env: { ...env, [mark]: cwd },
      cwd,
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true,
    });
    child.once('error', (error) => again(error.message));
    child.once('exit', (code, signal) => again(`${code ?? signal}`));
  }

  function again(how: string): void {
    child = null;
    if (isEnded) return;
    onEnd(how);
    timer = setTimeout(begin, againMs).unref();
  }

  function stop(signal: 'SIGTERM' | 'SIGKILL'): void {
    isEnded = true;
    process.off('exit', end);
    if (timer !== null) clearTimeout(timer);
    if (child?.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // Already exited.
    }
  }

  const end = () => stop('SIGTERM');

  process.on('exit', end);
  begin();
  return { end, kill: () => stop('SIGKILL') };
}

// The operator's line that ships the database away, run for as long as this Bosun is the active one: a copy that was left
// behind must not be shipped over the one that went on.
import { type ChildProcess, spawn } from 'node:child_process';
import { endProcessesMarked } from '../../agents/index.js';

export interface Replicating {
  readonly line: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** It ended by itself, and is begun again after a while. */
  readonly onEnd: (how: string) => void;
  readonly againMs?: number;
}

const usualAgainMs = 5_000;
const graceMs = 1_500;
/** In the environment of all that it starts; says from which folder. */
const mark = 'BOSUN_REPLICATES';

export interface Replication {
  /** With all that it started. It may ship what it still has. */
  end(): void;
  /** The same at once: another may be shipping to the same place by now. */
  kill(): void;
}

/** Ends what a Bosun that was killed has left shipping from this folder: it would ship an old copy over a newer one. */
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
      // It has ended.
    }
  }

  const end = () => stop('SIGTERM');

  // However this process ends, as long as it can still do anything.
  process.on('exit', end);
  begin();
  return { end, kill: () => stop('SIGKILL') };
}

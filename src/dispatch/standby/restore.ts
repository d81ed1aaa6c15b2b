import { spawn } from 'node:child_process';
import { BosunError } from '../../base/index.js';

export interface Restoring {
  readonly line: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
}

const usualLimitMs = 600_000;
const maxTailChars = 1_500;

/** Throws with the end of the command's output. */
export async function restore({ line, env, cwd, signal, limitMs = usualLimitMs }: Restoring): Promise<void> {
  let tail = '';
  const child = spawn('sh', ['-c', line], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      tail = `${tail}${text}`.slice(-maxTailChars);
    });
  }
  const end = () => endGroup(child.pid);
  const limit = setTimeout(end, limitMs);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    const how = await new Promise<number | string | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, killedBy) => resolve(code ?? killedBy));
    });
    if (how !== 0) throw failed(how, tail.trim());
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', end);
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already exited.
  }
}

function failed(how: number | string | null, tail: string): BosunError {
  const said = tail === '' ? 'It printed nothing.' : `It printed: ${tail}`;
  return new BosunError('disk', `standby.restore failed (${how ?? 'no exit code'}). ${said}`, {
    hint: 'Run that line by hand with BOSUN_DB and BOSUN_HOME set; nothing here changed.',
  });
}

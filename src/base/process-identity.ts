// Pids are reused: a process is its pid and, on Linux, its start time.
import { readFileSync } from 'node:fs';
import { errnoOf } from './own-file.js';

/** '' where the system does not say. */
export function processStart(pid: number): string {
  const [boot, stat] = [bootId(), readStat(pid)];
  return stat === null || boot === '' ? '' : `${boot}/${stat.start}`;
}

/** In doubt, any process with the pid counts. */
export function isAlive(pid: number, startedAt = ''): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: alive, but another user's.
    if (errnoOf(error) !== 'EPERM') return false;
  }
  const stat = readStat(pid);
  if (stat !== null && 'ZX'.includes(stat.state)) return false;
  const start = processStart(pid);
  return startedAt === '' || start === '' || startedAt === start;
}

function readStat(pid: number): { readonly state: string; readonly start: string } | null {
  const text = readProc(`/proc/${pid}/stat`);
  // The process name is in brackets and may contain brackets and spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields[0], fields[19]];
  return state === undefined || start === undefined ? null : { state, start };
}

/** Start times count from boot, so they are unique only with the boot id. */
function bootId(): string {
  return readProc('/proc/sys/kernel/random/boot_id').trim();
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

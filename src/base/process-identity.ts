// A pid is used again after its process died: with the time at which it began, where the system tells it, a stranger
// is not mistaken for the one who had the pid before.
import { readFileSync } from 'node:fs';
import { errnoOf } from './own-file.js';

/** When the process began, in the system's own words; empty where it does not say. */
export function processStart(pid: number): string {
  const [boot, stat] = [bootId(), readStat(pid)];
  return stat === null || boot === '' ? '' : `${boot}/${stat.start}`;
}

/** Whether the process that began then still lives. Without `startedAt`, or when in doubt, whoever has the pid counts. */
export function isAlive(pid: number, startedAt = ''): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and is another user's.
    if (errnoOf(error) !== 'EPERM') return false;
  }
  const stat = readStat(pid);
  if (stat !== null && 'ZX'.includes(stat.state)) return false;
  const start = processStart(pid);
  return startedAt === '' || start === '' || startedAt === start;
}

function readStat(pid: number): { readonly state: string; readonly start: string } | null {
  const text = readProc(`/proc/${pid}/stat`);
  // The name of the program stands in brackets and may hold brackets and spaces itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields[0], fields[19]];
  return state === undefined || start === undefined ? null : { state, start };
}

/** Start times count from the boot, so that they mean something only together with it. */
function bootId(): string {
  return readProc('/proc/sys/kernel/random/boot_id').trim();
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Gone meanwhile, or a system without /proc: nothing is known.
    return '';
  }
}

// Processes by what their command line holds.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until processes of this mark have come and all of them have gone; gives how many there were at most. */
export async function gone(mark: string): Promise<number> {
  const deadline = performance.now() + 40_000;
  let most = 0;
  for (;;) {
    const now = processesOf(mark).length;
    most = Math.max(most, now);
    if (most > 0 && now === 0) return most;
    if (performance.now() > deadline) throw new Error(`${now} of at most ${most} are still there`);
    await sleep(20);
  }
}

export function processesOf(mark: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => commandOf(pid).includes(mark)).map(Number);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

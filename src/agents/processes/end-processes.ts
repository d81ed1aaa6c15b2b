// Finds and ends processes by the token in their environment: a child in a session of its own survives the kill of
// its parent's group, but it still carries the attempt's token.
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

const MAX_ROUNDS = 10;
const ROUND_MS = 20;
const BATCH = 64;

/**
 * Ends every process that carries one of these tokens, however it was started; gives how many there were. With a grace
 * they are asked to end first: a git that is killed outright leaves its locks behind.
 */
export async function endProcessesOf(tokens: readonly string[], graceMs = 0): Promise<number> {
  return endProcessesMarked(
    tokens.filter((token) => token !== '').map((token) => `BOSUN_TOKEN=${token}`),
    graceMs,
  );
}

/** The same for every process that has one of these variables, written `NAME=value`, in its environment. */
export async function endProcessesMarked(marks: readonly string[], graceMs = 0): Promise<number> {
  const ended = new Set<number>();
  const graceRounds = Math.ceil(graceMs / ROUND_MS);
  // Again until none is left: one may have forked between the look and the kill.
  for (let round = 0; marks.length > 0 && round < graceRounds + MAX_ROUNDS; round++) {
    const pids = await processesWith(marks);
    if (pids.length === 0) break;
    for (const pid of pids) {
      if (round >= graceRounds) signal(pid, 'SIGKILL');
      else if (!ended.has(pid)) signal(pid, 'SIGTERM');
      ended.add(pid);
    }
    await sleep(ROUND_MS);
  }
  return ended.size;
}

/** Sends a signal; a negative pid means a process group. Tells whether anybody was there. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // It is gone already, or belongs to somebody else.
    return false;
  }
}

async function processesWith(marks: readonly string[]): Promise<readonly number[]> {
  const found = process.platform === 'linux' ? await readProc(marks) : await askPs(marks);
  return found.filter((pid) => pid !== process.pid && pid > 1);
}

async function readProc(marks: readonly string[]): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found: number[] = [];
  for (let start = 0; start < pids.length; start += BATCH) {
    // The kernel has these at hand: to read one takes a third of what it takes to wait for it. Others get their turn.
    if (start > 0) await nextTurn();
    const batch = pids.slice(start, start + BATCH);
    found.push(...batch.filter((pid) => environmentHas(pid, marks)).map(Number));
  }
  return found;
}

function environmentHas(pid: string, marks: readonly string[]): boolean {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`;
    return marks.some((mark) => environment.includes(`\0${mark}\0`));
  } catch {
    // Ended meanwhile, or another user's and so none of ours.
    return false;
  }
}

async function askPs(marks: readonly string[]): Promise<readonly number[]> {
  const { execa } = await import('execa');
  const { stdout } = await execa('ps', ['axeww', '-o', 'pid=,command='], { reject: false, timeout: 5000 });
  return stdout
    .split('\n')
    .filter((line) => line.split(' ').some((word) => marks.includes(word)))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => Number.isInteger(pid));
}

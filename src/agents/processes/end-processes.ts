// Finds and kills processes by the token in their environment, which also marks children in sessions of their own.
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../../base/index.js';

const maxRounds = 10;
const roundMs = 20;
const batchSize = 64;

/** A grace period sends SIGTERM first, because a killed git leaves its locks behind. */
export async function endProcessesOf(tokens: readonly string[], graceMs = 0): Promise<number> {
  return endProcessesMarked(
    tokens.filter((token) => token !== '').map((token) => `BOSUN_TOKEN=${token}`),
    graceMs,
  );
}

/** A mark without a value would match strangers. */
export async function endProcessesMarked(given: readonly string[], graceMs = 0): Promise<number> {
  const marks = given.filter((mark) => /^\w+=./.test(mark));
  const ended = new Set<number>();
  const graceRounds = Math.ceil(graceMs / roundMs);
  // Repeat: a process may fork between scan and kill.
  for (let round = 0; marks.length > 0 && round < graceRounds + maxRounds; round++) {
    const pids = await processesWith(marks);
    if (pids.length === 0) break;
    for (const pid of pids) {
      if (round >= graceRounds) signal(pid, 'SIGKILL');
      else if (!ended.has(pid)) signal(pid, 'SIGTERM');
      ended.add(pid);
    }
    await sleep(roundMs);
  }
  return ended.size;
}

export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // It exited, or is another user's.
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
  for (let start = 0; start < pids.length; start += batchSize) {
    // Synchronous procfs reads take a third of the time; yield between batches.
    if (start > 0) await nextTurn();
    const batch = pids.slice(start, start + batchSize);
    found.push(...batch.filter((pid) => environmentHas(pid, marks)).map(Number));
  }
  return found;
}

function environmentHas(pid: string, marks: readonly string[]): boolean {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`;
    return marks.some((mark) => environment.includes(`\0${mark}\0`));
  } catch {
    return false;
  }
}

async function askPs(marks: readonly string[]): Promise<readonly number[]> {
  const limits = { env: process.env, timeoutMs: 5_000, graceMs: 5_000, maxBytes: 100_000_000 };
  const { out } = await runCommand('ps', ['axeww', '-o', 'pid=,command='], limits);
  return out
    .split('\n')
    .filter((line) => line.split(' ').some((word) => marks.includes(word)))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => Number.isInteger(pid));
}

// Finds and kills processes by the token in their environment. A child in its own session survives the kill of its
// parent's group, but still carries the token.
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../../base/index.js';

const MAX_ROUNDS = 10;
const ROUND_MS = 20;
const BATCH = 64;

/**
 * Kills every process with one of these tokens and returns their number. A grace period sends SIGTERM first, because a
 * git that is killed outright leaves its locks behind.
 */
export async function endProcessesOf(tokens: readonly string[], graceMs = 0): Promise<number> {
  return endProcessesMarked(
    tokens.filter((token) => token !== '').map((token) => `BOSUN_TOKEN=${token}`),
    graceMs,
  );
}

/** Like endProcessesOf, for any `NAME=value` pair in the environment. A mark without a value would fit strangers. */
export async function endProcessesMarked(given: readonly string[], graceMs = 0): Promise<number> {
  const marks = given.filter((mark) => /^\w+=./.test(mark));
  const ended = new Set<number>();
  const graceRounds = Math.ceil(graceMs / ROUND_MS);
  // Repeat until none is left: a process may fork between the scan and the kill.
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

/** Sends a signal; a negative pid means a process group. Returns false if nothing received it. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    // It has exited, or belongs to another user.
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
    // Reading procfs synchronously takes a third of the time of an async read. Yield between batches so other work can
    // run.
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
    // It exited, or belongs to another user and so is not ours.
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

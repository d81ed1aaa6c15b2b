// One setup at a time in one clone. A lock is a numbered file that names its holder; whoever finds the newest holder
// dead or finished makes the next number, which only one process can. So no takeover ever deletes a lock of the living.
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SetupError } from './error.mjs';

const pollMs = 100;
const longestWaitMs = 30 * 60_000;

/** Runs `work` while holding the lock; `work` gets `{ folder, addChild }`. */
export async function withLock(folder, say, work) {
  mkdirSync(folder, { recursive: true });
  const lock = await take(folder, say);
  try {
    return await work(lock);
  } finally {
    lock.write([]);
  }
}

async function take(folder, say) {
  const deadline = Date.now() + longestWaitMs;
  let hasSaid = false;
  while (Date.now() < deadline) {
    const newest = newestNumber(folder);
    const holder = newest === 0 ? null : livingHolder(join(folder, `lock-${newest}`));
    if (holder === null && claim(folder, newest + 1)) return lockOf(folder, newest + 1);
    if (holder !== null && !hasSaid) {
      say(`process ${holder} is setting this clone up already: waiting for it`);
      hasSaid = true;
    }
    await pause(pollMs);
  }
  throw new SetupError(`waited ${longestWaitMs / 60_000} minutes for another setup: if none runs, delete ${folder}`);
}

function lockOf(folder, number) {
  for (const old of numbers(folder)) if (old < number) rmSync(join(folder, `lock-${old}`), { force: true });
  const holders = [identity(process.pid)];
  const write = (now) => {
    renameSync(draft(folder, now), join(folder, `lock-${number}`));
  };
  return {
    folder,
    write,
    /** A child that outlives a killed holder goes on holding the lock, as it goes on writing. */
    addChild(pid) {
      holders.push(identity(pid));
      write(holders);
    },
  };
}

/** Makes the lock of this number; false when another process was quicker. */
function claim(folder, number) {
  const file = join(folder, `lock-${number}`);
  const own = draft(folder, [identity(process.pid)]);
  try {
    linkSync(own, file);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
  // A number is free again once its successor cleared it away: then the successor holds, and this was too late.
  if (newestNumber(folder) === number) return true;
  rmSync(file, { force: true });
  return false;
}

/** Locks are written beside and moved into place: no one ever reads half of one. */
function draft(folder, holders) {
  const file = join(folder, `draft-${process.pid}`);
  writeFileSync(file, JSON.stringify({ holders }));
  return file;
}

function numbers(folder) {
  return readdirSync(folder).flatMap((name) => (/^lock-\d+$/.test(name) ? [Number(name.slice(5))] : []));
}

function newestNumber(folder) {
  return Math.max(0, ...numbers(folder));
}

/** The pid of a holder that lives, or null when the lock is free for taking. */
function livingHolder(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).holders.find(isAlive)?.pid ?? null;
  } catch (error) {
    // Cleared away by its successor, or spoilt by someone else's hand: to claim the next number is safe in both cases.
    if (error.code === 'ENOENT' || error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}

function isAlive(holder) {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
  }
  return identity(holder.pid).startedAt === holder.startedAt;
}

/** A pid is used again after its process died; with the start time (Linux tells it) it is not mistaken for the old one. */
function identity(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended and only waits for its parent to ask how.
    return { pid, startedAt: fields[0] === 'Z' ? 'ended' : (fields[19] ?? '') };
  } catch {
    // No /proc: another system, where the pid alone must do.
    return { pid, startedAt: '' };
  }
}

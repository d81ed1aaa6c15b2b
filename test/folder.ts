// Where the tests' folders lie: in memory, on a machine that has room there. Thousands of small commits would wait for
// the disk half of the time; and what a killed process has written stays in either place.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const begin = 'bosun-tests-';
const leastBytes = 4 * 1024 ** 3;

let folder: string | null = null;

/** Whoever names a place with TMPDIR gets that one. */
export function setup(): void {
  if (process.env['TMPDIR'] !== undefined || !hasRoom()) return;
  dropLeftOver();
  folder = mkdtempSync(join(memory, `${begin}${process.pid}-`));
  process.env['TMPDIR'] = folder;
}

export function teardown(): void {
  if (folder !== null) drop(folder);
}

/** Programs are run there too, which some machines forbid. */
function hasRoom(): boolean {
  try {
    const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
    const options = mounts.findLast((line) => line.split(' ')[1] === memory)?.split(' ') ?? [];
    const { bavail, bsize } = statfsSync(memory);
    const isFit = options[2] === 'tmpfs' && !/\b(ro|noexec)\b/.test(options[3] ?? 'ro');
    return isFit && Math.min(bavail * bsize, freemem()) >= leastBytes;
  } catch {
    return false;
  }
}

/** Of runs that were killed. */
function dropLeftOver(): void {
  const pids = new Set(readdirSync('/proc'));
  for (const name of readdirSync(memory)) {
    const pid = name.startsWith(begin) ? (name.slice(begin.length).split('-')[0] ?? '') : '';
    if (/^\d+$/.test(pid) && !pids.has(pid)) drop(join(memory, name));
  }
}

function drop(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

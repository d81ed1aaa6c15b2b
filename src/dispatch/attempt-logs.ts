// The logs of attempts. Bosun writes and reads them in its home, below `attempt-logs/<run>`, where no agent works. When an
// attempt ends, a copy goes to the run's folder in the checkout for other tools. Bosun never reads the copy back.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { baseOf, memberLogPath } from './executor/index.js';
import { type Home, homeFolder } from './home/index.js';
import type { AttemptSpec } from './job.js';
import { copyOwnFile } from './own-path.js';
import type { AttemptRow } from './store/index.js';

type HomeDir = Pick<Home, 'dir'>;

/** A log, and the folder that it must not lead out of. */
export interface LogPlace {
  readonly root: string;
  readonly path: string;
}

const sinceName = 'since';

/** Mirrors the run's shared folder: `logs/<item>/<label>.jsonl` is below both. */
export function logFolderOf(home: HomeDir, { run }: Pick<AttemptSpec, 'run'>): string {
  return join(homeFolder(home, 'attempt-logs'), run);
}

/** Notes once from when on attempts log to the home. Earlier versions logged to the checkout. */
export function noteLogsSince(home: HomeDir, now: number): void {
  const path = join(homeFolder(home, 'attempt-logs'), sinceName);
  if (!existsSync(path)) writeFileSync(path, `${now}\n`, { mode: 0o600 });
}

export interface LogWanted {
  readonly row: AttemptRow;
  readonly label: string;
  /** The project's folder; null: the config no longer names the project. */
  readonly root: string | null;
}

/** Only an attempt of an earlier version has its log in the checkout: a later one's file there may be forged. */
export function findLog(home: HomeDir, { row: { attempt, run, chain }, label, root }: LogWanted): LogPlace {
  const dispatch = Number(/-d(\d+)$/.exec(attempt.id)?.[1] ?? 1);
  const expected = `${label}${dispatch > 1 ? `.d${dispatch}` : ''}.jsonl`;
  // An attempt that is still running has not told its path yet.
  const inRun = join('logs', chain || '_', attempt.logPath === null ? expected : basename(attempt.logPath));
  const folder = join(home.dir, 'attempt-logs');
  const own = { root: folder, path: join(folder, run, inRun) };
  if (root === null || existsSync(own.path) || attempt.dispatchedAt >= logsSince(folder)) return own;
  return { root, path: attempt.logPath ?? join(root, '.ai', 'runs', run, inRun) };
}

function logsSince(folder: string): number {
  try {
    const since = Number(readFileSync(join(folder, sinceName), 'utf8'));
    return Number.isFinite(since) ? since : Number.POSITIVE_INFINITY;
  } catch {
    // No Bosun of this version has run in this home yet.
    return Number.POSITIVE_INFINITY;
  }
}

/** Copies the logs of an attempt that ended, and of its team's members. Answers what kept a copy from being written. */
export async function exportLogs(home: HomeDir, spec: AttemptSpec): Promise<string | null> {
  const folder = logFolderOf(home, spec);
  const members = (spec.team ?? []).map(({ role }) => memberLogPath(spec.logPath, role));
  for (const path of [spec.logPath, ...members]) {
    const own = join(folder, relative(spec.sharedDir, path));
    if (!existsSync(own)) continue;
    try {
      await copyOwnFile(baseOf(spec, path), own, path);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return `the log could not be copied to the run's folder (Bosun has it whole): ${why}`;
    }
  }
  return null;
}

/** For a one-shot run, which leaves nothing behind. */
export async function removeLogs(home: HomeDir, run: string): Promise<void> {
  await rm(logFolderOf(home, { run }), { recursive: true, force: true });
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Home, homeFolder } from '../../config/index.js';
import type { AttemptRow } from '../../store/index.js';

type HomeDir = Pick<Home, 'dir'>;

/** With the folder that the path must not leave. */
export interface LogPlace {
  readonly root: string;
  readonly path: string;
}

const sinceName = 'since';

/** Since when attempts log to the home; earlier versions logged to the checkout. */
export function noteLogsSince(home: HomeDir, now: number): void {
  const path = join(homeFolder(home, 'attempt-logs'), sinceName);
  if (!existsSync(path)) writeFileSync(path, `${now}\n`, { mode: 0o600 });
}

export interface LogWanted {
  readonly row: AttemptRow;
  readonly label: string;
  /** Null: no longer in the config. */
  readonly root: string | null;
}

/** The checkout only for earlier versions' attempts: an agent could forge a newer one's file. */
export function findLog(home: HomeDir, { row: { attempt, run, chain }, label, root }: LogWanted): LogPlace {
  const dispatch = Number(/-d(\d+)$/.exec(attempt.id)?.[1] ?? 1);
  const expected = `${label}${dispatch > 1 ? `.d${dispatch}` : ''}.jsonl`;
  // A running attempt has not reported its path.
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
    // Not run in this home yet.
    return Number.POSITIVE_INFINITY;
  }
}

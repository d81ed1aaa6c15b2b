import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Home, homeFolder } from '../../config/index.js';
import type { AttemptRow } from '../../store/index.js';

type HomeDir = Pick<Home, 'dir'>;

/** `root`: the folder that the path must not leave. */
export interface LogPlace {
  readonly root: string;
  readonly path: string;
}

const sinceName = 'since';

/** Earlier versions logged to the checkout. */
export function noteLogsSince(home: HomeDir, now: number): void {
  const path = join(homeFolder(home, 'attempt-logs'), sinceName);
  if (!existsSync(path)) writeFileSync(path, `${now}\n`, { mode: 0o600 });
}

export interface LogWanted {
  readonly row: AttemptRow;
  readonly label: string;
  readonly root: string | null;
}

/** Security: looks in the checkout only for attempts of earlier versions, because an agent can write there. */
export function findLog(home: HomeDir, { row: { attempt, run, chain }, label, root }: LogWanted): LogPlace {
  const dispatch = Number(/-d(\d+)$/.exec(attempt.id)?.[1] ?? 1);
  const expected = `${label}${dispatch > 1 ? `.d${dispatch}` : ''}.jsonl`;
  // A running attempt has not reported its path yet.
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
    return Number.POSITIVE_INFINITY;
  }
}

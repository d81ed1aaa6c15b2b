// Logs are written below the home's `attempt-logs/<run>`, and copied to the run's folder at the end for other tools.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { baseOf, memberLogPath } from '../../agents/index.js';
import { copyOwnFile } from '../../base/index.js';
import { type Home, homeFolder } from '../../config/index.js';
import type { AttemptSpec } from '../../jobs/index.js';

type HomeDir = Pick<Home, 'dir'>;

export function logFolderOf(home: HomeDir, { run }: Pick<AttemptSpec, 'run'>): string {
  return join(homeFolder(home, 'attempt-logs'), run);
}

/** Includes team members' logs. Returns the error of a failed copy. */
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
      return `cannot copy the log to the run's folder (Bosun has the whole log): ${why}`;
    }
  }
  return null;
}

export async function removeLogs(home: HomeDir, run: string): Promise<void> {
  await rm(logFolderOf(home, { run }), { recursive: true, force: true });
}

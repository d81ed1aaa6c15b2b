// Where the log of an attempt lies, and how it is opened: never anything outside of its project.
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { AttemptRow, ProjectConfig } from '../dispatch/index.js';
import type { Node } from '../engine/index.js';

/** An attempt that is still at work has not told its path yet. */
export function logPathOf(
  project: Pick<ProjectConfig, 'root'>,
  node: Pick<Node, 'label'>,
  { attempt, run, chain }: AttemptRow,
): string {
  if (attempt.logPath !== null) return attempt.logPath;
  const dispatch = Number(/-d(\d+)$/.exec(attempt.id)?.[1] ?? 1);
  const name = `${node.label}${dispatch > 1 ? `.d${dispatch}` : ''}.jsonl`;
  return join(project.root, '.ai', 'runs', run, 'logs', chain || '_', name);
}

/** null: it is not there, is no file, or leads out of the folder. */
export async function openWithin(root: string, path: string): Promise<FileHandle | null> {
  try {
    const [folder, real] = await Promise.all([realpath(root), realpath(path)]);
    if (!real.startsWith(folder + sep)) return null;
    // A pipe must hold nobody up.
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return null;
  } catch {
    // Not begun yet, or its project has moved: both are told as "not there".
    return null;
  }
}

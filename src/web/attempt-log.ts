// Where the log of an attempt lies.
import { join } from 'node:path';
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

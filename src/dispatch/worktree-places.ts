// Where the worktrees of a run lie.
import { join } from 'node:path';
import type { Run } from '../engine/index.js';

export function worktreeOf(folder: string, run: Pick<Run, 'project' | 'id'>, slot: number): string {
  return join(folder, run.project, run.id, `agent-${slot}`);
}

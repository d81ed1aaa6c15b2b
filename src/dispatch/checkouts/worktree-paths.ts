// Where the worktrees of a run lie.
import { join } from 'node:path';
import type { Run } from '../../engine/index.js';

/** The checkout that a whole run has of its own, beside the person's. */
export function runWorktreeOf(folder: string, run: Pick<Run, 'project' | 'id'>): string {
  return join(folder, run.project, run.id, 'run');
}

export function worktreeOf(folder: string, run: Pick<Run, 'project' | 'id'>, slot: number): string {
  return join(folder, run.project, run.id, `agent-${slot}`);
}

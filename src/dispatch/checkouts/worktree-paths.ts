import { join } from 'node:path';
import type { Run } from '../../engine/index.js';

export function runWorktreeOf(folder: string, run: Pick<Run, 'project' | 'id'>): string {
  return join(folder, run.project, run.id, 'run');
}

export function worktreeOf(folder: string, run: Pick<Run, 'project' | 'id'>, slot: number): string {
  return join(folder, run.project, run.id, `agent-${slot}`);
}

import type { Run } from '../../engine/index.js';
import type { RunReader } from '../../store/index.js';

export interface QueuedTask {
  readonly id: string;
  readonly project: string;
  readonly task: string;
  readonly workflow: string;
  readonly position: number;
  readonly by: string;
  readonly created_at: string;
}

export function queuedTasks(reader: Pick<RunReader, 'drafts'>, project: string): readonly QueuedTask[] {
  return reader.drafts(project).map((run, index) => ({
    id: queuedId(run),
    project: run.project,
    task: run.task,
    workflow: run.workflow,
    position: index + 1,
    by: run.createdBy,
    created_at: new Date(run.createdAt).toISOString(),
  }));
}

/** People write `move q3 up`. */
export function queuedId({ number }: Pick<Run, 'number'>): string {
  return `q${number}`;
}

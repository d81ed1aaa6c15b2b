import type { Plan } from '../../../dispatch/index.js';
import type { Run } from '../../../engine/index.js';
import type { Spine } from '../../../store/index.js';
import { oneLine } from '../../views/view.js';
import { type MessageContext, projectsOf, sayError } from '../message-context.js';
import { refusal } from '../which-project.js';

export interface QueuedTaskOf {
  readonly run: Run;
  readonly spine: Spine;
}

export function onDraft(
  ctx: MessageContext,
  id: string,
  plan: (task: QueuedTaskOf) => Plan,
  whyGone: (run: Run) => string = (run) => `${taskTitle(run)} is no longer in the queue.`,
): Plan {
  const spine = ctx.now.spine(id);
  const project = projectsOf(ctx).find(({ name }) => name === spine?.run.project);
  if (!spine || !project) return sayError(ctx, 'That task is not in the queue.');
  const refused = refusal(ctx, project, 'start');
  if (refused) return refused;
  return spine.run.status === 'draft' ? plan({ run: spine.run, spine }) : sayError(ctx, whyGone(spine.run));
}

export function taskTitle({ task }: Pick<Run, 'task'>): string {
  return `“${oneLine(task.split('\n', 1)[0] ?? '', 60)}”`;
}

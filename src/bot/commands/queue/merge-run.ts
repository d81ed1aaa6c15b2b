// `merge r3`, or `merge` as a reply to its card.
import type { Plan } from '../../../dispatch/index.js';
import type { Parsed } from '../../grammar/index.js';
import { event } from '../drive.js';
import { liveBeside, type MessageContext, projectsOf, sayError } from '../message-context.js';
import { refusal } from '../which-project.js';

export function mergeRun(ctx: MessageContext, { target }: Parsed): Plan {
  const id = target === null ? (ctx.repliesTo?.run ?? null) : `r${target.slice(1)}`;
  if (id === null) return sayError(ctx, 'Which task? Name it, as in "merge r3", or reply to its card.');
  const spine = ctx.now.spine(id);
  const project = projectsOf(ctx).find(({ name }) => name === spine?.run.project);
  if (!spine || !project) return sayError(ctx, `There is no task ${id}.`);
  return (
    refusal(ctx, project, 'start') ?? event(ctx, spine, '', { type: 'land', behind: liveBeside(ctx, project.name, id) })
  );
}

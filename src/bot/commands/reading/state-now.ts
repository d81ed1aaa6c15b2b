// A project's state, as the sender of a message sees it.
import type { ProjectConfig } from '../../../config/index.js';
import { type ProjectStatus, shownRun, statusOfRun } from '../../../dispatch/index.js';
import { type Interaction, isRunOver, type Run } from '../../../engine/index.js';
import { type Attention, attentionOf } from '../../views/people/awaited.js';
import { type StateReader, stateInWords } from '../../views/people/work-state.js';
import { besideMeant, type MessageContext, projectsOf, roleIn } from '../message-context.js';
import { stateOfRun } from './status-text.js';

export function statusNow(ctx: MessageContext, project: ProjectConfig): ProjectStatus {
  const { at, reader } = ctx.now;
  const run = runShown(ctx, project);
  const status = statusOfRun(reader, project, run, { at, live: ctx.now });
  if (run === null || ctx.now.besideRuns(project.name).length === 0) return status;
  const isOwn = ({ id }: { readonly id: string }) => id.startsWith(`i${run.number}-`);
  return { ...status, interactions: status.interactions.filter(isOwn) };
}

export function runShown(ctx: MessageContext, project: ProjectConfig): Run | null {
  return besideMeant(ctx, project) ?? shownRun(ctx.now.reader, project.name);
}

export function readerOf(ctx: MessageContext, project: ProjectConfig): StateReader {
  return { by: ctx.by, role: roleIn(ctx, project), members: project.members };
}

/** A run that is over leaves its project idle. */
export function stateNow(ctx: MessageContext, project: ProjectConfig, status = statusNow(ctx, project)): string {
  const spine = status.run && ctx.now.spine(status.run.id);
  if (spine === null || isRunOver(spine.run.status)) return 'idle';
  return stateInWords(stateOfRun(spine, status.health, readerOf(ctx, project), aheadOf(ctx, spine.run)));
}

/** The task before this one in the queue; null: it does not wait, or is the next. */
export function aheadOf({ now }: MessageContext, { id, project, status }: Run): Run | null {
  if (status !== 'draft') return null;
  const drafts = now.drafts(project);
  const before = drafts
    .slice(
      0,
      Math.max(
        0,
        drafts.findIndex((one) => one.id === id),
      ),
    )
    .at(-1);
  return before ?? now.liveRun(project);
}

export function attentionHere(ctx: MessageContext, run: Run, interaction: Interaction): Attention {
  const project = projectsOf(ctx).find(({ name }) => name === run.project);
  const members = Object.entries(project?.members ?? {}).map(([name, role]) => ({ name, role }));
  const role = project === undefined ? null : roleIn(ctx, project);
  return attentionOf(interaction, run, { by: ctx.by, role, members });
}

/** The project's open cards, drafts included, that wait for other people. */
export function elsewhereOf(ctx: MessageContext, { name }: ProjectConfig): ReadonlySet<string> {
  const { reader } = ctx.now;
  const cards = reader.openInteractions(name).filter(({ run: id, interaction }) => {
    const run = reader.run(id);
    return run !== null && attentionHere(ctx, run, interaction) === 'elsewhere';
  });
  return new Set(cards.map(({ interaction }) => interaction.id));
}

// `edit q3: …`, or `edit: …` as a reply to its card.
import { type Plan, queuedId } from '../../../dispatch/index.js';
import type { Run } from '../../../engine/index.js';
import type { Parsed } from '../../grammar/index.js';
import { view } from '../../views/view.js';
import { event } from '../drive.js';
import { type MessageContext, say, sayError } from '../message-context.js';
import { onDraft, taskTitle } from './queued-task.js';

/** Longer text does not fit the undo button. */
const maxUndoChars = 1_000;

export function editTask(ctx: MessageContext, { target, note }: Parsed): Plan {
  const run = target === null ? (ctx.repliesTo?.run ?? null) : `r${target.slice(1)}`;
  if (run === null)
    return sayError(ctx, 'Which task? Reply to its card, or name it: "edit q3: add a dark theme". "queue" lists them.');
  if (note === null)
    return sayError(ctx, `What should it say? For example: "edit ${target ?? 'q3'}: add a dark theme".`);
  return editTo(ctx, run, note);
}

export function editTo(ctx: MessageContext, id: string, words: string): Plan {
  return onDraft(
    ctx,
    id,
    ({ run, spine }) => {
      const task = words.trim();
      if (task === run.task.trim()) return say(ctx, view('ack', `It says that already: ${taskTitle(run)}.`));
      const shown = say(
        ctx,
        view(
          'ack',
          `Changed (${queuedId(run)}): ${taskTitle({ task })}\nIt was: ${taskTitle(run)}`,
          run.task.length > maxUndoChars ? [] : [{ label: 'Undo', says: `edit ${queuedId(run)}: ${run.task}` }],
        ),
      );
      return { ...event(ctx, spine, '', { type: 'edit_task', task }), messages: shown.messages };
    },
    whyBegun,
  );
}

function whyBegun(run: Run): string {
  const isOver = run.endedAt !== null;
  const way = isOver ? 'Start a new task with the new words.' : 'Reply to its card to tell the running step.';
  return `${taskTitle(run)} ${isOver ? 'is over' : 'has begun already'}, so its words stay. ${way}`;
}

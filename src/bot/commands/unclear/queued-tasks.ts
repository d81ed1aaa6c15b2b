// Waiting tasks come before running work.
import { projectNamed } from '../../../config/index.js';
import { type Plan, queuedId, workNamed } from '../../../dispatch/index.js';
import type { Run } from '../../../engine/index.js';
import { type Removal, readRemoval } from '../../grammar/index.js';
import { view } from '../../views/view.js';
import { titleOf } from '../../views/work/card-text.js';
import { type MessageContext, projectsOf, roleIn, say, sayError } from '../message-context.js';

const maxOffered = 4;

/** Null: the words name no task. */
export function offerRemoval(ctx: MessageContext, text: string): Plan | null {
  const removal = readRemoval(text);
  if (removal === null || removal.words.length === 0) return null;
  const waiting = projectsOf(ctx).flatMap(({ name }) => ctx.now.drafts(name));
  const named = waiting.filter((run) => isNamed(run, removal));
  if (named.length === 0) return notWaiting(ctx, removal);
  const offers = named.slice(0, maxOffered).map(({ id, task }) => ({
    label: `Take out: ${titleOf(headOf(task))}`,
    says: `@unqueue ${id}`,
  }));
  const rows = named.slice(0, maxOffered).map(({ project, task }) => `${project} · ${titleOf(headOf(task))}`);
  const text1 = ['I did nothing yet. This waits in the queue:', ...rows, 'Take it out?'];
  return say(ctx, view('answer', text1.join('\n'), offers));
}

/** By id, or by all words in its title. */
function isNamed(run: Run, { words }: Removal): boolean {
  const { id, task } = run;
  if (words.length === 1 && (words[0] === id || words[0] === queuedId(run))) return true;
  const title = new Set(
    headOf(task)
      .toLowerCase()
      .match(/[\p{L}\p{N}_+-]+/gu) ?? [],
  );
  return words.every((word) => title.has(word));
}

/** Answers itself, so that no offer is about another run. */
function notWaiting(ctx: MessageContext, { words }: Removal): Plan | null {
  const [id = '', ...others] = words;
  if (others.length > 0 || !/^r\d{1,9}$/.test(id)) return null;
  const run = ctx.now.spine(id)?.run ?? null;
  const project = run && projectNamed(ctx.config, run.project);
  if (!run || !project || roleIn(ctx, project) === null) return sayError(ctx, `There is no task ${id}.`);
  const isLive = ctx.now.liveRun(project.name)?.id === id;
  if (!isLive)
    return sayError(
      ctx,
      `${id} (${titleOf(headOf(run.task))}) isn't waiting any more: it is ${workNamed({ run }).word}.`,
    );
  const offers = [{ label: `abort ${project.name}`, says: `abort ${project.name}` }];
  return say(ctx, view('answer', `${id} is running: ${titleOf(headOf(run.task))}. Abort it?`, offers));
}

function headOf(task: string): string {
  return task.split('\n')[0] ?? '';
}

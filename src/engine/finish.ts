// Endings: of a chain, of an item, of a run. What an agent left uncommitted is delivered before either is done.
import type { DiffStat } from './envelope.js';
import { supersede } from './interaction.js';
import type { WorkspaceOp } from './model.js';
import type { Step } from './step.js';

export function finishChain(step: Step): void {
  const { item, run } = step;
  const hasWork = step.chain.nodes.some((node) => node.kind === 'task' && node.dispatches > 0);
  if (hasWork) {
    const message = item ? `${item.key}: ${item.title}` : firstLine(run.task);
    startOp(step, (id) => ({ id, kind: 'deliver', chain: step.chain.key, message }));
  } else {
    endChain(step, null);
  }
}

/** After delivery: the item, or the run, is done. */
export function endChain(step: Step, note: string | null): void {
  const { item } = step;
  if (item) {
    step.moveItem(item.key, 'done');
    step.notice({ type: 'item_done', item: item.key, note });
    closeItem(step, item.key);
    return;
  }
  // A route that ended the run early left these behind.
  for (const one of step.items) if (one.status !== 'done') step.moveItem(one.key, 'cancelled');
  endRun(step, 'completed');
}

export function closeItem(step: Step, key: string): void {
  step.raise({ type: 'item_closed', run: step.run.id, chain: '', at: step.at, item: key });
}

export function endRun(step: Step, status: 'completed' | 'cancelled'): void {
  supersede(step, () => true);
  step.moveRun(status);
  step.setRun({ held: false, credit: 0 });
  step.notice({ type: 'ended' });
  restoreStash(step);
}

/** One piece of work at a time: what is still under way ends first. */
export function restoreStash(step: Step): void {
  const { stash, op } = step.run;
  if (stash !== null && op === null) startOp(step, (id) => ({ id, kind: 'restore', stash }));
}

export function startOp(step: Step, make: (id: string) => WorkspaceOp): void {
  const { counters, id } = step.run;
  const op = make(`${id}-op${counters.ops + 1}`);
  step.setRun({ op, counters: { ...counters, ops: counters.ops + 1 } });
  step.effects.push({ type: 'workspace', op });
}

/** What a card says about a delivery. */
export function deliveryNote(commit: string | null, diffStat: DiffStat | null): string {
  if (commit === null) return 'nothing to commit';
  const size = diffStat ? `, ${diffStat.files} files +${diffStat.insertions} −${diffStat.deletions}` : '';
  return `commit ${commit.slice(0, 8)}${size}`;
}

function firstLine(text: string): string {
  return text.trim().replace(/\n.*/s, '').slice(0, 72);
}

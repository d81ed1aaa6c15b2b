// Endings: of a chain, of an item, of a run. What an agent left uncommitted is delivered before either is done.

import { changesFiles } from '../attempts/scope.js';
import { supersede } from '../interactions/interaction.js';
import { checkoutOf } from '../model/checkout-use.js';
import type { DecisionDraft } from '../model/draft.js';
import type { Event } from '../model/event.js';
import type { Chain, Digest, Item, WorkspaceOp } from '../model/model.js';
import { itemValues } from '../prompts/prompt.js';
import type { DiffStat } from '../report/envelope.js';
import { fill } from '../text/template.js';

export function finishChain(step: DecisionDraft): void {
  const { item, run } = step;
  const hasWork = step.chain.nodes.some((node) => node.kind === 'task' && node.dispatches > 0);
  if (item && checkoutOf(step, item.key) !== '') {
    step.moveItem(item.key, 'merging');
    startOp(step, (id) => ({ id, kind: 'merge', chain: item.key, message: squashOf(step, item) }));
  } else if (hasWork) {
    const message = item ? `${item.key}: ${item.title}` : firstLine(run.task);
    startOp(step, (id) => ({ id, kind: 'deliver', chain: step.chain.key, message }));
  } else {
    noteChanges(step, null);
    endChain(step, null);
  }
}

/** What came of the story at hand. In a checkout that others share its agents may have committed by themselves. */
export function noteChanges(step: DecisionDraft, commit: string | null): void {
  const { item, chain } = step;
  if (item === null) return;
  const isChanged = commit !== null || (checkoutOf(step, item.key) === '' && mayHaveChanged(chain));
  step.setItem(item.key, { unchanged: !isChanged });
}

/** Whether any step of the chain changed a file, or was not measured. */
export function mayHaveChanged({ nodes }: Chain): boolean {
  const tried = nodes.flatMap(({ kind, last }) => (kind === 'task' && last !== null ? [last] : []));
  return tried.some((last) => last.diffStat === null || changesFiles(last));
}

function squashOf(step: DecisionDraft, item: Item): string {
  const template = step.def(item).onItemDone?.squash ?? '{{item.key}}: {{item.title}}';
  return fill(template, itemValues(item)).text;
}

/** After delivery: the item, or the run, is done. */
export function endChain(step: DecisionDraft, note: string | null): void {
  const { item } = step;
  if (item) {
    // Its history tells whose slot it was; then the slot is free.
    step.moveItem(item.key, 'done');
    step.setItem(item.key, { slot: null });
    step.notice({ type: 'item_done', item: item.key, note });
    closeItem(step, item, leftBy(step));
    if (step.chain.notes.length > 0) step.setChain({ notes: [] });
    if (step.chain.again) step.setChain({ again: null });
    return;
  }
  // A route that ended the run early left these behind.
  for (const one of step.items) if (one.status !== 'done') step.moveItem(one.key, 'cancelled');
  if (step.run.branch === null) endRun(step, 'completed', note);
  else publish(step);
}

/** What a run did on a branch of its own goes where it is wanted before the run is done. */
function publish(step: DecisionDraft): void {
  const { run, items } = step;
  const stories = items.filter((item) => item.status === 'done').map(({ key, title }) => `- ${key}: ${title}`);
  const text = [run.task.trim(), ...(stories.length > 0 ? [stories.join('\n')] : [])].join('\n\n');
  startOp(step, (id) => ({ id, kind: 'publish', how: run.deliver, title: firstLine(run.task), text }));
}

type Closed = Extract<Event, { type: 'item_closed' }>;

export function closeItem(
  step: DecisionDraft,
  { key, parent }: Item,
  left: Pick<Closed, 'notes' | 'digest'> = {},
): void {
  step.raise({ type: 'item_closed', run: step.run.id, chain: parent, at: step.at, item: key, ...left });
}

/** What a story that is done leaves for others: words that nobody in it has read, and what a reviewer should look at. */
function leftBy({ chain }: DecisionDraft): Pick<Closed, 'notes' | 'digest'> {
  const { key, digests, notes: all } = chain;
  const notes = all.map(({ kind, question, text, by }) => ({ kind, question, text, by }));
  const texts = digests.flatMap(({ text }) => text ?? []);
  const digest: Digest = {
    step: key,
    text: texts.length > 0 ? texts.join('\n') : null,
    questions: [...new Set(digests.flatMap(({ questions }) => questions))],
    files: [...new Set(digests.flatMap(({ files }) => files))],
  };
  return { ...(notes.length > 0 ? { notes } : {}), ...(digests.length > 0 ? { digest } : {}) };
}

export function endRun(step: DecisionDraft, status: 'completed' | 'cancelled', note: string | null = null): void {
  supersede(step, () => true);
  step.moveRun(status);
  step.setRun({ held: false, credit: 0 });
  step.notice({ type: 'ended', ...(note === null ? {} : { note }) });
  for (const item of step.items) dropWorktree(step, item);
  clearUp(step);
}

/** Before a run begins: the checkout that it works in, and its branch. */
export function prepare(step: DecisionDraft, how: { readonly stash: boolean; readonly worktree?: true }): void {
  const { deliver } = step.run;
  const branch = deliver === 'commit' ? {} : { deliver };
  startOp(step, (id) => ({ id, kind: 'prepare', ...how, ...branch }));
}

/** Nobody needs it any more; a branch with work in it stays. */
export function dropWorktree(step: DecisionDraft, { key, slot }: Item): void {
  const isGoing = step.run.ops.some((op) => op.kind === 'drop' && op.chain === key);
  if (slot !== null && !isGoing) startOp(step, (id) => ({ id, kind: 'drop', chain: key, slot }));
}

/** Of a run that is over, one piece of work after the other: what is still under way, its branch, what a person had. */
export function clearUp(step: DecisionDraft): void {
  const { stash, ops, branch } = step.run;
  if (ops.some((op) => op.kind !== 'drop')) return;
  if (branch !== null && !branch.isLeft) startOp(step, (id) => ({ id, kind: 'leave' }));
  else if (stash !== null && ops.length === 0) startOp(step, (id) => ({ id, kind: 'restore', stash }));
}

export function startOp(step: DecisionDraft, make: (id: string) => WorkspaceOp): void {
  const { counters, id } = step.run;
  const op = make(`${id}-op${counters.ops + 1}`);
  step.setRun({ ops: [...step.run.ops, op], counters: { ...counters, ops: counters.ops + 1 } });
  step.effects.push({ type: 'workspace', op });
}

/** What a card says about a delivery. */
export function deliveryNote(commit: string | null, diffStat: DiffStat | null): string {
  if (commit === null) return 'nothing to commit';
  const size = diffStat
    ? `, ${diffStat.files} ${diffStat.files === 1 ? 'file' : 'files'} +${diffStat.insertions} −${diffStat.deletions}`
    : '';
  return `commit ${commit.slice(0, 8)}${size}`;
}

function firstLine(text: string): string {
  return text.trim().replace(/\n.*/s, '').slice(0, 72);
}

// Ends a chain, item or run; delivers uncommitted work first.

import { changesFiles } from '../attempts/scope.js';
import { openOf, supersede } from '../interactions/interaction.js';
import { checkoutOf } from '../model/draft/checkout-use.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { Event } from '../model/event.js';
import type { Chain, Digest, Item, ItemFacts, LeftBehind, WorkspaceOp } from '../model/model.js';
import type { DiffStat } from '../report/envelope.js';
import { runsAgent } from '../workflow/node-kinds.js';
import { agentsOf, commitMessage, pullText } from './delivery-text.js';

export function finishChain(tx: DecisionDraft): void {
  const { item } = tx;
  const hasWork = tx.chain.nodes.some((node) => runsAgent(node) && node.dispatches > 0);
  if (item && checkoutOf(tx, item.key) !== '') {
    tx.moveItem(item.key, 'merging');
    startOp(tx, (id) => ({ id, kind: 'merge', chain: item.key, ...committed(tx) }));
  } else if (hasWork) {
    startOp(tx, (id) => ({ id, kind: 'deliver', chain: tx.chain.key, ...committed(tx) }));
  } else {
    noteChanges(tx, null);
    endChain(tx, null);
  }
}

/** In a shared checkout agents may have committed the changes. */
export function noteChanges(tx: DecisionDraft, commit: string | null): void {
  const { item, chain } = tx;
  if (item === null) return;
  const isChanged = commit !== null || (checkoutOf(tx, item.key) === '' && mayHaveChanged(chain));
  tx.setItem(item.key, { unchanged: !isChanged });
}

/** An unmeasured attempt counts. */
export function mayHaveChanged({ nodes }: Chain): boolean {
  const tried = nodes.flatMap((node) => (runsAgent(node) && node.last !== null ? [node.last] : []));
  return tried.some((last) => last.diffStat === null || changesFiles(last));
}

function committed(tx: DecisionDraft): { readonly message: string; readonly agents: readonly string[] } {
  return { message: commitMessage(tx), agents: agentsOf(tx.chain) };
}

export function endChain(tx: DecisionDraft, note: string | null): void {
  const { item } = tx;
  if (item) {
    // After the history record, which needs the slot.
    tx.moveItem(item.key, 'done');
    tx.setItem(item.key, { slot: null, facts: factsOf(tx.chain, note) });
    tx.notice({ type: 'item_done', item: item.key, note });
    closeItem(tx, item, leftBy(tx));
    if (tx.chain.notes.length > 0) tx.setChain({ notes: [] });
    if (tx.chain.again) tx.setChain({ again: null });
    return;
  }
  const unfinished = tx.items.filter(({ status }) => status !== 'done');
  tx.moveItems(new Set(unfinished.map(({ key }) => key)), 'cancelled');
  if (tx.run.branch === null) endRun(tx, 'completed', note);
  else publish(tx);
}

function factsOf({ nodes, costUsd = 0, unpriced = 0 }: Chain, note: string | null): ItemFacts {
  const tried = nodes.flatMap(({ last }) => last ?? []);
  const tests = tried.flatMap(({ tests: counted, checks }): readonly NonNullable<ItemFacts['tests']>[] => {
    const check = checks.find(({ name }) => name === 'tests');
    return counted ? [counted] : check ? [check.ok ? 'ok' : 'failing'] : [];
  });
  const workedMs = tried.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  return { note, diff: diffStatOf(nodes), tests: tests.at(-1) ?? null, workedMs, costUsd, unpriced };
}

export function diffStatOf(nodes: Chain['nodes']): DiffStat | null {
  const stats = nodes.flatMap(({ last }) => last?.diffStat ?? []);
  if (stats.length === 0) return null;
  const sum = (key: keyof DiffStat) => stats.reduce((total, stat) => total + (stat[key] ?? 0), 0);
  const largeBytes = sum('largeBytes');
  const large = largeBytes === 0 ? {} : { largeBytes };
  return { files: sum('files'), insertions: sum('insertions'), deletions: sum('deletions'), ...large };
}

function publish(tx: DecisionDraft): void {
  startOp(tx, (id) => ({ id, kind: 'publish', how: tx.run.deliver, ...pullText(tx) }));
}

type Closed = Extract<Event, { type: 'item_closed' }>;

export function closeItem(tx: DecisionDraft, { key, parent }: Item, left: Pick<Closed, 'notes' | 'digest'> = {}): void {
  tx.raise({ type: 'item_closed', run: tx.run.id, chain: parent, at: tx.at, item: key, ...left });
}

function leftBy({ chain }: DecisionDraft): Pick<Closed, 'notes' | 'digest'> {
  const { key, digests, notes: all } = chain;
  const notes = all.map(({ kind, question, text, by }) => ({ kind, question, text, by }));
  const texts = digests.flatMap(({ text }) => text ?? []);
  const digest: Digest = {
    step: key,
    text: texts.length > 0 ? texts.join('\n') : null,
    questions: [...new Set(digests.flatMap(({ questions }) => questions))],
    files: [...new Set(digests.flatMap(({ files }) => files))],
    ...shownIn(digests),
  };
  return { ...(notes.length > 0 ? { notes } : {}), ...(digests.length > 0 ? { digest } : {}) };
}

function shownIn(digests: readonly Digest[]): Pick<Digest, 'pictures' | 'previews'> {
  const pictures = digests.flatMap((one) => one.pictures ?? []);
  const previews = [...new Set(digests.flatMap((one) => one.previews ?? []))];
  return { ...(pictures.length > 0 && { pictures }), ...(previews.length > 0 && { previews }) };
}

export function endRun(tx: DecisionDraft, status: 'completed' | 'cancelled', note: string | null = null): void {
  supersede(tx, () => true);
  tx.moveRun(status);
  tx.setRun({ held: false, credit: 0 });
  tx.notice({ type: 'ended', ...(note === null ? {} : { note }) });
  for (const item of tx.items) dropWorktree(tx, item);
  clearUp(tx);
}

/** Changes in the project's own checkout would meet the next task. */
function mayHaveLeft({ run }: DecisionDraft): boolean {
  const isShared = (run.branch?.folder ?? null) === null;
  const hasWorked = run.prepared && run.counters.dispatches > 0;
  return (run.rules ?? 0) >= 5 && run.status === 'cancelled' && hasWorked && isShared;
}

interface Preparing {
  readonly stash: boolean;
  readonly worktree?: true;
  readonly left?: { readonly by: LeftBehind; readonly how: 'discard' | 'build' };
}

export function prepare(tx: DecisionDraft, { left, ...how }: Preparing): void {
  const { deliver } = tx.run;
  const branch = deliver === 'commit' ? {} : { deliver };
  startOp(tx, (id) => {
    const took = left && { left: { ...left, keepAs: `left/${id}.diff` } };
    return { id, kind: 'prepare', ...how, ...branch, ...took };
  });
}

/** A branch with work stays. */
export function dropWorktree(tx: DecisionDraft, { key, slot }: Item): void {
  const isGoing = tx.run.ops.some((op) => op.kind === 'drop' && op.chain === key);
  if (slot !== null && !isGoing) startOp(tx, (id) => ({ id, kind: 'drop', chain: key, slot }));
}

/** One operation at a time: pending ones, leftovers, branch, stash. */
export function clearUp(tx: DecisionDraft): void {
  const { stash, ops, branch, left } = tx.run;
  if (ops.some((op) => op.kind !== 'drop')) return;
  if (left === undefined && mayHaveLeft(tx)) {
    startOp(tx, (id) => ({ id, kind: 'find_left' }));
    return;
  }
  const isHere = branch !== null && !branch.isLeft;
  // Changes that await a decision stay on their branch.
  if (isHere && openOf(tx, 'leftovers') !== null) return;
  const carries = left ? ({ carries: true } as const) : {};
  if (isHere) startOp(tx, (id) => ({ id, kind: 'leave', ...carries }));
  else if (stash !== null && ops.length === 0) startOp(tx, (id) => ({ id, kind: 'restore', stash }));
}

export function startOp(tx: DecisionDraft, make: (id: string) => WorkspaceOp): void {
  const { counters, id } = tx.run;
  const op = make(`${id}-op${counters.ops + 1}`);
  tx.setRun({ ops: [...tx.run.ops, op], counters: { ...counters, ops: counters.ops + 1 } });
  tx.effects.push({ type: 'workspace', op });
}

/** `branch`: the agent switched to it; null: the run's. */
export function deliveryNote(commit: string | null, diffStat: DiffStat | null, branch: string | null): string {
  const where = branch === null ? '' : `, on the branch ${branch}`;
  return `${commitNote(commit, diffStat)}${where}`;
}

function commitNote(commit: string | null, diffStat: DiffStat | null): string {
  if (commit === null) return 'nothing to commit';
  const size = diffStat
    ? `, ${diffStat.files} ${diffStat.files === 1 ? 'file' : 'files'} +${diffStat.insertions} −${diffStat.deletions}`
    : '';
  return `commit ${commit.slice(0, 8)}${size}`;
}

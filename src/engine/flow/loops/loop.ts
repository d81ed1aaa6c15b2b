// Starts items in turn or in parallel, blocks dependents, and ends the loop.

import { ask, openOf, option } from '../../interactions/interaction.js';
import { checkoutOf } from '../../model/draft/checkout-use.js';
import type { DecisionDraft } from '../../model/draft/draft.js';
import type { NewItem } from '../../model/event.js';
import type { HumanNote, Item, Node, Run } from '../../model/model.js';
import type { LoopDef } from '../../workflow/definition.js';
import { startOp } from '../finish.js';

export function enterLoop(tx: DecisionDraft, loop: Node): 'waits' | 'passed' {
  const { over } = tx.loop(loop);
  if (itemsOf(tx, loop).length === 0 && over === 'phases') {
    surveyFor(tx, loop.id);
    return 'waits';
  }
  // Without stories the task is the item.
  if (itemsOf(tx, loop).length === 0) addItems(tx, loop, [taskAsItem(tx)]);
  markBlocked(tx, loop);
  const items = itemsOf(tx, loop);
  if (items.every((item) => item.status === 'done' || item.status === 'cancelled')) {
    tx.moveNode(loop.id, 'passed');
    leave(tx);
    return 'passed';
  }
  begin(tx, loop, items);
  return 'waits';
}

/** The loop's stories have these notes. */
function leave(tx: DecisionDraft): void {
  const { notes, again } = tx.chain;
  if (notes.some((note) => note.isHanded)) tx.setChain({ notes: notes.filter((note) => !note.isHanded) });
  if (again) tx.setChain({ again: null });
}

function begin(tx: DecisionDraft, loop: Node, items: readonly Item[]): void {
  const isStopping = failsRun(tx) && items.some((item) => item.status === 'failed');
  const chosen = items.find((item) => item.key === tx.run.firstStory);
  const isChosenOver = chosen !== undefined && isItemOver(chosen);
  const due = dueItems(items).filter((item) => chosen === undefined || isChosenOver || item === chosen);
  for (const next of isStopping ? [] : due) {
    if (!hasRoom(tx, loop)) return;
    if (offer(tx, loop, next, isChosenOver) === 'asked') return;
  }
  if (itemsOf(tx, loop).some(isUnderWay)) return;
  if (isStopping) failLoop(tx, loop);
  else if (openOf(tx, 'next_item') === null && openOf(tx, 'items_failed') === null) {
    askAboutFailed(tx, loop, itemsOf(tx, loop));
  }
}

/** Parallel stories finish before the loop fails. */
function failLoop(tx: DecisionDraft, loop: Node): void {
  tx.moveNode(loop.id, 'failed');
  tx.moveRun('failed');
}

export function failsRun({ workflow }: DecisionDraft): boolean {
  return workflow.policy.onItemFailed === 'fail_run';
}

function isItemOver({ status }: Item): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

export function isUnderWay({ status }: Item): boolean {
  return status === 'running' || status === 'merging';
}

export function loopOf({ loop, template }: Item): { readonly id: string; readonly template: string } {
  return { id: loop, template };
}

export function hasRoom(tx: DecisionDraft, loop: { readonly id: string; readonly template: string }): boolean {
  const underWay = tx.items.filter((item) => item.loop === loop.id && isUnderWay(item));
  return underWay.length < sideBySide(tx.run, tx.loop(loop));
}

export function sideBySide({ parallel }: Pick<Run, 'parallel'>, def: Pick<LoopDef, 'parallel'>): number {
  return parallel ?? def.parallel;
}

/** `node`: the loop; null: the run's beginning. */
export function surveyFor(tx: DecisionDraft, node: string | null): void {
  const { survey } = tx.workflow;
  const chain = tx.chain.key;
  startOp(tx, (id) => ({ id, kind: 'read', chain, node, files: [], survey, phase: null, isConfirmed: false }));
}

export function addPhases(tx: DecisionDraft, loop: Node, phases: readonly string[], milestone: string): void {
  const items = phases.map((phase): NewItem => {
    const short = `P${phase}`;
    const long = `${milestone.replace(/[^A-Za-z0-9.]+/g, '-')}-${short}`;
    const isFree = (one: string) => !tx.items.some((item) => item.key === one);
    const key = [short, long].find(isFree) ?? `${long}-${tx.items.length}`;
    const title = `${milestone}, phase ${phase}`;
    return { key, title, description: title, criteria: [], dependsOn: [], values: { phase, milestone } };
  });
  addItems(tx, loop, items);
}

export function needsWorktree(tx: DecisionDraft): boolean {
  return tx.item !== null && tx.item.slot === null && checkoutOf(tx, tx.item.key) !== '';
}

export function openWorktree(tx: DecisionDraft): void {
  const { key } = tx.chain;
  const taken = new Set(tx.items.map((one) => one.slot));
  let slot = 1;
  while (taken.has(slot)) slot += 1;
  tx.setItem(key, { slot });
  startOp(tx, (id) => ({ id, kind: 'open', chain: key, slot }));
}

/** Items of people or plans raise the run's limits. Agents' own do not, or agents could raise their limit. */
export function addItems(
  tx: DecisionDraft,
  loop: Node,
  items: readonly NewItem[],
  { keepsLimits = false, ...more }: Pick<Item, 'isGiven'> & { readonly keepsLimits?: boolean } = {},
): void {
  const first = tx.items.reduce((last, { order }) => Math.max(last, order), -1) + 1;
  const added = items.map(
    ({ isDone, ...item }, index): Item => ({
      ...item,
      ...more,
      order: first + index,
      status: isDone ? 'done' : 'ready',
      loop: loop.id,
      template: loop.template,
      parent: tx.chain.key,
      complexity: item.complexity ?? null,
      parallelTags: item.parallelTags ?? 0,
      priority: item.priority ?? null,
      values: item.values ?? {},
      slot: null,
      rejections: 0,
      startedAt: null,
      endedAt: null,
    }),
  );
  tx.items = [...tx.items, ...added];
  if (keepsLimits) return;
  const least = tx.workflow.limits.perItem * tx.items.length;
  const { dispatchLimit, insertionLimit } = tx.run;
  tx.setRun({ dispatchLimit: Math.max(dispatchLimit, least), insertionLimit: Math.max(insertionLimit, least) });
}

export function openItem(tx: DecisionDraft, key: string): void {
  const isReopened = tx.items.some((item) => item.key === key && item.isReopened === true);
  const notes = handOver(tx);
  tx.moveItem(key, 'running');
  const { again: why = null, context } = tx.chain;
  const again = isReopened ? { again: { why, context } } : {};
  // Only a person resets the count.
  if (isReopened) tx.setItem(key, { isReopened: false, ...(why === null ? { rejections: 0 } : {}) });
  const said = notes.length > 0 ? { notes } : {};
  tx.raise({ type: 'item_opened', run: tx.run.id, chain: key, at: tx.at, ...said, ...again });
}

/** Copies notes into each story; the originals stay until the loop is over. */
function handOver(tx: DecisionDraft): readonly HumanNote[] {
  const { notes } = tx.chain;
  if (notes.length === 0) return [];
  tx.setChain({ notes: notes.filter((note) => !note.isForNext).map((note) => ({ ...note, isHanded: true })) });
  return notes.map(({ kind, question, text, by }) => ({ kind, question, text, by }));
}

export function itemsOf(tx: DecisionDraft, loop: Node): readonly Item[] {
  return tx.items.filter((item) => item.loop === loop.id);
}

function offer(tx: DecisionDraft, loop: Node, next: Item, isAskedFirst: boolean): 'opened' | 'asked' {
  const items = itemsOf(tx, loop);
  const isBetweenStories = items.some(isDoneHere) && !items.some(isUnderWay);
  if (!isAskedFirst && (!isBetweenStories || tx.run.afterStory === 'start')) {
    openItem(tx, next.key);
    return 'opened';
  }
  if (openOf(tx, 'next_item') !== null) return 'asked';
  ask(tx, {
    kind: 'confirm',
    subject: { type: 'next_item', item: next.key, ...afterOf(items) },
    node: null,
    text: `Next: ${next.key} ${next.title}. Continue?`,
    options: [option('go', `Start ${next.key}`), option('finish', 'Finish here')],
  });
  return 'asked';
}

function afterOf(items: readonly Item[]): { readonly after?: string } {
  const done = items.filter(isDoneHere).sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
  const last = done.at(-1);
  return last === undefined ? {} : { after: last.key };
}

/** False for items done before the run. */
export function isDoneHere({ status, startedAt }: Item): boolean {
  return status === 'done' && startedAt !== null;
}

/** Linear, because a run may have thousands of stories and each end asks. */
export function dueItems(items: readonly Item[]): readonly Item[] {
  const done = new Set(items.filter((item) => item.status === 'done').map((item) => item.key));
  return items.filter((item) => item.status === 'ready' && item.dependsOn.every((key) => done.has(key)));
}

/** Items behind failed or cancelled ones, also indirectly. Unblocks others. */
export function markBlocked(tx: DecisionDraft, loop: Node): void {
  const items = itemsOf(tx, loop);
  const behind = itemsBehindLost(items);
  const keysOf = (status: Item['status'], isBehind: boolean) =>
    new Set(items.filter((item) => item.status === status && behind.has(item.key) === isBehind).map(({ key }) => key));
  tx.moveItems(keysOf('ready', true), 'blocked');
  tx.moveItems(keysOf('blocked', false), 'ready');
}

/** Each dependency once. */
function itemsBehindLost(items: readonly Item[]): ReadonlySet<string> {
  const dependents = new Map<string, string[]>();
  for (const { key, dependsOn } of items) {
    for (const before of dependsOn) {
      const known = dependents.get(before);
      if (known) known.push(key);
      else dependents.set(before, [key]);
    }
  }
  const lost = items.filter(({ status }) => status === 'failed' || status === 'cancelled').map(({ key }) => key);
  const behind = new Set(lost.flatMap((key) => dependents.get(key) ?? []));
  // Iterating a Set visits added keys too.
  for (const key of behind) for (const one of dependents.get(key) ?? []) behind.add(one);
  return behind;
}

function askAboutFailed(tx: DecisionDraft, loop: Node, items: readonly Item[]): void {
  const count = (status: Item['status']) => {
    const keys = items.filter((item) => item.status === status).map((item) => item.key);
    return `${keys.length} ${status}${status !== 'done' && keys.length > 0 ? ` (${keys.join(', ')})` : ''}`;
  };
  const failed = items.filter((item) => item.status === 'failed');
  // A missing story blocks them.
  const stuck = items.filter((item) => item.status !== 'done' && item.status !== 'cancelled');
  ask(tx, {
    kind: 'escalation',
    subject: { type: 'items_failed' },
    node: loop,
    text: [
      `Nothing is left to do: ${count('done')}, ${count('failed')}, ${count('blocked')}.`,
      ...failed.map((item) => `${item.key} failed at ${item.values['failure']}`),
      ...items.flatMap((item) => waitLine(item, items)),
    ].join('\n'),
    options: [
      ...failed.map((item) => option(`retry-${item.key}`, `Retry ${item.key}`)),
      // More would hide the other ways out.
      ...(failed.length === 1 ? failed.map(({ key }) => option(`note-${key}`, `Retry ${key} with a note`, true)) : []),
      ...stuck.map((item) => option(`skip-${item.key}`, `Skip ${item.key}`)),
      option('abort', 'Abort'),
    ],
  });
}

function waitLine({ key, status, dependsOn }: Item, items: readonly Item[]): readonly string[] {
  const open = dependsOn.filter((one) => items.some((item) => item.key === one && item.status !== 'done'));
  return status === 'blocked' ? [`${key} waits for ${open.join(', ')}`] : [];
}

const keyed = /^([A-Za-z][A-Za-z0-9]*-\d+)(?:[\s:,–—-]+(\S.*))?$/s;

/** `US-007 order history` */
export function readItem(text: string): NewItem | null {
  const found = keyed.exec(text.trim());
  if (!found?.[1]) return null;
  const key = found[1].toUpperCase();
  const said = found[2] ?? key;
  return { key, title: firstLine(said), description: said, criteria: [], dependsOn: [] };
}

function taskAsItem(tx: DecisionDraft): NewItem {
  const { task, number } = tx.run;
  const named = readItem(task);
  const item = named ?? { title: firstLine(task), description: task, criteria: [], dependsOn: [] };
  return {
    ...item,
    key: freeKey(
      tx.items.map((one) => one.key),
      named?.key ?? `TASK-${number}`,
    ),
  };
}

/** Keys must stay distinct when a loop is walked again. */
export function freeKey(taken: readonly string[], key: string): string {
  let free = key;
  for (let count = 2; taken.includes(free); count++) free = `${key}-${count}`;
  return free;
}

function firstLine(text: string): string {
  return text.trim().replace(/\n.*/s, '').slice(0, 120);
}

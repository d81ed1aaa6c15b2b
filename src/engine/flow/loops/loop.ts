// A loop node walks its items, one after another or side by side: which is next, which must wait, and when it is over.

import { ask, openOf, option } from '../../interactions/interaction.js';
import { checkoutOf } from '../../model/checkout-use.js';
import type { DecisionDraft } from '../../model/draft.js';
import type { NewItem } from '../../model/event.js';
import type { HumanNote, Item, Node, Run } from '../../model/model.js';
import type { NodeDef } from '../../workflow/definition.js';
import { startOp } from '../finish.js';

export function enterLoop(step: DecisionDraft, loop: Node): 'waits' | 'passed' {
  const { over } = step.def(loop);
  if (itemsOf(step, loop).length === 0 && over === 'phases') {
    surveyFor(step, loop.id);
    return 'waits';
  }
  // A project that names no story works on the task itself.
  if (itemsOf(step, loop).length === 0) addItems(step, loop, [taskAsItem(step)]);
  markBlocked(step, loop);
  const items = itemsOf(step, loop);
  if (items.every((item) => item.status === 'done' || item.status === 'cancelled')) {
    step.moveNode(loop.id, 'passed');
    leave(step);
    return 'passed';
  }
  begin(step, loop, items);
  return 'waits';
}

/** What was said before the loop has reached its stories. */
function leave(step: DecisionDraft): void {
  const { notes, again } = step.chain;
  if (notes.some((note) => note.isHanded)) step.setChain({ notes: notes.filter((note) => !note.isHanded) });
  if (again) step.setChain({ again: null });
}

/** Begins what may begin: as many side by side as the loop has room for. */
function begin(step: DecisionDraft, loop: Node, items: readonly Item[]): void {
  const isStopping = failsRun(step) && items.some((item) => item.status === 'failed');
  const chosen = items.find((item) => item.key === step.run.firstStory);
  const isChosenOver = chosen !== undefined && isItemOver(chosen);
  const due = dueItems(items).filter((item) => chosen === undefined || isChosenOver || item === chosen);
  for (const next of isStopping ? [] : due) {
    if (!hasRoom(step, loop)) return;
    if (offer(step, loop, next, isChosenOver) === 'asked') return;
  }
  if (itemsOf(step, loop).some(isUnderWay)) return;
  if (isStopping) failLoop(step, loop);
  else if (openOf(step, 'next_item') === null && openOf(step, 'items_failed') === null) {
    askAboutFailed(step, loop, itemsOf(step, loop));
  }
}

/** What runs beside a failed one comes to its end before the loop fails. */
function failLoop(step: DecisionDraft, loop: Node): void {
  step.moveNode(loop.id, 'failed');
  step.moveRun('failed');
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

/** The loop node that an item belongs to, as far as it is known from the item. */
export function loopOf({ loop, template }: Item): { readonly id: string; readonly template: string } {
  return { id: loop, template };
}

export function hasRoom(step: DecisionDraft, loop: { readonly id: string; readonly template: string }): boolean {
  const underWay = step.items.filter((item) => item.loop === loop.id && isUnderWay(item));
  return underWay.length < sideBySide(step.run, step.def(loop));
}

/** How many items of a loop may be under way at once. */
export function sideBySide({ parallel }: Pick<Run, 'parallel'>, def: Pick<NodeDef, 'parallel'>): number {
  return parallel ?? def.parallel;
}

/** Where the project stands is read anew, for a loop or for the beginning. */
export function surveyFor(step: DecisionDraft, node: string | null): void {
  const { survey } = step.workflow;
  const chain = step.chain.key;
  startOp(step, (id) => ({ id, kind: 'read', chain, node, files: [], survey, phase: null, isConfirmed: false }));
}

/** The phases that are still to be walked, as items. */
export function addPhases(step: DecisionDraft, loop: Node, phases: readonly string[], milestone: string): void {
  const items = phases.map((phase): NewItem => {
    const short = `P${phase}`;
    const long = `${milestone.replace(/[^A-Za-z0-9.]+/g, '-')}-${short}`;
    const isFree = (one: string) => !step.items.some((item) => item.key === one);
    const key = [short, long].find(isFree) ?? `${long}-${step.items.length}`;
    const title = `${milestone}, phase ${phase}`;
    return { key, title, description: title, criteria: [], dependsOn: [], values: { phase, milestone } };
  });
  addItems(step, loop, items);
}

/** An item with a worktree of its own has none yet. */
export function needsWorktree(step: DecisionDraft): boolean {
  return step.item !== null && step.item.slot === null && checkoutOf(step, step.item.key) !== '';
}

export function openWorktree(step: DecisionDraft): void {
  const { key } = step.chain;
  const taken = new Set(step.items.map((one) => one.slot));
  let slot = 1;
  while (taken.has(slot)) slot += 1;
  step.setItem(key, { slot });
  startOp(step, (id) => ({ id, kind: 'open', chain: key, slot }));
}

/** Items of a person or a plan raise what the run may dispatch; what agents name while they work does not. */
export function addItems(
  step: DecisionDraft,
  loop: Node,
  items: readonly NewItem[],
  { keepsFuse = false, ...more }: Pick<Item, 'isGiven'> & { readonly keepsFuse?: boolean } = {},
): void {
  const first = step.items.reduce((last, { order }) => Math.max(last, order), -1) + 1;
  const added = items.map(
    ({ isDone, ...item }, index): Item => ({
      ...item,
      ...more,
      order: first + index,
      status: isDone ? 'done' : 'ready',
      loop: loop.id,
      template: loop.template,
      parent: step.chain.key,
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
  step.items = [...step.items, ...added];
  if (keepsFuse) return;
  const least = step.workflow.limits.perItem * step.items.length;
  const { dispatchLimit, insertionLimit } = step.run;
  step.setRun({ dispatchLimit: Math.max(dispatchLimit, least), insertionLimit: Math.max(insertionLimit, least) });
}

/** Decided in the chain in which its loop stands. */
export function openItem(step: DecisionDraft, key: string): void {
  const isReopened = step.items.some((item) => item.key === key && item.isReopened === true);
  const notes = handOver(step);
  step.moveItem(key, 'running');
  const { again: why = null, context } = step.chain;
  const again = isReopened ? { again: { why, context } } : {};
  // Only a person's word makes its budget whole.
  if (isReopened) step.setItem(key, { isReopened: false, ...(why === null ? { rejections: 0 } : {}) });
  const said = notes.length > 0 ? { notes } : {};
  step.raise({ type: 'item_opened', run: step.run.id, chain: key, at: step.at, ...said, ...again });
}

/** What people said before the loop is for each of its stories, and so it stays until the loop is over. */
function handOver(step: DecisionDraft): readonly HumanNote[] {
  const { notes } = step.chain;
  if (notes.length === 0) return [];
  step.setChain({ notes: notes.filter((note) => !note.isForNext).map((note) => ({ ...note, isHanded: true })) });
  return notes.map(({ kind, question, text, by }) => ({ kind, question, text, by }));
}

export function itemsOf(step: DecisionDraft, loop: Node): readonly Item[] {
  return step.items.filter((item) => item.loop === loop.id);
}

function offer(step: DecisionDraft, loop: Node, next: Item, isAskedFirst: boolean): 'opened' | 'asked' {
  const items = itemsOf(step, loop);
  const isAsked = items.some(isDoneHere) && !items.some(isUnderWay);
  if (!isAskedFirst && (!isAsked || step.run.afterStory === 'start')) {
    openItem(step, next.key);
    return 'opened';
  }
  if (openOf(step, 'next_item') !== null) return 'asked';
  ask(step, {
    kind: 'confirm',
    subject: { type: 'next_item', item: next.key },
    node: null,
    text: `Next: ${next.key} ${next.title}. Continue?`,
    options: [option('go', `Start ${next.key}`), option('finish', 'Finish here')],
  });
  return 'asked';
}

/** Done by this run, and not before it began. */
export function isDoneHere({ status, startedAt }: Item): boolean {
  return status === 'done' && startedAt !== null;
}

/** The items that may begin now. In one pass: it is asked at the end of each of thousands of stories. */
export function dueItems(items: readonly Item[]): readonly Item[] {
  const done = new Set(items.filter((item) => item.status === 'done').map((item) => item.key));
  return items.filter((item) => item.status === 'ready' && item.dependsOn.every((key) => done.has(key)));
}

/** An item behind a failed or cancelled one, however far behind, is blocked until that changes. */
export function markBlocked(step: DecisionDraft, loop: Node): void {
  const items = itemsOf(step, loop);
  const behind = itemsBehindLost(items);
  const keysOf = (status: Item['status'], isBehind: boolean) =>
    new Set(items.filter((item) => item.status === status && behind.has(item.key) === isBehind).map(({ key }) => key));
  step.moveItems(keysOf('ready', true), 'blocked');
  step.moveItems(keysOf('blocked', false), 'ready');
}

/** Visits each dependency once, in whatever order the items are listed. */
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
  // A set hands out what is added to it while it is walked.
  for (const key of behind) for (const one of dependents.get(key) ?? []) behind.add(one);
  return behind;
}

function askAboutFailed(step: DecisionDraft, loop: Node, items: readonly Item[]): void {
  const count = (status: Item['status']) => {
    const keys = items.filter((item) => item.status === status).map((item) => item.key);
    return `${keys.length} ${status}${status !== 'done' && keys.length > 0 ? ` (${keys.join(', ')})` : ''}`;
  };
  const failed = items.filter((item) => item.status === 'failed');
  // One that is ready and cannot be begun waits for a story that nobody has.
  const stuck = items.filter((item) => item.status !== 'done' && item.status !== 'cancelled');
  ask(step, {
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

/** A task that begins with a key (`US-007 order history`) names its own story. */
export function readItem(text: string): NewItem | null {
  const found = keyed.exec(text.trim());
  if (!found?.[1]) return null;
  const key = found[1].toUpperCase();
  const said = found[2] ?? key;
  return { key, title: firstLine(said), description: said, criteria: [], dependsOn: [] };
}

function taskAsItem(step: DecisionDraft): NewItem {
  const { task, number } = step.run;
  const named = readItem(task);
  const item = named ?? { title: firstLine(task), description: task, criteria: [], dependsOn: [] };
  return {
    ...item,
    key: freeKey(
      step.items.map((one) => one.key),
      named?.key ?? `TASK-${number}`,
    ),
  };
}

/** A loop that is walked again has a story of its own. */
export function freeKey(taken: readonly string[], key: string): string {
  let free = key;
  for (let count = 2; taken.includes(free); count++) free = `${key}-${count}`;
  return free;
}

function firstLine(text: string): string {
  return text.trim().replace(/\n.*/s, '').slice(0, 120);
}

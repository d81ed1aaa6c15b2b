// A loop node walks its items, one after another: which is next, which must wait for another, and when it is over.
import type { NewItem } from './event.js';
import { ask, openOf, option } from './interaction.js';
import type { Item, Node } from './model.js';
import type { Step } from './step.js';

export function enterLoop(step: Step, loop: Node): 'waits' | 'passed' {
  // A project that names no story works on the task itself.
  if (itemsOf(step, loop).length === 0) addItems(step, loop, [taskAsItem(step)]);
  markBlocked(step, loop);
  const items = itemsOf(step, loop);
  if (items.some((item) => item.status === 'running' || item.status === 'merging')) return 'waits';
  if (items.every((item) => item.status === 'done' || item.status === 'cancelled')) {
    step.moveNode(loop.id, 'passed');
    return 'passed';
  }
  const next = nextItem(items);
  if (next) offer(step, items, next);
  else if (openOf(step, 'items_failed') === null) askAboutFailed(step, loop, items);
  return 'waits';
}

export function addItems(step: Step, loop: Node, items: readonly NewItem[]): void {
  const known = step.items.length;
  const added = items.map(
    (item, index): Item => ({
      ...item,
      order: known + index,
      status: 'ready',
      loop: loop.id,
      template: loop.template,
      rejections: 0,
      startedAt: null,
      endedAt: null,
    }),
  );
  step.items = [...step.items, ...added];
  step.setRun({ dispatchLimit: Math.max(step.run.dispatchLimit, 60 * step.items.length) });
}

export function openItem(step: Step, key: string): void {
  step.moveItem(key, 'running');
  step.raise({ type: 'item_opened', run: step.run.id, chain: key, at: step.at });
}

export function itemsOf(step: Step, loop: Node): readonly Item[] {
  return step.items.filter((item) => item.loop === loop.id);
}

function offer(step: Step, items: readonly Item[], next: Item): void {
  const isFirst = !items.some((item) => item.status === 'done');
  if (isFirst || step.run.afterStory === 'start') {
    openItem(step, next.key);
    return;
  }
  if (openOf(step, 'next_item') !== null) return;
  ask(step, {
    kind: 'confirm',
    subject: { type: 'next_item', item: next.key },
    node: null,
    text: `Next: ${next.key} ${next.title}. Continue?`,
    options: [option('go', `Start ${next.key}`), option('finish', 'Finish here')],
  });
}

function nextItem(items: readonly Item[]): Item | null {
  const isDone = (key: string) => items.some((item) => item.key === key && item.status === 'done');
  return items.find((item) => item.status === 'ready' && item.dependsOn.every(isDone)) ?? null;
}

/** An item behind a failed or cancelled one, however far behind, is blocked until that changes. */
function markBlocked(step: Step, loop: Node): void {
  const items = itemsOf(step, loop);
  const isLost = (item: Item) => item.status === 'failed' || item.status === 'cancelled';
  const lost = new Set(items.filter(isLost).map((item) => item.key));
  // Each pass finds at least one more or ends.
  for (let found = -1; found !== lost.size; ) {
    found = lost.size;
    for (const item of items) if (item.dependsOn.some((key) => lost.has(key))) lost.add(item.key);
  }
  for (const item of items) {
    const isBehind = item.dependsOn.some((key) => lost.has(key));
    if (isBehind && item.status === 'ready') step.moveItem(item.key, 'blocked');
    if (!isBehind && item.status === 'blocked') step.moveItem(item.key, 'ready');
  }
}

function askAboutFailed(step: Step, loop: Node, items: readonly Item[]): void {
  const count = (status: Item['status']) => items.filter((item) => item.status === status).length;
  const failed = items.filter((item) => item.status === 'failed');
  // One that is ready and cannot be begun waits for a story that nobody has.
  const stuck = items.filter((item) => item.status !== 'done' && item.status !== 'cancelled');
  ask(step, {
    kind: 'escalation',
    subject: { type: 'items_failed' },
    node: loop,
    text: `Nothing is left to do: ${count('done')} done, ${count('failed')} failed, ${count('blocked')} blocked.`,
    options: [
      ...failed.map((item) => option(`retry-${item.key}`, `Retry ${item.key}`)),
      ...stuck.map((item) => option(`skip-${item.key}`, `Skip ${item.key}`)),
      option('abort', 'Abort'),
    ],
  });
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

function taskAsItem(step: Step): NewItem {
  const { task, number } = step.run;
  return (
    readItem(task) ?? { key: `TASK-${number}`, title: firstLine(task), description: task, criteria: [], dependsOn: [] }
  );
}

function firstLine(text: string): string {
  return text.trim().replace(/\n.*/s, '').slice(0, 120);
}

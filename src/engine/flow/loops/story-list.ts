// A reported list replaces unbegun items of an earlier one. An unusable list fails the step.

import type { DecisionDraft } from '../../model/draft/draft.js';
import type { Item, Node, Resolved } from '../../model/model.js';
import type { Story } from '../../report/index.js';
import { hasBody } from '../../workflow/node-kinds.js';
import { addItems, freeKey, itemsOf } from './loop.js';

export function withStories(tx: DecisionDraft, outcome: Resolved): Resolved {
  const summary = outcome.kind === 'pass' && outcome.stories.length > 0 ? whyRefused(tx, outcome.stories) : null;
  return summary === null ? outcome : { ...outcome, kind: 'failing', reason: 'bad_output', summary, stories: [] };
}

export function keepStories(tx: DecisionDraft, node: Node, { stories }: Resolved): void {
  if (stories.length === 0) return;
  const loop = loopAhead(tx);
  if (!loop) {
    tx.notice({
      type: 'told',
      text: `${node.template} reported stories that are known or cannot be walked here: ${keysOf(stories)}.`,
    });
    return;
  }
  const known = itemsOf(tx, loop);
  const merged = merge(tx, loop, stories);
  const isKept = (one: Item) => merged.kept.includes(one) || one.loop !== loop.id;
  tx.items = tx.items.filter(isKept);
  addItems(tx, loop, merged.open);
  if (known.length > 0) tx.notice({ type: 'told', text: textOf(merged) });
}

function loopAhead(tx: DecisionDraft): Node | undefined {
  return tx.chain.nodes.find((one) => one.state === 'waiting' && isOverItems(tx, one));
}

function isOverItems(tx: DecisionDraft, node: Node): boolean {
  return hasBody(node) && tx.loop(node).over === 'items';
}

function whyRefused(tx: DecisionDraft, stories: readonly Story[]): string | null {
  const loop = loopAhead(tx);
  if (loop) {
    const { open, kept } = merge(tx, loop, stories);
    const isLeft = open.length > 0 || kept.some(({ status }) => status !== 'done' && status !== 'cancelled');
    return isLeft
      ? null
      : `STORIES_JSON names only stories that are over: ${keysOf(stories)}. Give work that is still to be done an id of its own.`;
  }
  const news = stories.filter(({ id }) => !tx.items.some(({ key }) => key === id));
  const over = tx.workflow.chain.find((def) => hasBody(def) && def.over === 'items');
  if (news.length === 0 || !over) return null;
  return `STORIES_JSON names new stories (${keysOf(news)}), but only a step before "${over.id}" may report them. Leave STORIES_JSON out.`;
}

interface Merged {
  readonly kept: readonly Item[];
  readonly repeated: readonly Item[];
  readonly open: readonly Planned[];
  readonly dropped: readonly Item[];
}

type Planned = Parameters<typeof addItems>[2][number];

/** Matches by key. Never replaces begun items or a person's. */
function merge(tx: DecisionDraft, loop: Node, stories: readonly Story[]): Merged {
  const own = itemsOf(tx, loop);
  const others = tx.items.filter((item) => item.loop !== loop.id).map((item) => item.key);
  const taken = [...others, ...own.map((item) => item.key), ...stories.map((story) => story.id)];
  // Another loop may have the key.
  const keyOf = (id: string) => (others.includes(id) ? freeKey(taken, id) : id);
  const kept = own.filter((item) => item.startedAt !== null || item.status === 'cancelled' || item.isGiven === true);
  const planned = stories.map((story) => asItem(story, keyOf));
  const isKept = (key: string) => kept.some((item) => item.key === key);
  return {
    kept,
    repeated: kept.filter((item) => planned.some(({ key }) => key === item.key)),
    open: planned.filter(({ key }) => !isKept(key)),
    dropped: own.filter((item) => !isKept(item.key) && !planned.some(({ key }) => key === item.key)),
  };
}

function asItem(story: Story, keyOf: (id: string) => string): Planned {
  return {
    key: keyOf(story.id),
    title: story.title,
    description: story.description,
    criteria: story.acceptanceCriteria,
    dependsOn: story.dependsOn.map(keyOf),
    complexity: story.complexity,
    parallelTags: story.parallelTags,
    priority: story.priority,
  };
}

function textOf({ open, repeated, dropped }: Merged): string {
  const now = open.map(({ key, title }) => `${key} ${title}`);
  const stay = repeated.map(
    ({ key, status, isGiven }) => `${key} (${isGiven && status === 'ready' ? 'given by a person' : status})`,
  );
  return [
    'The stories were planned again.',
    ...(now.length > 0 ? [`To do: ${listed(now)}.`] : []),
    ...(stay.length > 0 ? [`As they were: ${listed(stay)}.`] : []),
    ...(dropped.length > 0 ? [`Dropped: ${listed(dropped.map(({ key }) => key))}.`] : []),
  ].join('\n');
}

const maxListed = 20;

function listed(names: readonly string[]): string {
  const more = names.length - maxListed;
  return `${names.slice(0, maxListed).join('; ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function keysOf(stories: readonly Story[]): string {
  return listed(stories.map(({ id }) => id));
}

/** Lines of a card that asks to approve a plan. */
export function plannedLines(tx: DecisionDraft): readonly string[] {
  const loop = tx.chain.key === '' ? loopAhead(tx) : undefined;
  const open = loop ? itemsOf(tx, loop).filter(({ status }) => status === 'ready' || status === 'blocked') : [];
  if (open.length === 0) return [];
  const more = open.length - maxListed;
  const lines = open.slice(0, maxListed).map(({ key, title }) => `- ${key} ${title.slice(0, 120)}`);
  return ['Stories:', ...lines, ...(more > 0 ? [`… and ${more} more`] : [])];
}

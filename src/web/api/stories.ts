// Stories of a run, told from as little of their chains as tells it.
import { type PipelineStory, storiesOf } from '../../dispatch/index.js';
import type { Chain, Item } from '../../engine/index.js';
import type { Spine, Store } from '../../store/index.js';

export function storyOf(item: Item) {
  return { id: item.key, key: item.key, title: item.title, status: item.status, depends_on: item.dependsOn };
}

/** Of these items alone. */
export function storiesInDetail(store: Pick<Store, 'chain' | 'pages'>, spine: Spine, items: readonly Item[]) {
  const read = chainsFor(store, spine.run.id, items);
  const told = new Map(storiesOf({ ...spine, items }, read).map((story) => [story.story_id, story]));
  return items.map((item) => ({ ...storyOf(item), ...detailsOf(told.get(item.key)) }));
}

/** A story shows what its first step said. When it last moved, its end tells, where it has one. */
function chainsFor({ chain, pages }: Pick<Store, 'chain' | 'pages'>, run: string, items: readonly Item[]) {
  const read = new Map<string, Chain | null>();
  for (const { key, endedAt } of items)
    read.set(key, endedAt === null ? chain(run, key) : pages.chainBegin(run, key, 1));
  const around = new Map<string, Chain | null>();
  for (const { parent, loop } of items) {
    const known = around.get(parent);
    // Loops of one chain: what stands before each of them counts.
    if (known === undefined) around.set(parent, pages.chainBefore(run, parent, loop));
    else if (known !== null && !known.nodes.some(({ id }) => id === loop)) around.set(parent, chain(run, parent));
  }
  return (key: string): Chain | null => read.get(key) ?? around.get(key) ?? null;
}

/** Its state stays in Bosun's own words. */
function detailsOf(story: PipelineStory | undefined) {
  if (!story) return {};
  const { description, acceptance_criteria, output, retry_count, max_retries, created_at, updated_at } = story;
  return { description, acceptance_criteria, output, retry_count, max_retries, created_at, updated_at };
}

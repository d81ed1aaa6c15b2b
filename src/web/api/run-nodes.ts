import { type NodeJson, nodesJson } from '../../dispatch/index.js';
import type { Spine } from '../../store/index.js';
import type { WebRuntime } from '../context/web-context.js';
import { pageAfter } from './page.js';

export interface NodePage {
  readonly nodes: readonly NodeJson[];
  readonly next: string | null;
  readonly count: number;
}

export interface NodesWanted {
  readonly item?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Null: no such node in `after`. */
export function nodePage(
  runtime: Pick<WebRuntime, 'reader' | 'lastSign' | 'waitsFor'>,
  spine: Spine,
  wanted: NodesWanted,
): NodePage | null {
  const { pages } = runtime.reader;
  const ids = idsInOrder(pages.nodePlaces(spine.run.id), spine, wanted.item ?? null);
  const page = pageAfter(ids, (id) => id, wanted);
  if (page === null) return null;
  const read = new Map(pages.nodesNamed(spine.run.id, page.items).map((node) => [node.id, node]));
  const nodes = page.items.flatMap((id) => read.get(id) ?? []);
  return { nodes: nodesJson(nodes, spine, runtime), next: page.next, count: ids.length };
}

interface Placed {
  readonly id: string;
  readonly chain: string;
}

/** Keeps an item's nodes together, after their loop. */
function idsInOrder(
  places: readonly Placed[],
  { items }: Pick<Spine, 'items'>,
  only: string | null,
): readonly string[] {
  const chains = new Map<string, string[]>();
  for (const { id, chain } of places) {
    const known = chains.get(chain);
    if (known === undefined) chains.set(chain, [id]);
    else known.push(id);
  }
  if (only !== null) return chains.get(only) ?? [];
  const keys = new Map<string, string[]>();
  for (const { loop, key } of items) keys.set(loop, [...(keys.get(loop) ?? []), key]);
  return (chains.get('') ?? []).flatMap((id) => [id, ...(keys.get(id) ?? []).flatMap((key) => chains.get(key) ?? [])]);
}

// Pages through a run's nodes in display order, reading only the nodes shown.

import { type NodeJson, nodesJson } from '../../dispatch/index.js';
import type { Spine } from '../../store/index.js';
import type { WebRuntime } from '../context/web-context.js';

export interface NodePage {
  readonly nodes: readonly NodeJson[];
  /** Id of the last node if more follow; null: this is the last page. */
  readonly next: string | null;
  readonly count: number;
}

export interface NodesWanted {
  readonly item?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** null: the node in `after` does not exist. */
export function nodePage(
  runtime: Pick<WebRuntime, 'reader' | 'lastSign' | 'waitsFor'>,
  spine: Spine,
  { item, after, limit }: NodesWanted,
): NodePage | null {
  const { pages } = runtime.reader;
  const ids = idsInOrder(pages.nodePlaces(spine.run.id), spine, item ?? null);
  const last = after === undefined ? -1 : ids.indexOf(after);
  if (after !== undefined && last === -1) return null;
  const wanted = ids.slice(last + 1, last + 1 + limit);
  const read = new Map(pages.nodesNamed(spine.run.id, wanted).map((node) => [node.id, node]));
  const nodes = wanted.flatMap((id) => read.get(id) ?? []);
  const isMore = last + 1 + wanted.length < ids.length;
  return {
    nodes: nodesJson(nodes, spine, runtime),
    next: isMore ? (wanted.at(-1) ?? after ?? null) : null,
    count: ids.length,
  };
}

interface Placed {
  readonly id: string;
  readonly chain: string;
}

/** Keeps the nodes of an item together, after the loop that they belong to. */
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

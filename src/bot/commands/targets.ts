// `impl`, `step-006`, `US-005`: a node or a story.

import type { PlanContext } from '../../dispatch/index.js';
import { type Chain, currentNode, type Item, type Node, namedNode } from '../../engine/index.js';
import type { Spine } from '../../store/index.js';

export interface StuckPlace {
  readonly chain: string;
  readonly node: Node;
}

export type Target = StuckPlace | { readonly item: Item } | { readonly unknown: string };

export function currentChain(now: PlanContext, spine: Spine): Chain | null {
  const item =
    spine.items.find((one) => one.status === 'running') ?? spine.items.find((one) => one.status === 'failed');
  return now.chain(spine.run.id, item?.key ?? '');
}

export function findTarget(now: PlanContext, spine: Spine, said: string): Target {
  const item = spine.items.find((one) => one.key.toLowerCase() === said.toLowerCase());
  if (item) return { item };
  const chain = currentChain(now, spine);
  const node = (chain && namedNode(chain, said)) ?? null;
  if (chain && node) return { chain: chain.key, node };
  const root = now.chain(spine.run.id, '');
  const own = root && namedNode(root, said);
  if (own) return { chain: '', node: own };
  const names = [...(chain?.nodes ?? []), ...(root?.nodes ?? [])].map((one) => one.template);
  return {
    unknown: `There is no step or story "${said}". Steps and stories: ${[...new Set([...names, ...spine.items.map((one) => one.key)])].join(', ')}.`,
  };
}

export function stuckPlace(now: PlanContext, spine: Spine, item: string | null): StuckPlace | null {
  const chain = item === null ? currentChain(now, spine) : now.chain(spine.run.id, item);
  const node = chain && currentNode(chain);
  return chain && node ? { chain: chain.key, node } : null;
}

export function whyBlocked({ items }: Spine, { key, dependsOn }: Item): string | null {
  const open = dependsOn.filter((one) => items.some((item) => item.key === one && item.status !== 'done'));
  return open.length === 0 ? null : `${key} is blocked by ${open.join(', ')}.`;
}

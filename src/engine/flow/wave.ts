// Neighbours run in parallel if none needs another and their `writes` do not overlap.

import { isOver, nodesBefore } from '../chain/chain.js';
import { factsOf } from '../chain/insert.js';
import { checkoutOf } from '../model/draft/checkout-use.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { Chain, Node } from '../model/model.js';
import { templateValues } from '../prompts/prompt.js';
import { meetAnywhere } from '../text/globs.js';
import { fill } from '../text/template.js';
import { holds, mayShare, type NodeDef } from '../workflow/index.js';
import { runsJob } from '../workflow/node-kinds.js';

export function waveOf(tx: DecisionDraft, first: Node): readonly Node[] {
  // Rolling one back would revert its neighbours' files.
  if (!mayShare(tx.def(first)) || checkoutOf(tx, tx.chain.key) !== '') return [];
  const { nodes } = tx.chain;
  const wave: Node[] = [first];
  for (const node of nodes.slice(nodes.findIndex((one) => one.id === first.id) + 1)) {
    if (isOver(node)) continue;
    if (!joins(tx, node, wave)) break;
    wave.push(node);
  }
  return wave.slice(1);
}

function joins(tx: DecisionDraft, node: Node, wave: readonly Node[]): boolean {
  const def = tx.def(node);
  const isDue = node.state === 'waiting' || node.state === 'ready';
  if (!isDue || !mayShare(def) || (def.when !== null && !holds(def.when, factsOf(tx)))) return false;
  if (def.needs === null || def.needs.some((need) => !isMet(tx.chain, need, node))) return false;
  return wave.every((one) => !meetAnywhere(pathsOf(tx, tx.def(one)), pathsOf(tx, def)));
}

function isMet(chain: Chain, need: string, node: Node): boolean {
  return nodesBefore(chain, node).every((one) => one.template !== need || isOver(one));
}

function pathsOf(tx: DecisionDraft, def: NodeDef): readonly string[] {
  if (!runsJob(def)) return [];
  const values = templateValues(tx.state);
  return def.writes.map((path) => fill(path, values).text);
}

// A wave: neighbours of a chain that may run side by side, because none rests on another or writes what another writes.

import { factsOf } from '../chain/insert.js';
import { checkoutOf } from '../model/checkout-use.js';
import type { DecisionDraft } from '../model/draft.js';
import type { Chain, Node } from '../model/model.js';
import { templateValues } from '../prompts/prompt.js';
import { meetAnywhere } from '../text/globs.js';
import { fill } from '../text/template.js';
import { holds, mayShare, type NodeDef } from '../workflow/index.js';

/** The nodes that may run beside the first one, in chain order. */
export function waveOf(step: DecisionDraft, first: Node): readonly Node[] {
  // A try that is taken back would take the others' files with it.
  if (!mayShare(step.def(first)) || checkoutOf(step, step.chain.key) !== '') return [];
  const { nodes } = step.chain;
  const wave: Node[] = [first];
  for (const node of nodes.slice(nodes.findIndex((one) => one.id === first.id) + 1)) {
    if (node.state === 'passed' || node.state === 'skipped') continue;
    if (!joins(step, node, wave)) break;
    wave.push(node);
  }
  return wave.slice(1);
}

function joins(step: DecisionDraft, node: Node, wave: readonly Node[]): boolean {
  const def = step.def(node);
  const isDue = node.state === 'waiting' || node.state === 'ready';
  if (!isDue || !mayShare(def) || (def.when !== null && !holds(def.when, factsOf(step)))) return false;
  if (def.needs === null || def.needs.some((need) => !isMet(step.chain, need, node))) return false;
  return wave.every((one) => !meetAnywhere(pathsOf(step, step.def(one)), pathsOf(step, def)));
}

function isMet(chain: Chain, need: string, node: Node): boolean {
  const before = chain.nodes.slice(0, chain.nodes.indexOf(node)).filter((one) => one.template === need);
  return before.every((one) => one.state === 'passed' || one.state === 'skipped');
}

function pathsOf(step: DecisionDraft, def: NodeDef): readonly string[] {
  const values = templateValues(step.state);
  return def.writes.map((path) => fill(path, values).text);
}

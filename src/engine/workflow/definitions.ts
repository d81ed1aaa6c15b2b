import type { NodeDef, Workflow } from './definition.js';
import { hasBody, innerNodes } from './node-kinds.js';

type Defining = Pick<Workflow, 'chain' | 'fragments'>;

export function definitions(workflow: Defining): readonly NodeDef[] {
  const inFragments = Object.values(workflow.fragments).flatMap((fragment) => fragment.defs);
  return [...workflow.chain, ...inFragments].flatMap((node) => [node, ...innerNodes(node)]);
}

/** Inner nodes before their loop. */
export function mapDefinitions<W extends Defining>(workflow: W, change: (node: NodeDef) => NodeDef): W {
  const deep = (node: NodeDef): NodeDef =>
    change(hasBody(node) ? { ...node, body: node.body.map(change), stepTypes: node.stepTypes.map(change) } : node);
  const fragments = Object.entries(workflow.fragments).map(([id, fragment]) => [
    id,
    { ...fragment, defs: fragment.defs.map(deep) },
  ]);
  return { ...workflow, chain: workflow.chain.map(deep), fragments: Object.fromEntries(fragments) };
}

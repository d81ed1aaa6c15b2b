// Every node that a workflow defines, wherever it stands: in the chain, in loops, among step types, in fragments.
import type { NodeDef, Workflow } from './definition.js';

type Defining = Pick<Workflow, 'chain' | 'fragments'>;

/** All of them; a node that fragments name again is there once. */
export function definitions(workflow: Defining): readonly NodeDef[] {
  const inFragments = Object.values(workflow.fragments).flatMap((fragment) => fragment.defs);
  return [...workflow.chain, ...inFragments].flatMap((node) => [node, ...node.body, ...node.stepTypes]);
}

/** The same workflow with every node changed. A loop is changed after the nodes that it holds. */
export function mapDefinitions<W extends Defining>(workflow: W, change: (node: NodeDef) => NodeDef): W {
  const deep = (node: NodeDef): NodeDef =>
    change({ ...node, body: node.body.map(change), stepTypes: node.stepTypes.map(change) });
  const fragments = Object.entries(workflow.fragments).map(([id, fragment]) => [
    id,
    { ...fragment, defs: fragment.defs.map(deep) },
  ]);
  return { ...workflow, chain: workflow.chain.map(deep), fragments: Object.fromEntries(fragments) };
}

import type { NodeDef, Workflow } from './definition.js';
import { definitions } from './definitions.js';
import { innerNodes } from './node-kinds.js';
import { insertsOf } from './routes.js';

interface Homes {
  /** Includes inserted nodes. */
  readonly nodes: ReadonlySet<string>;
  readonly fragments: ReadonlySet<string>;
}

export function nodesOfItems(workflow: Workflow): Homes {
  return reachedFrom(workflow, workflow.chain.flatMap(innerNodes));
}

/** Includes the owners of nodes that these fragments repeat. */
export function usedFragments(workflow: Workflow): ReadonlySet<string> {
  const all = workflow.chain.flatMap((node) => [node, ...innerNodes(node)]);
  return reachedFrom(workflow, all).fragments;
}

function reachedFrom(workflow: Workflow, start: readonly NodeDef[]): Homes {
  const byId = new Map(definitions(workflow).map((node) => [node.id, node]));
  const all = Object.values(workflow.fragments);
  const owners = new Map(all.flatMap((one) => one.defs.map((def): [string, string] => [def.id, one.id])));
  const reached = new Set(start);
  const fragments = new Set<string>();
  // Grows during the walk.
  for (const node of reached) {
    const owner = owners.get(node.id);
    if (owner !== undefined) fragments.add(owner);
    for (const { insert } of insertsOf(node)) {
      const added = all.filter((one) => one.id === insert.fragment);
      for (const one of added) fragments.add(one.id);
      const templates = added.flatMap((one) => one.nodes.map((inner) => inner.template));
      // The args of an insert may name nodes.
      for (const id of [...templates, ...insert.args]) {
        const next = byId.get(id);
        if (next) reached.add(next);
      }
    }
  }
  return { nodes: new Set([...reached].map((node) => node.id)), fragments };
}

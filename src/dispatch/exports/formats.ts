// Finds what a node was made from: in the chain, in a loop, or in what may be added to either.
import { definitions, type NodeDef, type Workflow } from '../../engine/index.js';

export function defOf(workflow: Workflow, template: string): NodeDef | null {
  return definitions(workflow).find((def) => def.id === template) ?? null;
}

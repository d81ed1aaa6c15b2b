// Finds what a node was made from: in the chain, in a loop, or in what may be added to either.
import { definitions, type NodeDef, type Workflow } from '../../engine/index.js';

export function defOf(workflow: Workflow, template: string): NodeDef | null {
  return definitions(workflow).find((def) => def.id === template) ?? null;
}

// Moments as the files of other tools write them.
export function iso(at: number): string;

export function iso(at: number | null): string | null;

export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

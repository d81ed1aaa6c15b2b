import { definitions, type NodeDef, type Workflow } from '../../engine/index.js';

export function defOf(workflow: Workflow, template: string): NodeDef | null {
  return definitions(workflow).find((def) => def.id === template) ?? null;
}

export function iso(at: number): string;

export function iso(at: number | null): string | null;

export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

// The kinds of view whose first line is a heading.
import type { View } from '../../store/index.js';

/** Views that ask a person, or show the answer. */
export const askingKinds: ReadonlySet<string> = new Set([
  'review',
  'question',
  'escalation',
  'confirm',
  'choice',
  'permission',
  'budget',
]);

export const headedKinds: ReadonlySet<string> = new Set([...askingKinds, 'progress', 'report']);

/** Has lines that follow a running step, with the chain as a bar. */
export function hasProgress({ kind, settled }: Pick<View, 'kind' | 'settled'>): boolean {
  return kind === 'progress' || settled !== undefined;
}

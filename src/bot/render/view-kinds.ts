import type { View } from '../../store/index.js';

/** Cards that ask, or show the answer. */
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

export function hasProgress({ kind, settled }: Pick<View, 'kind' | 'settled'>): boolean {
  return kind === 'progress' || settled !== undefined;
}

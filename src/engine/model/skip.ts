// Decides whether a later walk runs the node.

export type SkipReason =
  /** A person or edit must restore it. */
  | { readonly type: 'person'; readonly reason: string; readonly by: string }
  | { readonly type: 'edit'; readonly reason: string }
  /** A route jumped over it or ended the chain. */
  | { readonly type: 'routed' }
  | { readonly type: 'finished' }
  /** `when` is evaluated on each walk. */
  | { readonly type: 'condition'; readonly when: string }
  /** A survey or foreign state says that its work is done. */
  | { readonly type: 'inferred'; readonly notes?: string }
  | { readonly type: 'replaced'; readonly fragment: string }
  /** Its decision is made again. */
  | { readonly type: 'decided_anew' };

export function skipText(skip: SkipReason): string {
  switch (skip.type) {
    case 'person':
      return `${skip.reason} (${skip.by})`;
    case 'edit':
      return skip.reason;
    case 'condition':
      return `not where ${skip.when}`;
    case 'replaced':
      return `replaced by ${skip.fragment}`;
    default:
      return fixed[skip.type];
  }
}

const fixed = {
  routed: 'routed',
  finished: 'finished',
  inferred: 'inferred done',
  decided_anew: 'decided anew',
} as const;

export function isWalkedAgain(skip: SkipReason | null): boolean {
  return (
    skip?.type === 'routed' || skip?.type === 'finished' || skip?.type === 'condition' || skip?.type === 'replaced'
  );
}

/** Earlier versions stored plain text. */
export function readSkipReason(stored: SkipReason | string | null): SkipReason | null {
  if (typeof stored !== 'string') return stored;
  for (const type of ['routed', 'finished', 'inferred', 'decided_anew'] as const) {
    if (fixed[type] === stored) return { type };
  }
  const [, when] = /^not where (.+)$/s.exec(stored) ?? [];
  if (when !== undefined) return { type: 'condition', when };
  const [, fragment] = /^replaced by ([\w-]+)$/.exec(stored) ?? [];
  if (fragment !== undefined) return { type: 'replaced', fragment };
  const [, reason, by] = /^(.*) \(([^()]+)\)$/s.exec(stored) ?? [];
  return reason !== undefined && by !== undefined ? { type: 'person', reason, by } : { type: 'edit', reason: stored };
}

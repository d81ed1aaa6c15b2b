// Why a node is skipped. The reason decides whether a later walk of the chain runs it.

export type SkipReason =
  /** By a person or an agent's edit: it stays skipped until one of them restores it. */
  | { readonly type: 'person'; readonly reason: string; readonly by: string }
  | { readonly type: 'edit'; readonly reason: string }
  /** A forward route jumped over it, or a route ended the chain before it. */
  | { readonly type: 'routed' }
  | { readonly type: 'finished' }
  /** Its `when` was false; each walk evaluates it again. */
  | { readonly type: 'condition'; readonly when: string }
  /** The survey, or another orchestrator's state with its notes, says that its work is done. */
  | { readonly type: 'inferred'; readonly notes?: string }
  /** It did not pass, and a fragment's nodes do its work. */
  | { readonly type: 'replaced'; readonly fragment: string }
  /** A decision inserted it, and that decision is made again. */
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

/** Whether a walk that reaches the node again runs it. */
export function isWalkedAgain(skip: SkipReason | null): boolean {
  return (
    skip?.type === 'routed' || skip?.type === 'finished' || skip?.type === 'condition' || skip?.type === 'replaced'
  );
}

/** Parses the plain text that earlier versions stored. */
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

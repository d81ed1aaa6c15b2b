// Hand-offs of the old format: no front matter, only markers in the prose.
import type { StatusWord } from './status-words.js';

const MARKERS: readonly (readonly [RegExp, string])[] = [
  [/\bNEEDS[ _-]CLARIFICATION\b/, 'needs_clarification'],
  [/\bCONSTITUTION[ _-]VIOLATION\b/, 'constitution_violation'],
  [/\bSCOPE[ _-]WARNING\b/, 'scope_warning'],
];

export interface BodyVerdict {
  readonly status: StatusWord;
  readonly reason: string;
}

/** What the markers in a body say; only for a body that has no structured report beside it. */
export function grepBody(body: string): BodyVerdict | null {
  for (const [marker, reason] of MARKERS) {
    if (marker.test(body)) return { status: 'failing', reason };
  }
  return null;
}

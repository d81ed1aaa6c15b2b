// Puts unchanged lines back into single gaps.
import type { Block, Hunk, PatchFile, SameLine } from './patch.js';

/** Named by the first new line behind it. */
export type Gap = number;
export const lastGap: Gap = 0;

export interface ShownHunk extends Hunk {
  /** Unfolded lines at its begin; 0: none. */
  readonly unfolded: number;
}

/** `whole`: the same file with all of its lines; null: not read. */
export function withGaps(
  file: PatchFile,
  whole: PatchFile | null,
  gaps: readonly Gap[],
): { readonly hunks: readonly ShownHunk[]; readonly rest: readonly SameLine[] } {
  const folded = file.hunks.map((hunk) => ({ ...hunk, unfolded: 0 }));
  if (whole === null || gaps.length === 0) return { hunks: folded, rest: [] };
  const same = whole.hunks
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.kind === 'same' ? block.lines : []));
  const between = (from: number, to: number) => same.filter(({ n }) => n >= from && n < to);
  const hunks = folded.map((hunk, index): ShownHunk => {
    if (!gaps.includes(hunk.from)) return hunk;
    const lines = between(folded[index - 1]?.to ?? 1, hunk.from);
    const before: readonly Block[] = lines.length === 0 ? [] : [{ kind: 'same', lines }];
    return { ...hunk, skipped: 0, unfolded: lines.length, blocks: [...before, ...hunk.blocks] };
  });
  const end = folded.at(-1)?.to ?? 1;
  return { hunks, rest: gaps.includes(lastGap) ? between(end, Number.MAX_SAFE_INTEGER) : [] };
}

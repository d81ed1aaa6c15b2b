// Single gaps between the changes of a file, unfolded: the file's unchanged lines are put back where they were left out.
import type { Block, Hunk, PatchFile, SameLine } from './patch.js';

/** A gap is named by the first new line behind it; the one behind the last change has no such line. */
export type Gap = number;
export const lastGap: Gap = 0;

export interface ShownHunk extends Hunk {
  /** The unfolded lines at its begin; 0: its gap is folded, or there is none. */
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

// Reads a patch as `git diff` prints it.

export interface Patch {
  readonly files: readonly PatchFile[];
  readonly isCut: boolean;
}

export interface PatchFile {
  readonly path: string;
  /** Null: no rename. */
  readonly from: string | null;
  readonly kind: 'changed' | 'added' | 'deleted' | 'renamed' | 'binary';
  readonly insertions: number;
  readonly deletions: number;
  readonly hunks: readonly Hunk[];
  /** Unchanged lines may follow. */
  readonly isOpenEnded: boolean;
}

export interface Hunk {
  /** Its first new line, and the one after its last. */
  readonly from: number;
  readonly to: number;
  /** Unchanged lines between the hunk before, or the file's begin, and this one. */
  readonly skipped: number;
  readonly around: string;
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly kind: 'same'; readonly lines: readonly SameLine[] }
  | { readonly kind: 'change'; readonly old: readonly NumberedLine[]; readonly new: readonly NumberedLine[] };

export interface NumberedLine {
  readonly n: number;
  readonly text: string;
}

export interface SameLine extends NumberedLine {
  readonly before: number;
}

interface ReadOptions {
  readonly maxLines: number;
  /** Lines that differ only in white space count as equal. */
  readonly ignoreSpace: boolean;
}

export function readPatch(patch: string, { maxLines, ignoreSpace }: ReadOptions): Patch {
  const lines = patch.split('\n', maxLines + 1);
  const sections: string[][] = [];
  for (const line of lines.slice(0, maxLines)) {
    if (line.startsWith('diff --git ')) sections.push([line]);
    else sections.at(-1)?.push(line);
  }
  return { files: sections.map((section) => readFile(section, ignoreSpace)), isCut: lines.length > maxLines };
}

const range = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

function readFile(section: readonly string[], ignoreSpace: boolean): PatchFile {
  const begin = section.findIndex((line) => line.startsWith('@@'));
  const head = begin === -1 ? section : section.slice(0, begin);
  const raw = begin === -1 ? [] : section.slice(begin);
  const hunks = readHunks(raw).map((hunk) => (ignoreSpace ? withoutSpaceChanges(hunk) : hunk));
  const changes = hunks.flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === 'change' ? [block] : [])));
  const from = textAfter(head, 'rename from ');
  return {
    path: pathOf(head),
    from,
    kind: kindOf(head, from),
    insertions: changes.reduce((sum, block) => sum + block.new.length, 0),
    deletions: changes.reduce((sum, block) => sum + block.old.length, 0),
    hunks: hunks.filter(({ blocks }) => blocks.some(({ kind }) => kind === 'change')),
    isOpenEnded: trailing(hunks) === contextLines,
  };
}

/** Git's own; fewer behind the last means the file's end. */
const contextLines = 3;

function trailing(hunks: readonly Hunk[]): number {
  const last = hunks.at(-1)?.blocks.at(-1);
  return last?.kind === 'same' ? last.lines.length : 0;
}

function pathOf(head: readonly string[]): string {
  const renamed = textAfter(head, 'rename to ');
  if (renamed !== null) return renamed;
  const named = [textAfter(head, '+++ b/'), textAfter(head, '--- a/')].find((one) => one !== null);
  // Binary and empty files have both names in the first line only.
  return named ?? /^diff --git a\/(.*) b\/\1$/.exec(head[0] ?? '')?.[1] ?? (head[0] ?? '').slice('diff --git '.length);
}

function textAfter(head: readonly string[], prefix: string): string | null {
  return head.find((line) => line.startsWith(prefix))?.slice(prefix.length) ?? null;
}

function kindOf(head: readonly string[], from: string | null): PatchFile['kind'] {
  if (head.some((line) => line.startsWith('Binary files ') || line === 'GIT binary patch')) return 'binary';
  if (head.some((line) => line.startsWith('new file mode'))) return 'added';
  if (head.some((line) => line.startsWith('deleted file mode'))) return 'deleted';
  return from === null ? 'changed' : 'renamed';
}

function readHunks(lines: readonly string[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let end = 1;
  for (let at = 0; at < lines.length; ) {
    const next = lines.findIndex((line, index) => index > at && range.test(line));
    const body = lines.slice(at + 1, next === -1 ? lines.length : next);
    const [, old = '1', , now = '1', around = ''] = range.exec(lines[at] ?? '') ?? [];
    const hunk = readHunk(body, { old: Number(old), now: Number(now) });
    const skipped = Math.max(0, Number(now) - end);
    hunks.push({ from: Number(now), to: hunk.end, skipped, around, blocks: hunk.blocks });
    end = hunk.end;
    at = next === -1 ? lines.length : next;
  }
  return hunks;
}

function readHunk(body: readonly string[], begin: { readonly old: number; readonly now: number }) {
  let { old, now } = begin;
  const blocks: ({ kind: 'same'; lines: SameLine[] } | { kind: 'change'; old: NumberedLine[]; new: NumberedLine[] })[] =
    [];
  const change = () => {
    const last = blocks.at(-1);
    if (last?.kind === 'change') return last;
    const made = { kind: 'change' as const, old: [], new: [] };
    blocks.push(made);
    return made;
  };
  for (const line of body) {
    const text = line.slice(1);
    if (line.startsWith('-')) change().old.push({ n: old++, text });
    else if (line.startsWith('+')) change().new.push({ n: now++, text });
    else if (line.startsWith(' ')) {
      const last = blocks.at(-1);
      const same = { before: old++, n: now++, text };
      if (last?.kind === 'same') last.lines.push(same);
      else blocks.push({ kind: 'same', lines: [same] });
    }
  }
  return { blocks, end: now };
}

function withoutSpaceChanges(hunk: Hunk): Hunk {
  const bare = (lines: readonly NumberedLine[]) => lines.map(({ text }) => text.replace(/\s+/g, '')).join('\n');
  return {
    ...hunk,
    blocks: hunk.blocks.map((block): Block => {
      if (block.kind === 'same' || block.old.length !== block.new.length || bare(block.old) !== bare(block.new))
        return block;
      return {
        kind: 'same',
        lines: block.new.map(({ n, text }, index) => ({ n, text, before: block.old[index]?.n ?? n })),
      };
    }),
  };
}

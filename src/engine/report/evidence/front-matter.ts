// Reads scalars, inline lists, block texts, one level of lists and maps. Refuses other lines instead of guessing.

type FrontMatter =
  | { readonly ok: true; readonly front: Fields; readonly body: string }
  | { readonly ok: false; readonly error: string };

export type Fields = Readonly<Record<string, unknown>>;

interface Block {
  readonly line: string;
  readonly below: string[];
}

const maxLines = 2_000;

export function parseFrontMatter(text: string): FrontMatter {
  const whole = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  if (!/^---[ \t]*\n/.test(whole)) return { ok: true, front: {}, body: whole };
  const [, ...lines] = whole.split('\n');
  const end = lines.findIndex((line) => line.trimEnd() === '---');
  if (end < 0) return { ok: false, error: 'its front matter is not closed with ---' };
  if (end > maxLines) return { ok: false, error: `its front matter has more than ${maxLines} lines` };
  const front = readBlocks(lines.slice(0, end));
  if (typeof front === 'string')
    return { ok: false, error: `its front matter has a line that is not understood: ${front}` };
  return { ok: true, front, body: lines.slice(end + 1).join('\n') };
}

function readScalar(written: string): unknown {
  const text = withoutComment(written.trim());
  if (/^\[.*\]$/.test(text)) return cutList(text.slice(1, -1)).map(readPlain);
  return readPlain(text);
}

export function readPair(line: string): readonly [key: string, value: string] | null {
  const text = line.trim();
  const colon = text.search(/:(\s|$)/);
  const key = unquoted(text.slice(0, Math.max(colon, 0)).trim());
  return /^[A-Za-z_][\w .-]{0,63}$/.test(key) ? [key, text.slice(colon + 1).trim()] : null;
}

export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** A string is the unparsed line. */
function readBlocks(lines: readonly string[]): Fields | string {
  const blocks: Block[] = [];
  for (const line of lines) {
    const block = blocks.at(-1);
    const isBelow = indentOf(line) > 0 || isItem(line) || isBlank(line);
    if (!isBelow) blocks.push({ line, below: [] });
    else if (block !== undefined) block.below.push(line);
    else if (!isBlank(line)) return line.trim();
  }
  const front: Record<string, unknown> = {};
  for (const { line, below } of blocks) {
    const pair = readPair(line);
    const value = pair === null ? undefined : readValue(pair[1], below);
    if (pair === null || value === undefined) return line.trim();
    front[pair[0]] = value;
  }
  return front;
}

/** Undefined: not parseable. */
function readValue(written: string, below: readonly string[]): unknown {
  if (/^[|>][+-]?$/.test(written))
    return below
      .map((line) => line.trim())
      .join(written.startsWith('|') ? '\n' : ' ')
      .trim();
  const filled = below.filter((line) => !isBlank(line));
  if (filled.length === 0) return readScalar(written);
  if (withoutComment(written) !== '') return undefined;
  return filled.some(isItem) ? readList(filled) : readMap(filled);
}

function readMap(lines: readonly string[]): Fields | undefined {
  const pairs = lines.map(readPair);
  return pairs.includes(null) ? undefined : fieldsOf(pairs);
}

function readList(lines: readonly string[]): readonly unknown[] | undefined {
  const level = Math.min(...lines.map(indentOf));
  const entries: Block[] = [];
  for (const line of lines) {
    const entry = entries.at(-1);
    if (isItem(line) && indentOf(line) === level) entries.push({ line: line.trim().slice(1).trim(), below: [] });
    else if (entry === undefined) return undefined;
    else entry.below.push(line);
  }
  return entries.map(readEntry);
}

function readEntry({ line, below }: Block): unknown {
  if (readPair(line) === null) return readScalar(line);
  const level = Math.min(...below.map(indentOf));
  const own = below.filter((one) => indentOf(one) === level && !isItem(one));
  return fieldsOf([line, ...own].map(readPair));
}

function fieldsOf(pairs: readonly (readonly [string, string] | null)[]): Fields {
  return Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[0], readScalar(pair[1])]])));
}

function readPlain(written: string): unknown {
  const text = written.trim();
  if (/^(".*"|'.*')$/.test(text)) return unquoted(text);
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (/^(~|null|)$/i.test(text)) return null;
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
}

function cutList(inner: string): readonly string[] {
  return Array.from(inner.matchAll(/\s*"[^"]*"\s*|\s*'[^']*'\s*|[^,]+/g), ([entry]) => entry).filter(
    (entry) => !isBlank(entry),
  );
}

function unquoted(text: string): string {
  return text.replace(/^(["'])(.*)\1$/, '$2');
}

function withoutComment(text: string): string {
  return /^["']/.test(text) ? text : text.replace(/(^|\s)#.*$/, '').trimEnd();
}

function isBlank(line: string): boolean {
  return /^\s*(#.*)?$/.test(line);
}

function isItem(line: string): boolean {
  return /^\s*-(\s|$)/.test(line);
}

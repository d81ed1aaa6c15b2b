// Reads front matter that YAML refuses, line by line.

const words = ['story', 'item', 'step', 'attempt', 'token', 'status', 'reason'] as const;
const texts = ['summary', 'review_digest'] as const;
const lists = ['files_changed', 'questions'] as const;
const counts = ['tests_pass', 'tests_fail', 'tests_skip'] as const;

type Key = (typeof words)[number] | (typeof texts)[number] | (typeof lists)[number] | (typeof counts)[number];

const known: ReadonlySet<string> = new Set([...words, ...texts, ...lists, ...counts]);

interface Block {
  readonly key: Key;
  readonly value: string;
  readonly below: string[];
}

/** Ignores later duplicates. */
export function readLines(lines: readonly string[]): Readonly<Record<string, unknown>> {
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const line of lines) {
    const [, key = '', value = ''] = /^([A-Za-z_]{1,40}):(?:\s+(.*))?$/.exec(line.trimEnd()) ?? [];
    if (isKnown(key)) {
      open = { key, value: value.trim(), below: [] };
      blocks.push(open);
    } else if (/^(\s|-)/.test(line)) {
      open?.below.push(line);
    } else if (line.trim() !== '') {
      open = null;
    }
  }
  const once = blocks.filter(({ key }) => blocks.filter((other) => other.key === key).length === 1);
  return Object.fromEntries(once.map((block) => [block.key, readBlock(block)]));
}

function isKnown(key: string): key is Key {
  return known.has(key);
}

function readBlock({ key, value, below }: Block): unknown {
  if (isOneOf(words, key) || isOneOf(counts, key)) return wordOf(value);
  if (isOneOf(texts, key)) return textOf(value, below);
  const entries = below.flatMap((line) => /^\s*-\s+(.+)$/.exec(line)?.[1] ?? []).map(unquoted);
  return [...inlineList(value, key === 'files_changed'), ...entries];
}

function isOneOf(keys: readonly Key[], key: Key): boolean {
  return keys.includes(key);
}

function wordOf(value: string): string | null {
  const word = unquoted(value.replace(/\s+#.*$/, ''));
  return word === '' || /^[[{&*]/.test(word) ? null : word;
}

function textOf(value: string, below: readonly string[]): string | null {
  if (!/^[|>][+-]?$/.test(value)) return unquoted(value) || null;
  return below.map((line) => line.trim()).join(value.startsWith('|') ? '\n' : ' ');
}

/** Paths have no commas; questions may, and are never split. */
function inlineList(value: string, isCut: boolean): readonly string[] {
  const inner = /^\[(.*)\]$/.exec(value)?.[1] ?? value;
  const quoted = /^(?:\s*(?:"[^"]*"|'[^']*')\s*,?)+$/.test(inner) ? (inner.match(/"[^"]*"|'[^']*'/g) ?? []) : null;
  const entries = quoted ?? (isCut ? inner.split(',') : [inner]);
  return entries.map((one) => unquoted(one.trim())).filter((one) => one !== '' && one !== 'null');
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, '$2');
}

// Applies the code blocks of docs/extending.md to the tree in memory, as a newcomer who follows the page would. A `ts`
// block names its new file in its first line; a `diff` block names the file that it changes.
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface PageChange {
  readonly path: string;
  readonly isNew: boolean;
  readonly text: string;
}

/** The changed files, in the order of the page. A file that the page changes twice is listed twice. */
export function readPageChanges(page = readFileSync(join(root, 'docs/extending.md'), 'utf8')): readonly PageChange[] {
  const changed = new Map<string, string>();
  return [...page.matchAll(/^```(ts|diff)\n(?:\/\/|---) (src\/\S+)\n([\s\S]*?)^```$/gm)].map((block) => {
    const [, language, path = '', body = ''] = block;
    const isNew = language === 'ts';
    const text = isNew ? body : applyDiff(changed.get(path) ?? readFileSync(join(root, path), 'utf8'), path, body);
    changed.set(path, text);
    return { path, isNew, text };
  });
}

function applyDiff(before: string, path: string, diff: string): string {
  return diff.split(/^@@.*\n/m).reduce((text, hunk) => {
    const lines = hunk.split('\n').slice(0, -1);
    const without = (sign: string) => lines.flatMap((line) => (line.startsWith(sign) ? [] : [`${line.slice(1)}\n`]));
    const old = without('+').join('');
    if (old === '' || text.split(old).length !== 2) {
      const count = old === '' ? 'no line' : `these lines, which it has ${text.split(old).length - 1} times`;
      throw new Error(
        `docs/extending.md: a block changes ${path} by quoting ${count}. ` +
          `Quote lines as the file has them now, which must be there once:\n${old}`,
      );
    }
    return text.replace(old, () => without('-').join(''));
  }, before);
}

/**
 * For Vite: loads the changed text in place of the file. Reads the page when a test first imports a file of src, so that a
 * block that no longer applies fails these tests; an error while vitest loads its configuration would stop all others.
 */
export function pageChanges(): Plugin {
  let texts: ReadonlyMap<string, string> | null = null;
  return {
    name: 'page-changes',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!/^[./]/.test(source)) return null;
      const path = resolve(dirname(importer ?? root), source).replace(/\.js$/, '.ts');
      if (!path.startsWith(join(root, 'src/'))) return null;
      texts ??= new Map(readPageChanges().map(({ path, text }) => [join(root, path), text]));
      return texts.has(path) ? path : null;
    },
    load: (id) => texts?.get(id) ?? null,
  };
}

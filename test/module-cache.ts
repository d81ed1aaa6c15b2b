// Where vitest keeps transformed modules between runs, and shares them between projects. A transformed module names the
// files that it imports, so a tree with other names has a cache of its own; a changed file has a new entry.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const keptMs = 24 * 60 * 60 * 1_000;

export const moduleCache = join(root, 'node_modules/.cache/vitest-modules', cacheName(root));

/** Once for each run of the tests: drops what no run used for a day. */
export function setup(): void {
  dropUnused(moduleCache, new Date());
}

export function cacheName(tree: string): string {
  const hash = createHash('sha256').update(readFileSync(join(tree, 'tsconfig.json')));
  for (const folder of ['bench', 'src', 'test']) hash.update(namesIn(join(tree, folder)).join('\n'));
  return hash.digest('hex').slice(0, 16);
}

/** Marks this cache as used, and removes those beside it that were last used more than a day before. */
export function dropUnused(cache: string, now: Date): void {
  mkdirSync(cache, { recursive: true });
  utimesSync(cache, now, now);
  for (const name of readdirSync(dirname(cache))) {
    const path = join(dirname(cache), name);
    const usedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (now.getTime() - usedAt > keptMs) rmSync(path, { recursive: true, force: true });
  }
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.name === 'node_modules') return [];
    return entry.isDirectory() ? namesIn(path) : [path];
  });
}

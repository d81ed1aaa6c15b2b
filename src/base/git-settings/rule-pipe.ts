import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const ruleFiles: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes', '.gitmodules', '.mailmap']);
const maxFolders = 20_000;

/** Git reads rule files in every folder, and would read a pipe forever. Null: no pipe, or the tree is too large. */
export async function findRulePipe(folder: string): Promise<string | null> {
  const open = [folder];
  for (let seen = 0; seen < maxFolders; seen += 1) {
    const next = open.shift();
    if (next === undefined) return null;
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    const pipe = entries.find((entry) => ruleFiles.has(entry.name) && entry.isFIFO());
    if (pipe !== undefined) return join(next, pipe.name);
    open.push(...entries.filter((one) => one.isDirectory() && one.name !== '.git').map(({ name }) => join(next, name)));
  }
  return null;
}

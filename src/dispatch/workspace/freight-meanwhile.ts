// Files beside what git sees that changed on both machines while an attempt was away: attempts side by side add to the
// same ones in the run's shared folder, and people may have been at those in the project's.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFound } from './freight-disk.js';
import type { PackedFile } from './freight-note.js';
import { askGit, gitLine } from './git.js';

export interface Coming {
  readonly base: string;
  /** As they were sent, by path. */
  readonly before: ReadonlyMap<string, PackedFile>;
  readonly files: readonly PackedFile[];
  readonly gone: readonly string[];
}

/** What is added to line by line; half of two records of a program would be none. */
const isOfLines = /\.(md|txt)$/;

/** Paths of those that are here otherwise than they went and otherwise than they come. */
export async function changedHere(top: string, { base, before, files, gone }: Coming): Promise<string[]> {
  const wanted = new Map<string, string | null>(gone.map((path) => [path, null]));
  for (const { path, sha } of files) wanted.set(path, sha);
  const changed: string[] = [];
  for (const [path, sha] of wanted) {
    const here = await readFound(base, path);
    if (here === null) continue;
    const present = await gitLine(top, ['hash-object', '--no-filters', '--stdin'], { input: here });
    if (present !== sha && present !== before.get(path)?.sha) changed.push(path);
  }
  return changed;
}

/** The lines of both, where both wrote; what was removed there and changed here stays. */
export async function withBoth(top: string, coming: Coming): Promise<Coming> {
  const changed = new Set(await changedHere(top, coming));
  const files: PackedFile[] = [];
  for (const file of coming.files) {
    files.push(changed.has(file.path) && isOfLines.test(file.path) ? await joined(top, coming, file) : file);
  }
  return { ...coming, files, gone: coming.gone.filter((path) => !changed.has(path)) };
}

/** What is no text is taken as it comes. */
async function joined(top: string, { base, before }: Coming, file: PackedFile): Promise<PackedFile> {
  const here = await readFound(base, file.path);
  if (here === null) return file;
  const folder = await mkdtemp(join(tmpdir(), 'bosun-join-'));
  try {
    const names = [join(folder, 'here'), join(folder, 'before'), join(folder, 'there')] as const;
    await writeFile(names[0], here);
    await writeFile(names[1], await blob(top, before.get(file.path)?.sha));
    await writeFile(names[2], await blob(top, file.sha));
    const answer = await askGit(top, ['merge-file', '--union', '-p', '-q', ...names]);
    if (answer.exit !== 0) return file;
    const input = Buffer.from(answer.out, 'latin1');
    return { ...file, sha: await gitLine(top, ['hash-object', '-w', '--no-filters', '--stdin'], { input }) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function blob(top: string, sha: string | undefined): Promise<Uint8Array> {
  if (sha === undefined) return new Uint8Array();
  return Buffer.from((await askGit(top, ['cat-file', 'blob', sha])).out, 'latin1');
}

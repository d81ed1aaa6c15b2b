// Stores Bosun's notes on a rebase in the worktree's git folder, so they disappear with the worktree.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BosunError } from '../../base/index.js';
import { readGitNote, writeGitNote } from '../git/git-note.js';

const conflictsSchema = z.strictObject({
  /** The branch being rebased; null if git did not tell. */
  branch: z.string().nullable(),
  /** The unmerged index entries, `mode sha stage TAB path`, one byte per character. */
  entries: z.array(z.string()),
  /** Paths for which git writes no conflict markers, such as binary or deleted files. */
  bare: z.array(z.string()),
});

export type Conflicts = Readonly<z.infer<typeof conflictsSchema>>;

const conflictsName = 'bosun-conflicts';
const headsName = 'bosun-earlier-heads';
const begunName = 'bosun-rebase-begun';
const headsMax = 200;

/** Null if this worktree never had a conflict. */
export async function readConflicts(gitDir: string): Promise<Conflicts | null> {
  const text = await readGitNote(join(gitDir, conflictsName));
  if (text === '') return null;
  try {
    return conflictsSchema.parse(JSON.parse(text));
  } catch (cause) {
    const path = join(gitDir, conflictsName);
    throw new BosunError('git', `Cannot read ${path}: unknown contents`, {
      hint: 'Delete it, then look for conflict markers in the files.',
      cause,
    });
  }
}

export async function noteConflicts(gitDir: string, conflicts: Conflicts): Promise<void> {
  writeGitNote(join(gitDir, conflictsName), JSON.stringify(conflicts));
}

/** Where the branch stood before each rewrite by Bosun, oldest first. */
export async function readEarlierHeads(gitDir: string): Promise<readonly string[]> {
  return (await readGitNote(join(gitDir, headsName))).split('\n').filter((line) => line !== '');
}

export async function noteEarlierHead(gitDir: string, sha: string): Promise<void> {
  const heads = (await readEarlierHeads(gitDir)).filter((one) => one !== sha);
  writeGitNote(join(gitDir, headsName), [...heads, sha].slice(-headsMax).join('\n'));
}

/** While this marker exists git is moving files, and the branch's commits hold all the work. */
export async function noteBegun(gitDir: string): Promise<void> {
  writeGitNote(join(gitDir, begunName), '');
}

export async function clearBegun(gitDir: string): Promise<void> {
  await rm(join(gitDir, begunName), { force: true });
}

export function isBegun(gitDir: string): boolean {
  return existsSync(join(gitDir, begunName));
}

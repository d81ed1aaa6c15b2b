// In the worktree's git folder, so that it disappears with it.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { BosunError } from '../../base/index.js';
import { readGitNote, writeGitNote } from '../git/git-note.js';

const conflictsSchema = z.strictObject({
  branch: z.string().nullable(),
  /** `mode sha stage TAB path`, one byte per character. */
  entries: z.array(z.string()),
  /** Conflicts without markers: binary or deleted. */
  bare: z.array(z.string()),
});

export type Conflicts = Readonly<z.infer<typeof conflictsSchema>>;

const conflictsName = 'bosun-conflicts';
const headsName = 'bosun-earlier-heads';
const begunName = 'bosun-rebase-begun';
const headsMax = 200;

/** Null: never a conflict. */
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

export async function readEarlierHeads(gitDir: string): Promise<readonly string[]> {
  return (await readGitNote(join(gitDir, headsName))).split('\n').filter((line) => line !== '');
}

export async function noteEarlierHead(gitDir: string, sha: string): Promise<void> {
  const heads = (await readEarlierHeads(gitDir)).filter((one) => one !== sha);
  writeGitNote(join(gitDir, headsName), [...heads, sha].slice(-headsMax).join('\n'));
}

/** Git is moving files; the branch's commits hold all work. */
export async function noteBegun(gitDir: string): Promise<void> {
  writeGitNote(join(gitDir, begunName), '');
}

export async function clearBegun(gitDir: string): Promise<void> {
  await rm(join(gitDir, begunName), { force: true });
}

export function isBegun(gitDir: string): boolean {
  return existsSync(join(gitDir, begunName));
}

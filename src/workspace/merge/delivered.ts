// Idempotent merges: a retry finds the earlier one by its trailer, or by a note if nothing was committed.
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiffStat } from '../../engine/index.js';
import { diffStat } from '../checkpoint/diff.js';
import type { Checkout } from '../git/checkout.js';
import { git, toText } from '../git/git.js';
import { readGitNote, writeGitNote } from '../git/git-note.js';

export interface Delivered {
  /** Null: no changes. */
  readonly commit: string | null;
  readonly stat: DiffStat | null;
}

const commitsMax = 1_000;
const notesMax = 500;
const noteName = 'bosun-merged-empty';

export async function findDelivered(checkout: Checkout, trailer: string): Promise<Delivered | null> {
  const { root } = checkout;
  const args = ['log', `--max-count=${commitsMax}`, '--first-parent', '-z', '--format=%H %P%n%B', 'HEAD', '--'];
  for (const record of toText(await git(root, args)).split('\0')) {
    const [ids = '', ...message] = record.split('\n');
    if (!message.includes(trailer)) continue;
    const [sha = '', parent] = ids.split(' ');
    return { commit: sha, stat: parent ? await diffStat(root, parent, sha) : null };
  }
  return (await readEmpty(await findNote(checkout))).includes(trailer) ? { commit: null, stat: null } : null;
}

export async function noteEmptyMerge(checkout: Checkout, trailer: string): Promise<void> {
  const path = await findNote(checkout);
  const lines = [...(await readEmpty(path)), trailer].slice(-notesMax);
  writeGitNote(path, `${lines.join('\n')}\n`);
}

async function findNote({ commonDir }: Checkout): Promise<string> {
  return join(await realpath(commonDir), noteName);
}

async function readEmpty(path: string): Promise<readonly string[]> {
  return (await readGitNote(path)).split('\n').filter((line) => line !== '');
}

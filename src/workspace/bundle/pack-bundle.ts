// The person's index, refs, stash and files stay untouched.
import { BosunError } from '../../base/index.js';
import { putEntries, type ScratchIndex, withScratchIndex, writeTree } from '../changes/scratch-index.js';
import { type Checkpoint, checkpoint } from '../checkpoint/checkpoint.js';
import { findCheckout, unfinishedIn } from '../git/checkout.js';
import { gitLine, toBytes } from '../git/git.js';
import { type BundlePlace, type Loaded, loadFiles } from './bundle-files.js';
import type { BundleNote, PackedFile } from './bundle-note.js';

export interface PackedCheckout {
  readonly commit: string;
  readonly checkpoint: Checkpoint;
  readonly leftOut: readonly string[];
}

/** Deterministic: the same state gives the same commit. */
export async function packBundle(place: BundlePlace): Promise<PackedCheckout> {
  const checkout = await findCheckout(place.folder);
  const begun = unfinishedIn(checkout.gitDir);
  if (begun !== null) {
    throw new BosunError('git', `${begun.what} is unfinished in ${place.folder}, so it cannot be sent to a worker`, {
      hint: begun.way,
    });
  }
  const point = await checkpoint(place.folder);
  return withScratchIndex(checkout, async (scratch) => {
    const loaded = await loadFiles(scratch, place, point.tree);
    const note = { version: 1, branch: point.branch, isWhole: loaded.isWhole } as const;
    const tree = await writePacked(scratch, point.tree, loaded, note);
    return { commit: await writeCommit(checkout.top, tree, point.head), checkpoint: point, leftOut: loaded.leftOut };
  });
}

async function writePacked(scratch: ScratchIndex, work: string, loaded: Loaded, note: BundleNote): Promise<string> {
  const { top } = scratch.checkout;
  const input = Buffer.from(`${JSON.stringify(note)}\n`);
  const noted = await gitLine(top, ['hash-object', '-w', '--no-filters', '--stdin'], { input });
  const folders = [
    { name: 'own', sha: await writeFolder(scratch, 'own', loaded.own) },
    { name: 'shared', sha: await writeFolder(scratch, 'shared', loaded.shared) },
    { name: 'work', sha: work },
  ].map(({ name, sha }) => `040000 tree ${sha}\t${name}`);
  return gitLine(top, ['mktree', '-z'], { input: toBytes([...folders, `100644 blob ${noted}\tnote.json`]) });
}

async function writeFolder(scratch: ScratchIndex, name: string, files: readonly PackedFile[]): Promise<string> {
  const env = { GIT_INDEX_FILE: `${scratch.folder}/index-of-${name}` };
  const own: ScratchIndex = { ...scratch, options: { ...scratch.options, env } };
  await putEntries(
    own,
    files.map(({ path, isExecutable, sha }) => ({ mode: isExecutable ? '100755' : '100644', sha, path })),
  );
  return writeTree(own);
}

async function writeCommit(top: string, tree: string, parent: string): Promise<string> {
  const date = `${await gitLine(top, ['show', '--no-patch', '--no-show-signature', '--format=%ct', parent, '--'])} +0000`;
  const [name, email] = ['Bosun', 'bosun@localhost'];
  const env = {
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date },
  };
  return gitLine(top, ['commit-tree', tree, '-p', parent, '-m', 'bosun: a packed checkout'], { env });
}

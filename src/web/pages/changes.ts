// What an attempt changed: between the checkpoint before it and the one before the next, or until now for the last one.
import { existsSync } from 'node:fs';
import { type AttemptRow, BosunError, type ProjectConfig, type Spine, type Store } from '../../dispatch/index.js';
import { checkpointSchema, type Diff, diffCommits, diffSince } from '../../dispatch/workspace/index.js';

export type Changes =
  | { readonly kind: 'patch'; readonly patch: string; readonly untilNow: boolean }
  | { readonly kind: 'none'; readonly why: string };

const patchMaxBytes = 256 * 1024;
const laterAttempts = 400;

export async function changesOf(store: Store, spine: Spine, project: ProjectConfig, row: AttemptRow): Promise<Changes> {
  if (row.checkpoint === null) return { kind: 'none', why: 'No checkpoint was taken before it.' };
  try {
    const diff = await diffOf(store, spine, project, row);
    if (diff.diff === null) return { kind: 'none', why: 'The repository no longer holds what was there before it.' };
    return { kind: 'patch', patch: await diff.diff.patch(patchMaxBytes), untilNow: diff.untilNow };
  } catch (error) {
    if (error instanceof BosunError) return { kind: 'none', why: error.message };
    throw error;
  }
}

interface Found {
  readonly diff: Diff | null;
  readonly untilNow: boolean;
}

async function diffOf(store: Store, spine: Spine, { root }: ProjectConfig, row: AttemptRow): Promise<Found> {
  const before = checkpointSchema.parse(JSON.parse(row.checkpoint ?? ''));
  const next = nextIn(store, row);
  const home = folderOf(spine, row, root);
  if (next === null) return { diff: await diffSince(home, before), untilNow: true };
  const after = checkpointSchema.parse(JSON.parse(next));
  return { diff: await diffCommits(root, after.tree, before.tree), untilNow: false };
}

/** The checkpoint of the attempt that came after it in the same checkout. */
function nextIn(store: Store, row: AttemptRow): string | null {
  const later = store.browsing
    .newestAttempts(row.run, laterAttempts)
    .filter(
      ({ attempt, chain, checkpoint }) => chain === row.chain && checkpoint !== null && attempt.id !== row.attempt.id,
    )
    .filter(({ attempt }) => attempt.dispatchedAt >= row.attempt.dispatchedAt);
  return later.at(-1)?.checkpoint ?? null;
}

function folderOf({ run, items }: Spine, { chain }: AttemptRow, root: string): string {
  const own = items.find(({ key, slot }) => key === chain && slot !== null)?.values['folder'];
  return [own, run.branch?.folder].find((folder) => folder != null && existsSync(folder)) ?? root;
}

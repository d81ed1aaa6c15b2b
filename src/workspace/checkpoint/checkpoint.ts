// A checkpoint is the whole working state at one moment, kept as a git tree: nothing refers to it, so git's own
// housekeeping keeps it for two weeks (gc.pruneExpire) and then may drop it. Ignored files are not in it, nor large ones.
import { z } from 'zod';
import { glance } from '../changes/quick-status.js';
import { snapshot, withScratchIndex, writeStaged } from '../changes/scratch-index.js';
import { openHead } from '../git/checkout.js';
import { excludeOwnFilesOf } from '../git/own-files.js';

const sha = z.string().regex(/^[0-9a-f]{40,64}$/);

/** Stored whole, as JSON. */
export const checkpointSchema = z.strictObject({
  head: sha,
  /** null: no branch was checked out. */
  branch: z.string().max(1_000).nullable(),
  /** Tracked and untracked files. */
  tree: sha,
  /** What was staged; null when it could not be told, because files were unmerged. */
  staged: sha.nullable(),
  /** Files that are too large to be kept in the tree, as they were then. */
  leftOut: z
    .array(z.strictObject({ path: z.string().max(10_000), bytes: z.number(), mtimeMs: z.number() }))
    .max(1_000)
    .optional(),
  /** A hash for each file that says how the project's work is judged, which git may not see; left out: not noted. */
  rules: z.record(z.string().max(4_096), z.string().max(200)).exactOptional(),
  /** What the files that gates judge looked like; left out where no gate judges any. */
  evidence: z.record(z.string().max(4_096), z.string().max(200)).exactOptional(),
});

export type Checkpoint = Readonly<z.infer<typeof checkpointSchema>>;

/** Costs what has changed since the last commit, and touches neither index nor refs nor stash. */
export async function checkpoint(root: string): Promise<Checkpoint> {
  const { checkout, head } = await openHead(root);
  await excludeOwnFilesOf(checkout);
  const at = { head: head.sha, branch: head.branch };
  return withScratchIndex(checkout, async (scratch) => {
    const found = await glance(scratch, head.sha);
    const { isClean, isUnstaged, large } = found;
    if (isClean) return { ...at, tree: head.tree, staged: head.tree };
    const staged = isUnstaged ? head.tree : await writeStaged(scratch);
    const tree = await snapshot(scratch, head.sha, found);
    return { ...at, tree, staged, ...(large.length === 0 ? {} : { leftOut: [...large] }) };
  });
}

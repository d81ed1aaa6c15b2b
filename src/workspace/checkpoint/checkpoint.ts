// Working state as a git tree, without ignored or large files. No ref holds it: gc may drop it after two weeks.
import { z } from 'zod';
import { withScan } from '../changes/open-and-scan.js';
import { snapshot, writeStaged } from '../changes/scratch-index.js';
import { openHead } from '../git/checkout.js';

const sha = z.string().regex(/^[0-9a-f]{40,64}$/);

export const checkpointSchema = z.strictObject({
  head: sha,
  /** Null: detached HEAD. */
  branch: z.string().max(1_000).nullable(),
  tree: sha,
  /** Null while files were unmerged. */
  staged: sha.nullable(),
  /** Large files are compared by size and time. */
  leftOut: z
    .array(z.strictObject({ path: z.string().max(10_000), bytes: z.number(), mtimeMs: z.number() }))
    .max(1_000)
    .optional(),
  /** Hashes of the files that judge work; absent: not recorded. */
  rules: z.record(z.string().max(4_096), z.string().max(200)).exactOptional(),
  /** Of the files that gates judge. */
  evidence: z.record(z.string().max(4_096), z.string().max(200)).exactOptional(),
});

export type Checkpoint = Readonly<z.infer<typeof checkpointSchema>>;

/** Touches no index, ref or stash. Cost grows with changes since the last commit. */
export async function checkpoint(root: string): Promise<Checkpoint> {
  const open = () => openHead(root);
  return withScan(root, open, async ({ head }, scratch, found) => {
    const at = { head: head.sha, branch: head.branch };
    const { isClean, isUnstaged, large } = found;
    if (isClean) return { ...at, tree: head.tree, staged: head.tree };
    const staged = isUnstaged ? head.tree : await writeStaged(scratch);
    const tree = await snapshot(scratch, head.sha, found);
    return { ...at, tree, staged, ...(large.length === 0 ? {} : { leftOut: [...large] }) };
  });
}

// Moves the branch of the main checkout on to a commit, with its files and what is staged.
import { type Checkout, type Head, readHead } from './checkout.js';
import { git } from './git.js';
import { moveCheckout } from './move-checkout.js';
import { type Blocked, unattended } from './unattended.js';

/** null: done. `stale`: the branch has moved meanwhile, and nothing was done. */
export async function advanceBase(checkout: Checkout, head: Head, to: string): Promise<Blocked | 'stale' | null> {
  const args = ['update-ref', '-m', 'bosun: merge', `refs/heads/${head.branch}`, to, head.sha];
  const moved = await moveCheckout(checkout, head.sha, to, () => git(checkout.top, args, { config: unattended }));
  if (moved.kind === 'moved') return null;
  if (moved.kind === 'blocked') return moved;
  if ((await readHead(checkout)).sha !== head.sha) return 'stale';
  throw moved.cause;
}

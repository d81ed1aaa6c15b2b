import { moveCheckout } from '../checkpoint/move-checkout.js';
import { type Checkout, type Head, readHead } from '../git/checkout.js';
import { git } from '../git/git.js';
import { type Blocked, unattended } from '../git/unattended.js';

/** Null: done. `stale`: the branch moved (race), nothing was done. */
export async function advanceBase(checkout: Checkout, head: Head, to: string): Promise<Blocked | 'stale' | null> {
  const args = ['update-ref', '-m', 'bosun: merge', `refs/heads/${head.branch}`, to, head.sha];
  const moved = await moveCheckout(checkout, head.sha, to, () => git(checkout.top, args, { config: unattended }));
  if (moved.kind === 'moved') return null;
  if (moved.kind === 'blocked') return moved;
  if ((await readHead(checkout)).sha !== head.sha) return 'stale';
  throw moved.cause;
}

import type { WorkspaceOp, WorkspaceResult } from '../../engine/index.js';
import {
  type Checkout,
  commitAll,
  diffStat,
  dirtySubmodules,
  findCheckout,
  lastCommit,
  readBranch,
} from '../../workspace/index.js';
import { homeOf } from './checkout-places.js';
import { done } from './operation-result.js';
import { type CheckoutSite, coAuthorsOf, originOf } from './run-branch-operations.js';

type Done = Extract<WorkspaceResult, { ok: true }>;

/** Names the branch, because an agent may have switched. */
export async function deliverHome(
  site: CheckoutSite,
  op: Extract<WorkspaceOp, { kind: 'deliver' }>,
): Promise<WorkspaceResult> {
  const home = homeOf(site);
  const id = `${op.id}-${originOf(site.run.id, site.store)}`;
  const result = await deliver(home, { id, message: op.message, coAuthors: coAuthorsOf(site, op.agents) });
  if (!result.ok) return result;
  const onBranch = result.delivered === undefined ? await readBranch(home) : result.delivered.branch;
  return onBranch === null ? result : { ...result, onBranch };
}

interface ToDeliver {
  readonly id: string;
  readonly message: string;
  readonly coAuthors: readonly string[];
}

/** Idempotent: a retry finds the commit by its trailer. */
async function deliver(root: string, { id, message, coAuthors }: ToDeliver): Promise<WorkspaceResult> {
  const trailer = `Bosun: ${id}`;
  const made = await deliveredAs(root, trailer);
  if (made) return made;
  try {
    const result = await commitAll(root, `${message}\n\n${[...coAuthors, trailer].join('\n')}\n`);
    const note = await submoduleNote(await findCheckout(root));
    // Race: the first try's git may have committed meanwhile.
    if (result.kind === 'nothing') return (await deliveredAs(root, trailer)) ?? { ...done, note };
    return { ...done, note, diffStat: result.stat, ...(await committed(root, result.sha)) };
  } catch (error) {
    // Race: the first try's git may have outlived its Bosun.
    const late = await deliveredAs(root, trailer);
    if (late) return late;
    throw error;
  }
}

async function deliveredAs(root: string, trailer: string): Promise<WorkspaceResult | null> {
  const last = await lastCommit(root);
  if (!last?.message.split('\n').includes(trailer)) return null;
  const stat = last.parent === null ? null : await diffStat(root, last.parent, last.sha);
  return { ...done, diffStat: stat, ...(await committed(root, last.sha)) };
}

async function committed(root: string, commit: string): Promise<Pick<Done, 'commit' | 'delivered'>> {
  return { commit, delivered: { from: `${commit}~1`, to: commit, branch: await readBranch(root) } };
}

export async function submoduleNote(checkout: Checkout): Promise<string | null> {
  const dirty = await dirtySubmodules(checkout);
  if (dirty.length === 0) return null;
  const named = dirty.slice(0, 10).join(', ');
  return `Changes in submodules (${named}) are not part of this project's commits and stay as they are.`;
}

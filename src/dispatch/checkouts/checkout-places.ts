import { existsSync } from 'node:fs';
import { BosunError } from '../../base/index.js';
import { definitions, hasBody, type Item, type WorkspaceOp, type WorkspaceResult } from '../../engine/index.js';
import type { Spine } from '../../store/index.js';
import { readBranch } from '../../workspace/index.js';
import type { WorktreePlace } from './item-worktree-operations.js';
import { blocked } from './operation-result.js';
import { type CheckoutSite, fittingOf, runOf } from './run-branch-operations.js';
import { runWorktreeOf, worktreeOf } from './worktree-paths.js';

/** Throws if the worktree is gone: the person's checkout is never a fallback. */
export function homeOf(site: CheckoutSite): string {
  const branch = runOf(site)?.branch ?? null;
  const folder = branch?.folder ?? null;
  if (branch === null || folder === null) return site.root;
  if (existsSync(folder)) return folder;
  const again = [site.root, 'worktree', 'add', '-f', runWorktreeOf(site.worktrees, site.run), branch.name];
  throw new BosunError('git', `The checkout of ${site.run.id} no longer exists: ${folder}`, {
    hint: `Its commits are on ${branch.name}. To continue from there: git -C ${again.join(' ')}`,
  });
}

/** Only for removing worktrees, which any checkout of the repository can do. */
function nearestHome(site: CheckoutSite): string {
  const folder = runOf(site)?.branch?.folder ?? null;
  return folder !== null && existsSync(folder) ? folder : site.root;
}

/** Blocks on another branch, where the run must not commit. */
export async function elsewhere(site: CheckoutSite): Promise<WorkspaceResult | null> {
  const branch = runOf(site)?.branch ?? null;
  if (branch === null) return null;
  const home = homeOf(site);
  const present = await readBranch(home);
  if (present === branch.name) return null;
  const what = `${present ?? 'No branch'} is checked out in ${home}, and ${site.run.id} works on ${branch.name}`;
  return blocked(`${what}\nCheck it out again: git switch ${branch.name}`);
}

export function placeOf(
  site: CheckoutSite,
  chain: string,
  work: WorkspaceOp['kind'],
): Omit<WorktreePlace, 'origin' | 'coAuthors'> {
  const { worktrees, run, store } = site;
  const root = work === 'drop' ? nearestHome(site) : homeOf(site);
  const shared = { root: site.root, settings: fittingOf(site) };
  const spine = store.spine(run.id);
  const item = spine?.items.find((one) => one.key === chain);
  if (item && item.slot === null && isIsolated(spine, item)) {
    throw new BosunError('git', `The worktree of ${chain} no longer exists`, {
      hint: `Retry ${chain} first; that creates it again.`,
    });
  }
  if (!item || item.slot === null) return { root, path: root, folder: root, run: run.id, branch: null, shared };
  const path = worktreeOf(worktrees, run, item.slot);
  const { folder = path, branch = null } = item.values;
  return { root, path, folder, run: run.id, branch, shared };
}

/** An isolated item never falls back to the main checkout. */
function isIsolated(spine: Spine | null, item: Item): boolean {
  const defs = spine ? definitions(spine.workflow) : [];
  return defs.some((def) => def.id === item.template && hasBody(def) && def.isolate === 'worktree');
}

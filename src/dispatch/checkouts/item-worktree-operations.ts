import type { ProjectConfig } from '../../config/index.js';
import { unreachable, type WorkspaceOp, type WorkspaceResult } from '../../engine/index.js';
import { prepareWorktree } from '../../worker/index.js';
import { dropWorktree, findWorktree, hasBranch, mergeWorktree, openWorktree } from '../../workspace/index.js';
import { blocked, done, told } from './operation-result.js';

type WorktreeOp = Extract<WorkspaceOp, { kind: 'open' | 'merge' | 'drop' }>;

export interface WorktreePlace {
  readonly root: string;
  readonly path: string;
  readonly folder: string;
  readonly run: string;
  readonly branch: string | null;
  readonly origin: string;
  readonly coAuthors: readonly string[];
  readonly shared: { readonly root: string; readonly settings: ProjectConfig['worktree'] };
}

export async function workOnWorktree(place: WorktreePlace, op: WorktreeOp): Promise<WorkspaceResult> {
  const { root, path, origin } = place;
  const wanted = { root, path, branch: place.branch ?? (await branchFor(place, op.chain)) };
  switch (op.kind) {
    case 'open':
      return open(wanted, place);
    case 'merge':
      return merge(
        { ...wanted, message: op.message, trailer: `Bosun: ${origin}`, coAuthors: place.coAuthors },
        op.chain,
      );
    case 'drop':
      return drop(wanted);
    default:
      return unreachable(op);
  }
}

/** Adds the run's id if an earlier run left the name; one checked out here is from our own try before a crash. */
async function branchFor({ root, path, run }: WorktreePlace, item: string): Promise<string> {
  const here = (await findWorktree(root, path))?.branch;
  const plain = `ralph/${item}`;
  return here ?? ((await hasBranch(root, plain)) ? `${plain}-${run}` : plain);
}

type Wanted = Parameters<typeof openWorktree>[0];

async function open(wanted: Wanted, { shared }: WorktreePlace): Promise<WorkspaceResult> {
  const result = await openWorktree(wanted);
  if (result.kind !== 'opened') return told(result);
  const fit = await prepareWorktree({ ...shared, folder: result.root, name: result.branch });
  if (fit.kind === 'failed') return blocked(fit.why);
  const notes = [result.note, fit.note].filter((one) => one !== null);
  return {
    ...done,
    note: notes.length === 0 ? null : notes.join('\n'),
    worktree: { folder: result.root, branch: result.branch },
  };
}

async function merge(wanted: Parameters<typeof mergeWorktree>[0], item: string): Promise<WorkspaceResult> {
  const result = await mergeWorktree(wanted);
  if (result.kind === 'merged') {
    const { note, commit, stat } = result;
    const delivered = commit === null ? {} : { delivered: { from: `${commit}~1`, to: commit, branch: null } };
    return { ...done, note, commit, diffStat: stat, ...delivered };
  }
  if (result.kind === 'blocked') return told(result);
  return { ok: false, code: 'conflict', message: `${item} does not apply to the base`, files: result.files };
}

/** Keeps an unfinished story's branch if it has commits. */
async function drop(wanted: Wanted): Promise<WorkspaceResult> {
  const result = await dropWorktree({ ...wanted, keepBranch: false });
  if (result.kind === 'blocked') return told(result);
  return { ...done, note: result.branch === 'kept' ? `Unfinished work stays on the branch ${wanted.branch}.` : null };
}

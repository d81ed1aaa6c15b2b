// A live run's diff includes uncommitted changes; an ended run's is fixed.
import { existsSync } from 'node:fs';
import { BosunError } from '../../base/index.js';
import { isRunOver, type Run, type WorkRange } from '../../engine/index.js';
import type { HomeReader } from '../../store/index.js';
import {
  type Checkpoint,
  checkpointSchema,
  type Diff,
  diffCommits,
  diffFrom,
  diffSince,
  findForkOf,
  readBranch,
  readBranchNote,
} from '../../workspace/index.js';
import { branchKeyOf } from './run-branch-operations.js';

export async function diffOfRun(store: HomeReader, run: Run, key: string | null, root: string): Promise<Diff> {
  const home = run.branch?.folder && existsSync(run.branch.folder) ? run.branch.folder : root;
  const own = fixedRange(store, run, key);
  // Null: git lost the trees, as after a rewrite.
  const fixed = own && (await diffCommits(home, own.to, own.from));
  if (fixed) return fixed;
  const special = key === null ? await diffOfBranch(store, run, home) : await diffOfStory(store, run, key, home);
  return special ?? diffSince(home, firstCheckpoint(store, run, key));
}

/** Null: git no longer has it. */
export function diffOfRange(
  { branch }: Pick<Run, 'branch'>,
  root: string,
  { from, to }: WorkRange,
): Promise<Diff | null> {
  return diffCommits(branch?.folder && existsSync(branch.folder) ? branch.folder : root, to, from);
}

/** A later run may use the checkout, so present files prove nothing. */
function fixedRange(store: HomeReader, run: Run, key: string | null): WorkRange | null {
  if (key === null) return isRunOver(run.status) ? (run.work ?? null) : null;
  const item = store.spine(run.id)?.items.find((one) => one.key === key);
  return item?.status === 'done' ? (item.work ?? null) : null;
}

/** From its worktree, else its merge commit. */
async function diffOfStory(store: HomeReader, { id }: Run, key: string, home: string): Promise<Diff | null> {
  const { slot = null, values = {} } = store.spine(id)?.items.find((one) => one.key === key) ?? {};
  const { folder, branch } = values;
  if (slot !== null && folder !== undefined && branch !== undefined && existsSync(folder)) {
    const base = (await readBranch(home)) ?? 'HEAD';
    const fork = await findForkOf(home, { name: branch, base });
    return fork.kind === 'fork' && fork.from !== null ? diffFrom(folder, fork.from) : null;
  }
  const merged = store.records(id, key).findLast(({ record }) => record.action === 'story_merged');
  const commit = merged?.record.details['commit'];
  return typeof commit === 'string' ? diffCommits(home, commit) : null;
}

/** Null: no branch, or checked out now. */
async function diffOfBranch(store: HomeReader, { id, branch }: Run, home: string): Promise<Diff | null> {
  if (branch === null || (await readBranch(home)) === branch.name) return null;
  const fork = await findForkOf(home, branch);
  if (fork.kind === 'fork') return fork.from === null ? null : diffCommits(home, fork.tip, fork.from);
  const landed = (await readBranchNote(home, branchKeyOf(id, store)))?.landed;
  return landed === undefined ? null : diffCommits(home, landed.to, landed.from);
}

function firstCheckpoint(store: HomeReader, run: Run, key: string | null): Checkpoint {
  const [first] = store
    .nodes(run.id)
    .filter((node) => key === null || node.chain === key)
    .flatMap((node) => store.attempts(run.id, node.id))
    .flatMap(({ attempt, checkpoint }) => (checkpoint === null ? [] : [{ at: attempt.dispatchedAt, checkpoint }]))
    .sort((a, b) => a.at - b.at);
  if (first !== undefined) return checkpointSchema.parse(JSON.parse(first.checkpoint));
  throw new BosunError('not_found', `${key ?? run.id} has no checkpoint`, {
    hint: 'No agent has started there yet.',
  });
}

export function itemMeant(store: HomeReader, run: Run, said: string): string {
  const keys = store.spine(run.id)?.items.map(({ key }) => key) ?? [];
  const found = keys.find((key) => key.toLowerCase() === said.toLowerCase());
  if (found !== undefined) return found;
  throw new BosunError('not_found', `${run.id} has no item "${said}"`, {
    hint: `Its items: ${keys.join(', ') || 'none'}.`,
  });
}

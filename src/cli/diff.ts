// `bosun diff`: what has changed in the project since a run, or one of its items, began.
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { BosunError, branchKeyOf, type Store } from '../dispatch/index.js';
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
} from '../dispatch/workspace/index.js';
import type { Run } from '../engine/index.js';
import type { Cli } from './cli.js';
import type { ExitCode } from './failure.js';
import { projectMeant, withRun } from './open-store.js';

const patchMaxBytes = 20 * 1024 * 1024;

export function registerDiff(program: Command, cli: Cli): void {
  program
    .command('diff')
    .argument('<run>')
    .argument('[item]', 'a story, such as US-001')
    .description('what has changed since the run began, or the item: committed or not')
    .option('--json', 'one JSON document: stat, files and patch')
    .action(
      cli.act((said: string, item: string | undefined, { json }: { readonly json?: true }) =>
        withRun(cli, said, async (store, run): Promise<ExitCode> => {
          const { root } = projectMeant(cli.config, run.project);
          const key = item === undefined ? null : itemMeant(store, run, item);
          const diff = await diffMeant(store, run, key, root);
          const patch = await diff.patch(patchMaxBytes);
          if (json) cli.printJson({ stat: diff.stat, files: diff.files, patch });
          else if (patch === '') cli.print('Nothing has changed.');
          else cli.printRaw(patch);
          return 0;
        }),
      ),
    );
}

/** Where the work was done, or what became of it. */
async function diffMeant(store: Store, run: Run, key: string | null, root: string): Promise<Diff> {
  const home = run.branch?.folder && existsSync(run.branch.folder) ? run.branch.folder : root;
  const special = key === null ? await diffOfBranch(store, run, home) : await diffOfStory(store, run, key, home);
  return special ?? diffSince(home, firstCheckpoint(store, run, key));
}

/** Of a story in a worktree of its own, while it is there, and after it was merged; null: it has none. */
async function diffOfStory(store: Store, { id }: Run, key: string, home: string): Promise<Diff | null> {
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

/** What is on the run's branch, where another one is checked out by now; null: it has none, or stands on it. */
async function diffOfBranch(store: Store, { id, branch }: Run, home: string): Promise<Diff | null> {
  if (branch === null || (await readBranch(home)) === branch.name) return null;
  const fork = await findForkOf(home, branch);
  if (fork.kind === 'fork') return fork.from === null ? null : diffCommits(home, fork.tip, fork.from);
  // It went onto its base and is gone.
  const landed = (await readBranchNote(home, branchKeyOf(id, store)))?.landed;
  return landed === undefined ? null : diffCommits(home, landed.to, landed.from);
}

function firstCheckpoint(store: Store, run: Run, key: string | null): Checkpoint {
  const [first] = store
    .nodes(run.id)
    .filter((node) => key === null || node.chain === key)
    .flatMap((node) => store.attempts(run.id, node.id))
    .flatMap(({ attempt, checkpoint }) => (checkpoint === null ? [] : [{ at: attempt.dispatchedAt, checkpoint }]))
    .sort((a, b) => a.at - b.at);
  if (first !== undefined) return checkpointSchema.parse(JSON.parse(first.checkpoint));
  throw new BosunError('not_found', `${key ?? run.id} has no checkpoint`, {
    hint: 'No agent has begun to work there yet.',
  });
}

export function itemMeant(store: Store, run: Run, said: string): string {
  const keys = store.spine(run.id)?.items.map(({ key }) => key) ?? [];
  const found = keys.find((key) => key.toLowerCase() === said.toLowerCase());
  if (found !== undefined) return found;
  throw new BosunError('not_found', `No item "${said}" in ${run.id}`, {
    hint: `There are: ${keys.join(', ') || 'none'}.`,
  });
}

// `bosun diff`: what has changed in the project since a run, or one of its items, began.
import type { Command } from 'commander';
import { BosunError, type Store } from '../dispatch/index.js';
import { type Checkpoint, checkpointSchema, diffSince } from '../dispatch/workspace/index.js';
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
          const since = firstCheckpoint(store, run, item);
          const { root } = projectMeant(cli.config, run.project);
          const diff = await diffSince(root, since);
          const patch = await diff.patch(patchMaxBytes);
          if (json) cli.printJson({ stat: diff.stat, files: diff.files, patch });
          else if (patch === '') cli.print('Nothing has changed.');
          else cli.printRaw(patch);
          return 0;
        }),
      ),
    );
}

function firstCheckpoint(store: Store, run: Run, item: string | undefined): Checkpoint {
  const key = item === undefined ? null : itemMeant(store, run, item);
  const [first] = store
    .nodes(run.id)
    .filter((node) => key === null || node.chain === key)
    .flatMap((node) => store.attempts(run.id, node.id))
    .flatMap(({ attempt, checkpoint }) => (checkpoint === null ? [] : [{ at: attempt.dispatchedAt, checkpoint }]))
    .sort((a, b) => a.at - b.at);
  if (first !== undefined) return checkpointSchema.parse(JSON.parse(first.checkpoint));
  throw new BosunError('not_found', `${item ?? run.id} has no checkpoint`, {
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

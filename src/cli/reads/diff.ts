import type { Command } from 'commander';
import { diffOfRun, itemMeant } from '../../dispatch/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { projectMeant, withRun } from '../open-store.js';

const patchMaxBytes = 20 * 1024 * 1024;

export function registerDiff(program: Command, cli: CommandContext): void {
  program
    .command('diff')
    .argument('<run>')
    .argument('[item]', 'a story, such as US-001')
    .description('show the changes since the run or story began, committed or not; its own commits once it is over')
    .option('--json', 'one JSON document: stat, files and patch')
    .action(
      cli.act((said: string, item: string | undefined, { json }: { readonly json?: true }) =>
        withRun(cli, said, async (store, run): Promise<ExitCode> => {
          const { root } = projectMeant(cli.config, run.project);
          const key = item === undefined ? null : itemMeant(store, run, item);
          const diff = await diffOfRun(store, run, key, root);
          const patch = await diff.patch(patchMaxBytes);
          if (json) cli.printJson({ stat: diff.stat, files: diff.files, patch });
          else if (patch === '') cli.print('Nothing has changed.');
          else cli.printRaw(patch);
          return 0;
        }),
      ),
    );
}

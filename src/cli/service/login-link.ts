import type { Command } from 'commander';
import { BosunError } from '../../base/index.js';
import { readLock } from '../../config/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { askLoginLink } from './remote-client.js';

export function registerWeb(program: Command, cli: CommandContext): void {
  program
    .command('web')
    .description('print a one-time link that logs a browser in')
    .option('--as <user>', 'the person to log in, with their rights (default: the owner of the home)')
    .option('--json', 'one JSON document')
    .action(
      cli.act(async ({ json, as }: { readonly json?: true; readonly as?: string }): Promise<ExitCode> => {
        const holder = readLock(cli.home);
        if (holder?.port == null) {
          throw new BosunError('not_now', `Bosun is not running in ${cli.home.dir}`, {
            hint: 'Start it with "bosun up".',
          });
        }
        const url = await askLoginLink(cli.home, holder.port, as ?? null);
        if (json) cli.printJson({ url });
        else cli.print(url);
        return 0;
      }),
    );
}

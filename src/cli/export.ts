// `bosun export`: a run in the formats of other tools.
import { type Command, Option } from 'commander';
import { initialState, type Store, stateFile } from '../dispatch/index.js';
import type { Item, Run } from '../engine/index.js';
import type { Cli } from './cli.js';
import { itemMeant } from './diff.js';
import { withRun } from './open-store.js';
import { eventsOf } from './read-run.js';

const formats = ['state', 'events'] as const;

export function registerExport(program: Command, cli: Cli): void {
  program
    .command('export')
    .argument('<run>')
    .description('print a run in a format of other tools')
    .addOption(
      new Option('--as <format>', 'state: as .ai/STATE.json; events: one a line')
        .choices(formats)
        .makeOptionMandatory(),
    )
    .option('--item <key>', 'with state: the story; without it, the one that the run stands at')
    .action(
      cli.act((said: string, options: { readonly as: (typeof formats)[number]; readonly item?: string }) =>
        withRun(cli, said, (store, run) => {
          if (options.as === 'state')
            cli.shell.stdout.write(`${JSON.stringify(stateOf(store, run, options.item), null, 2)}\n`);
          else for (const { seq, event } of eventsOf(store, run.id)) cli.printJson({ seq, ...event });
          return 0;
        }),
      ),
    );
}

function stateOf(store: Store, run: Run, item: string | undefined) {
  const spine = store.spine(run.id);
  const key = item === undefined ? standsAt(spine?.items ?? []) : itemMeant(store, run, item);
  const chain = store.chain(run.id, key);
  if (spine && chain && chain.nodes.length > 0) return stateFile(spine, chain);
  return { ...initialState(run.project), story: key || null };
}

function standsAt(items: readonly Item[]): string {
  const first = (...statuses: readonly Item['status'][]) => items.find((item) => statuses.includes(item.status));
  const item = first('running', 'merging') ?? first('failed') ?? first('ready', 'blocked') ?? items.at(-1);
  return item?.key ?? '';
}

// `bosun export`: a run in the formats of other tools.
import { type Command, Option } from 'commander';
import {
  initialState,
  itemMeant,
  pipelineOf,
  type Spine,
  type Store,
  sessionOf,
  stateFile,
  workflowStateOf,
} from '../dispatch/index.js';
import type { Item, Run } from '../engine/index.js';
import type { Cli } from './cli.js';
import { withRun } from './open-store.js';
import { eventsOf } from './read-run.js';

const formats = ['state', 'workflow-state', 'session', 'pipeline', 'events'] as const;
type Format = (typeof formats)[number];

export function registerExport(program: Command, cli: Cli): void {
  program
    .command('export')
    .argument('<run>')
    .description('print a run in a format of other tools')
    .addOption(
      new Option('--as <format>', 'one JSON document, as in the file of that name; events: one a line')
        .choices(formats)
        .makeOptionMandatory(),
    )
    .option('--item <key>', 'with state: the story; without it, the one that the run stands at')
    .action(
      cli.act((said: string, options: { readonly as: Format; readonly item?: string }) =>
        withRun(cli, said, (store, run) => {
          if (options.as === 'events')
            for (const { seq, event } of eventsOf(store, run.id)) cli.printJson({ seq, ...event });
          else {
            const file = fileOf(store, run, options.as, options.item);
            cli.shell.stdout.write(`${JSON.stringify(file, null, 2)}\n`);
          }
          return 0;
        }),
      ),
    );
}

function fileOf(store: Store, run: Run, format: Exclude<Format, 'events'>, item: string | undefined): unknown {
  const spine = store.spine(run.id);
  if (!spine) throw new Error(`${run.id} is there and its spine is not`);
  const chainOf = (key: string) => store.chain(run.id, key);
  switch (format) {
    case 'state':
      return stateOf(store, spine, item);
    case 'workflow-state':
      return workflowStateOf(store, spine, chainOf);
    case 'session':
      return sessionOf(store, spine, chainOf).file;
    case 'pipeline':
      return pipelineOf(spine, chainOf);
  }
}

function stateOf(store: Store, spine: Spine, item: string | undefined) {
  const { run, items } = spine;
  const key = item === undefined ? standsAt(items) : itemMeant(store, run, item);
  const chain = store.chain(run.id, key);
  if (chain && chain.nodes.length > 0) return stateFile(spine, chain);
  return { ...initialState(run.project), story: key || null };
}

function standsAt(items: readonly Item[]): string {
  const first = (...statuses: readonly Item['status'][]) => items.find((item) => statuses.includes(item.status));
  const item = first('running', 'merging') ?? first('failed') ?? first('ready', 'blocked') ?? items.at(-1);
  return item?.key ?? '';
}

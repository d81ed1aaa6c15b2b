import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { BosunError, writeOwnFile } from '../../base/index.js';
import { projectNamed } from '../../config/index.js';
import {
  initialState,
  itemMeant,
  pipelineOf,
  prdFile,
  sessionOf,
  shownRun,
  stateFile,
  withPassing,
  workflowStateOf,
} from '../../dispatch/index.js';
import type { Item, Run } from '../../engine/index.js';
import type { HomeReader, RunReader, Spine } from '../../store/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { withRun } from '../open-store.js';
import { eventsOf } from './read-run.js';

const formats = ['state', 'workflow-state', 'session', 'pipeline', 'prd', 'events'] as const;
type Format = (typeof formats)[number];

interface ExportOptions {
  readonly as: Format;
  readonly item?: string;
  readonly write?: string;
}

export function registerExport(program: Command, cli: CommandContext): void {
  program
    .command('export')
    .argument('<run>', 'a run; or a project, for its current or last run')
    .description('print a run in another tool’s format')
    .addOption(
      new Option('--as <format>', 'one JSON document, as in the file of that name; events: one per line')
        .choices(formats)
        .makeOptionMandatory(),
    )
    .option('--item <key>', 'with state: the story (default: the current one)')
    .option('--write <file>', 'with prd: mark finished stories as done in this file, and keep everything else in it')
    .action(
      cli.act((said: string, options: ExportOptions) =>
        withRun(cli, runOf(cli, said), (store, run) => {
          if (options.write !== undefined) return writePassing(cli, store, run, options);
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

/** A project stands for the run of its status. */
function runOf(cli: CommandContext, said: string): (store: HomeReader) => string {
  const project = /^r?\d+$/i.test(said) ? null : projectNamed(cli.config, said);
  return (store) => (project && shownRun(store, project.name)?.id) ?? said;
}

/** The file is the user's: changes only known stories' status. */
function writePassing(cli: CommandContext, store: RunReader, run: Run, { as, write = '' }: ExportOptions): ExitCode {
  if (as !== 'prd')
    throw new BosunError('usage', '--write only works with --as prd', {
      hint: 'bosun export RUN --as prd --write prd.json',
    });
  const path = resolve(cli.shell.cwd, write);
  const spine = store.spine(run.id);
  if (!spine) throw new Error(`The database has run ${run.id} but not its spine`);
  const { text, passing } = withPassing(readFile(path), spine.items);
  writeOwnFile(dirname(path), path, text);
  cli.print(`${basename(path)}: ${passing} of ${spine.items.length} stories of ${run.id} pass`);
  return 0;
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new BosunError('not_found', `There is no file ${path} to write to`, {
      hint: 'Give the story file that was imported.',
      cause,
    });
  }
}

function fileOf(store: HomeReader, run: Run, format: Exclude<Format, 'events'>, item: string | undefined): unknown {
  const spine = store.spine(run.id);
  if (!spine) throw new Error(`The database has run ${run.id} but not its spine`);
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
    case 'prd':
      return prdFile(spine);
  }
}

function stateOf(store: HomeReader, spine: Spine, item: string | undefined) {
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

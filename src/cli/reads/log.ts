import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { z } from 'zod';
import { BosunError, openWithin } from '../../base/index.js';
import { projectNamed } from '../../config/index.js';
import { findLog } from '../../dispatch/index.js';
import type { Node, Run } from '../../engine/index.js';
import type { AttemptRow, RunReader } from '../../store/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { withRun } from '../open-store.js';
import { wholeNumber } from '../options.js';

interface LogOptions {
  readonly attempt?: number;
  readonly json?: true;
}

type PlacedNode = Node & { readonly chain: string };

export function registerLog(program: Command, cli: CommandContext): void {
  program
    .command('log')
    .argument('<run>')
    .argument('<node>', 'an id, a label or a step; US-001/impl for a step of one story')
    .description('print the output of the last attempt, or of the one given with --attempt')
    .option('--attempt <n>', 'the number of the attempt', wholeNumber)
    .option('--json', 'one JSON object per log line')
    .action(
      cli.act((said: string, node: string, options: LogOptions) =>
        withRun(cli, said, (store, run) => showLog(cli, attemptMeant(store, run, node, options.attempt), run, options)),
      ),
    );
}

function attemptMeant(store: RunReader, run: Run, said: string, number: number | undefined): Found {
  const nodes = nodesMeant(store, run, said);
  const attempts = nodes
    .flatMap((node) => store.attempts(run.id, node.id).map((row) => ({ node, row })))
    .sort((a, b) => a.row.attempt.dispatchedAt - b.row.attempt.dispatchedAt);
  const found = attempts.filter(({ row }) => number === undefined || row.attempt.number === number).at(-1);
  if (found) return found;
  const numbers = [...new Set(attempts.map(({ row }) => row.attempt.number))].join(', ');
  throw new BosunError(
    'not_found',
    number === undefined ? `${said} has not run yet` : `${said} has no attempt ${number}`,
    {
      hint: numbers === '' ? `This node has no attempts in ${run.id}.` : `There are: ${numbers}.`,
    },
  );
}

interface Found {
  readonly node: PlacedNode;
  readonly row: AttemptRow;
}

export function nodesMeant(store: RunReader, run: Run, said: string): readonly PlacedNode[] {
  const nodes = store.nodes(run.id);
  const [item, name] = said.includes('/') ? said.split('/', 2) : [undefined, said];
  const isSame = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase();
  const found = nodes
    .filter((node) => item === undefined || isSame(node.chain, item))
    .filter((node) => [node.id, node.label, node.template].some((one) => isSame(one, name)));
  if (found.length > 0) return found;
  const known = [...new Set(nodes.map((node) => node.template))].join(', ');
  throw new BosunError('not_found', `No node "${said}" in ${run.id}`, { hint: `There are: ${known || 'none yet'}.` });
}

const lineSchema = z.object({ line: z.string() });

async function showLog(cli: CommandContext, { node, row }: Found, run: Run, { json }: LogOptions): Promise<ExitCode> {
  const root = projectNamed(cli.config, run.project)?.root ?? null;
  const place = findLog(cli.home, { row, label: node.label, root });
  const file = await openWithin(place.root, place.path);
  if (file === null) {
    throw new BosunError('not_found', `No log for attempt ${row.attempt.id}: ${place.path} does not exist`, {
      hint: 'The attempt may not have started yet, or its log was deleted.',
    });
  }
  for await (const text of createInterface({ input: file.createReadStream(), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (json) cli.printRaw(`${text}\n`);
    else cli.print(readLine(text));
  }
  return 0;
}

function readLine(text: string): string {
  try {
    return lineSchema.parse(JSON.parse(text)).line;
  } catch {
    // A growing log's last line may be cut.
    return text;
  }
}

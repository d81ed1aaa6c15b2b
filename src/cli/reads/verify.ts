// Replays each run's events against the stored state, with one run in memory at a time.
import type { Command } from 'commander';
import { BosunError } from '../../base/index.js';
import type { HistoryReader, RunReader } from '../../store/index.js';
import type { CommandContext } from '../command-context.js';
import { withStore } from '../open-store.js';
import { findProblems } from './verify-run.js';

interface Finding {
  readonly run: string | null;
  readonly problem: string;
}

const runsAtOnce = 200;
const maxFindings = 500;

export function registerVerify(program: Command, cli: CommandContext): void {
  program
    .command('verify')
    .description('check the database: the event chain, each run’s state against its events, and budgets')
    .option('--json', 'one JSON document')
    .action(
      cli.act(({ json }: { readonly json?: true }) =>
        withStore(cli, (store) => {
          const { runs, findings } = store === null ? { runs: 0, findings: [] } : look(store);
          const ok = findings.length === 0;
          if (json) cli.printJson({ ok, runs, findings });
          else if (ok) cli.print(`ok: ${runs} ${runs === 1 ? 'run' : 'runs'}, the event chain is intact`);
          else cli.print(...findings.map(({ run, problem }) => `${run ?? 'database'}: ${problem}`));
          return ok ? 0 : 1;
        }),
      ),
    );
}

function look(store: HistoryReader & RunReader): { readonly runs: number; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  const broken = store.auditBreak();
  if (broken) findings.push({ run: null, problem: `the event chain breaks at event ${broken.seq}: ${broken.why}` });
  let runs = 0;
  for (const { id } of runsOf(store)) {
    runs += 1;
    findings.push(...problemsOf(store, id).map((problem) => ({ run: id, problem })));
    if (findings.length >= maxFindings) break;
  }
  return { runs, findings };
}

/** An archive that cannot be read concerns its own run alone. */
function problemsOf(store: HistoryReader & RunReader, run: string): readonly string[] {
  try {
    return findProblems(store, run);
  } catch (error) {
    if (error instanceof BosunError && error.code === 'bad_database') return [error.message];
    throw error;
  }
}

function* runsOf(store: RunReader) {
  for (let before: number | null = null; ; ) {
    const page = store.runs(null, runsAtOnce, before);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < runsAtOnce) return;
    before = last.number;
  }
}

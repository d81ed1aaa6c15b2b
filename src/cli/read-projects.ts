// status, projects, runs, inbox, cost: what there is, over all projects or in one.
import type { Command } from 'commander';
import { statusText } from '../bot/index.js';
import { type Config, interactionJson, type ProjectConfig, runJson, type Store } from '../dispatch/index.js';
import type { Run } from '../engine/index.js';
import type { Cli } from './cli.js';
import type { ExitCode } from './failure.js';
import { projectsMeant, statusOf, withStore } from './open-store.js';
import { wholeNumber } from './options.js';

interface JsonOption {
  readonly json?: true;
}

const defaultRuns = 50;
const maxRuns = 1_000;

export function registerProjectReads(program: Command, cli: Cli): void {
  const reading = (name: string, description: string) =>
    program.command(name).description(description).option('--json', 'one JSON document');
  reading('status', 'where a project stands, or all of them')
    .argument('[project]')
    .action(cli.act((project: string | undefined, options: JsonOption) => status(cli, project, options)));
  reading('projects', 'every project in a line').action(cli.act((options: JsonOption) => projects(cli, options)));
  reading('runs', 'runs, the newest first')
    .argument('[project]')
    .option('--limit <n>', `how many, at most ${maxRuns}`, wholeNumber, defaultRuns)
    .action(cli.act((project: string | undefined, options: RunsOptions) => runs(cli, project, options)));
  reading('inbox', 'what waits for a person').action(cli.act((options: JsonOption) => inbox(cli, options)));
  reading('cost', 'what runs have cost')
    .argument('[project]')
    .action(cli.act((project: string | undefined, options: JsonOption) => cost(cli, project, options)));
}

function status(cli: Cli, said: string | undefined, { json }: JsonOption): Promise<ExitCode> {
  const meant = projectsMeant(cli.config, said);
  return withStore(cli, (store) => {
    const all = meant.map((project) => statusOf(store, project));
    if (json) cli.printJson(said === undefined ? all : all[0]);
    else if (all.length === 0) cli.print(noProject);
    else cli.print(all.map((one) => statusText(one)).join('\n\n'));
    return 0;
  });
}

const noProject = 'No project yet: bosun init registers one.';

function projects(cli: Cli, { json }: JsonOption): Promise<ExitCode> {
  const { config } = cli;
  return withStore(cli, (store) => {
    const rows = config.projects.map((project) => {
      const { run, health, aliases, level } = statusOf(store, project);
      return { project: project.name, aliases, root: project.root, workflow: project.workflow, level, health, run };
    });
    if (json) cli.printJson(rows);
    else if (rows.length === 0) cli.print(noProject);
    for (const { project, aliases, root, health, run } of json ? [] : rows) {
      const names = [project, ...aliases].join(', ');
      cli.print(`${names}  [${health}]  ${run === null ? 'no run' : `${run.id} ${run.status}`}  ${root}`);
    }
    return 0;
  });
}

interface RunsOptions extends JsonOption {
  readonly limit: number;
}

function runs(cli: Cli, said: string | undefined, { json, limit }: RunsOptions): Promise<ExitCode> {
  const name = said === undefined ? null : (projectsMeant(cli.config, said)[0]?.name ?? null);
  return withStore(cli, (store) => {
    const found = store?.runs(name, Math.min(limit, maxRuns), null) ?? [];
    if (json) cli.printJson(found.map((run) => ({ project: run.project, ...runJson(run) })));
    else if (found.length === 0) cli.print('No run yet.');
    else cli.print(...found.map(runLine));
    return 0;
  });
}

function runLine(run: Run): string {
  return `${run.id}  ${run.project}  [${run.status}]  ${run.workflow}  ${dollars(run.costUsd)}  ${firstLine(run.task)}`;
}

function inbox(cli: Cli, { json }: JsonOption): Promise<ExitCode> {
  return withStore(cli, (store) => {
    const rows = (store?.openInteractions(null) ?? [])
      .map(({ run, interaction }) => ({
        ...interactionJson(interaction),
        project: store?.run(run)?.project ?? null,
        run,
        opened_at: new Date(interaction.openedAt).toISOString(),
      }))
      .sort((a, b) => a.opened_at.localeCompare(b.opened_at));
    if (json) cli.printJson(rows);
    else if (rows.length === 0) cli.print('Nothing needs you.');
    for (const row of json ? [] : rows) {
      cli.print(`${row.id}  ${row.project}  [${row.kind}]  since ${row.opened_at}  ${firstLine(row.text)}`);
      cli.print(...row.options.map(({ label, press }) => `  [${label}] bosun press ${press}`));
    }
    return 0;
  });
}

function cost(cli: Cli, said: string | undefined, { json }: JsonOption): Promise<ExitCode> {
  const { config } = cli;
  return withStore(cli, (store) => {
    const rows = projectsMeant(config, said).map((project) => costOf(store, project));
    if (json) cli.printJson(said === undefined ? rows : rows[0]);
    for (const row of json ? [] : rows) {
      cli.print(`${row.project}: ${dollars(row.cost_usd)}, ${row.tokens_in} tokens in, ${row.tokens_out} out`);
      cli.print(
        ...row.runs.map((run) => `  ${run.id}  [${run.status}]  ${dollars(run.cost_usd)}  ${firstLine(run.task)}`),
      );
    }
    if (!json && rows.length === 0) cli.print(noProject);
    return 0;
  });
}

/** Over the newest thousand runs; nobody pays attention to more than that. */
function costOf(store: Store | null, project: Config['projects'][number]) {
  const all = store?.runs(project.name, maxRuns, null) ?? [];
  const sum = (of: (run: Run) => number) => all.reduce((total, run) => total + of(run), 0);
  return {
    project: project.name,
    cost_usd: sum((run) => run.costUsd),
    tokens_in: sum((run) => run.tokensIn),
    tokens_out: sum((run) => run.tokensOut),
    budget: budgetOf(project),
    runs: all.map((run) => ({
      id: run.id,
      status: run.status,
      task: run.task,
      cost_usd: run.costUsd,
      budget_usd: run.budgetUsd,
      tokens_in: run.tokensIn,
      tokens_out: run.tokensOut,
    })),
  };
}

function budgetOf({ budget }: ProjectConfig) {
  return { run_usd: budget.runUsd, day_usd: budget.dayUsd };
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 160) ?? '';
}

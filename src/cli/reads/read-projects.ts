import type { Command } from 'commander';
import { spellCommands } from '../../base/index.js';
import {
  costSaid,
  costText,
  type FailedDeliveryJson,
  failedDeliveries,
  failedLine,
  joinedLines,
  ownersState,
  runFactsLine,
  statusText,
  summaryOfRun,
} from '../../bot/index.js';
import { homeOwner, type ProjectConfig } from '../../config/index.js';
import {
  type Cost,
  type Costs,
  costsOf,
  interactionJson,
  type ProjectStatus,
  queuedTasks,
  type RunCosts,
  runJson,
  shownRun,
} from '../../dispatch/index.js';
import { isCostKnown, type Run } from '../../engine/index.js';
import type { HomeReader } from '../../store/index.js';
import type { CommandContext } from '../command-context.js';
import { lookAtQueue } from '../doctor/queue.js';
import type { ExitCode } from '../failure.js';
import { projectsMeant, statusOf, withStore } from '../open-store.js';
import { wholeNumber } from '../options.js';
import { withActivity } from '../service/live-status.js';
import { workersJson, workersText } from '../service/worker-list.js';

interface JsonOption {
  readonly json?: true;
}

const defaultRuns = 50;
const maxRuns = 1_000;
const maxFailed = 20;

export function registerProjectReads(program: Command, cli: CommandContext): void {
  const reading = (name: string, description: string) =>
    program.command(name).description(description).option('--json', 'one JSON document');
  reading('status', 'show the state of one project, or of all')
    .argument('[project]')
    .action(cli.act((project: string | undefined, options: JsonOption) => status(cli, project, options)));
  reading('projects', 'list all projects, one per line').action(
    cli.act((options: JsonOption) => projects(cli, options)),
  );
  reading('runs', 'list runs, newest first')
    .argument('[project]')
    .option('--limit <n>', `how many to list, at most ${maxRuns}`, wholeNumber, defaultRuns)
    .action(cli.act((project: string | undefined, options: RunsOptions) => runs(cli, project, options)));
  reading('queue', 'list the tasks that wait for a project, in the order in which they start')
    .argument('<project>')
    .action(cli.act((project: string, options: JsonOption) => queue(cli, project, options)));
  reading('inbox', 'list what waits for a person').action(cli.act((options: JsonOption) => inbox(cli, options)));
  reading('cost', 'show the cost of the last run, step by step, and the project’s total')
    .argument('[project]')
    .action(cli.act((project: string | undefined, options: JsonOption) => cost(cli, project, options)));
}

function status(cli: CommandContext, said: string | undefined, { json }: JsonOption): Promise<ExitCode> {
  const meant = projectsMeant(cli.config, said);
  return withStore(cli, async (store): Promise<ExitCode> => {
    const all = await Promise.all(meant.map((project) => withActivity(cli.home, statusOf(store, project))));
    const look = await lookAtQueue(cli);
    const problem = look?.problem ?? look?.full ?? null;
    if (problem !== null) cli.warn(`warning: ${problem}`);
    const workers = said === undefined && look?.problem === null ? look : null;
    const watch = { at: Date.now(), leaseMs: cli.config.queue.leaseMs };
    if (json && said === undefined)
      cli.printJson(workers === null ? all : [...all, { workers: workersJson(workers, watch) }]);
    else if (json) cli.printJson(all[0]);
    else cli.print(statusesText(all, store, workers && workersText(workers, watch)));
    return 0;
  });
}

function statusesText(all: readonly ProjectStatus[], store: HomeReader | null, workers: string | null): string {
  const projects = all.map((one) => {
    const text = statusText(one, one.run && (store?.spine(one.run.id) ?? null));
    const summary = all.length === 1 && one.run && store ? summaryOfRun(store, one.run.id) : '';
    return [text, runFactsLine(one), summary].filter((part) => part !== '').join('\n');
  });
  if (all.length === 0) projects.push(noProject);
  return [...projects, ...(workers === null ? [] : [workers])].join('\n\n');
}

const noProject = 'No project yet. Register one with "bosun init".';

function projects(cli: CommandContext, { json }: JsonOption): Promise<ExitCode> {
  const { config } = cli;
  return withStore(cli, async (store): Promise<ExitCode> => {
    const rows = await Promise.all(
      config.projects.map(async (one) => {
        const { project, run, health, aliases, level } = await withActivity(cli.home, statusOf(store, one));
        return { project, aliases, root: one.root, workflow: one.workflow, level, health, run };
      }),
    );
    if (json) cli.printJson(rows);
    else if (rows.length === 0) cli.print(noProject);
    for (const { project, aliases, root, health, run } of json ? [] : rows) {
      const names = [project, ...aliases].join(', ');
      const state = ownersState(run && (store?.spine(run.id) ?? null), health);
      cli.print(`${names}  [${state}]  ${run === null ? 'no run' : `${run.id} ${firstLine(run.task)}`}  ${root}`);
    }
    return 0;
  });
}

interface RunsOptions extends JsonOption {
  readonly limit: number;
}

function runs(cli: CommandContext, said: string | undefined, { json, limit }: RunsOptions): Promise<ExitCode> {
  const name = said === undefined ? null : (projectsMeant(cli.config, said)[0]?.name ?? null);
  return withStore(cli, (store) => {
    const found = store?.runs(name, Math.min(limit, maxRuns), null) ?? [];
    if (json) cli.printJson(found.map((run) => ({ project: run.project, ...runJson(run) })));
    else if (found.length === 0) cli.print('No run yet.');
    else cli.print(...found.map((run) => runLine(run, ownersState(store?.spine(run.id) ?? null))));
    return 0;
  });
}

function runLine(run: Run, state: string): string {
  return `${run.id}  ${run.project}  [${state}]  ${run.workflow}  ${run.unpriced ? `cost ${costSaid(run)}` : dollars(run.costUsd)}  ${firstLine(run.task)}`;
}

function queue(cli: CommandContext, said: string, { json }: JsonOption): Promise<ExitCode> {
  const [project] = projectsMeant(cli.config, said);
  return withStore(cli, (store) => {
    const tasks = store === null || project === undefined ? [] : queuedTasks(store, project.name);
    if (json) cli.printJson(tasks);
    else if (tasks.length === 0) cli.print(`Nothing waits in ${project?.name ?? said}.`);
    else cli.print(...tasks.map(({ id, position, task, by }) => `${position}. ${id}  ${firstLine(task)}  (${by})`));
    return 0;
  });
}

function inbox(cli: CommandContext, { json }: JsonOption): Promise<ExitCode> {
  return withStore(cli, (store) => {
    const rows = (store?.openInteractions(null) ?? [])
      .map(({ run, interaction }) => ({
        ...interactionJson(interaction),
        project: store?.run(run)?.project ?? null,
        run,
        opened_at: new Date(interaction.openedAt).toISOString(),
      }))
      .sort((a, b) => Number(isSnoozed(a)) - Number(isSnoozed(b)) || a.opened_at.localeCompare(b.opened_at));
    const failed =
      store === null ? [] : failedDeliveries({ reader: store, deliveries: store.deliveries }, cli.config, Date.now());
    if (json) cli.printJson([...rows, ...failed.map((one) => ({ failed_delivery: one }))]);
    else if (rows.length === 0) cli.print('Nothing needs you.');
    for (const row of json ? [] : rows) {
      const whose = [row.project, row.item].filter((one) => one !== null).join(' ');
      cli.print(
        `${row.id}  ${whose}  [${row.kind}]  since ${row.opened_at}  ${joinedLines(row.text)}${attention(row)}`,
      );
      cli.print(...row.options.map(({ label, press }) => `  [${label}] ${spellCommands(`bosun press ${press}`)}`));
    }
    if (!json) printFailed(cli, failed);
    return 0;
  });
}

type Attended = Pick<ReturnType<typeof interactionJson>, 'snoozed' | 'handed_to' | 'handed_by'>;

/** The command line speaks for the owner. */
function isSnoozed({ snoozed = [] }: Attended): boolean {
  return snoozed.some(({ by }) => by === homeOwner);
}

function attention({ snoozed = [], handed_to: to, handed_by: by }: Attended): string {
  const until = snoozed.find((one) => one.by === homeOwner)?.until;
  return `${to === undefined ? '' : `  (for ${to}, from ${by})`}${until === undefined ? '' : `  (snoozed until ${until})`}`;
}

function printFailed(cli: CommandContext, failed: readonly FailedDeliveryJson[]): void {
  if (failed.length === 0) return;
  const shown = failed.slice(0, maxFailed).map((one) => `  ${failedLine(one)}, ${one.failed_at}: ${one.text}`);
  const hidden = failed.length - shown.length;
  cli.print('Not delivered:', ...shown, ...(hidden > 0 ? [`  … and ${hidden} more, with --json`] : []));
}

function cost(cli: CommandContext, said: string | undefined, { json }: JsonOption): Promise<ExitCode> {
  const meant = projectsMeant(cli.config, said);
  return withStore(cli, (store) => {
    const rows = meant.map((project) => ({ project, costs: store && costsNow(store, project) }));
    if (json) {
      const all = rows.map(({ project, costs }) => costJson(store, project, costs));
      cli.printJson(said === undefined ? all : all[0]);
      return 0;
    }
    if (rows.length === 0) cli.print(noProject);
    for (const { project, costs } of rows) cli.print(`${project.name}\n${costs === null ? 'no run' : costText(costs)}`);
    return 0;
  });
}

function costsNow(store: HomeReader, project: ProjectConfig): Costs {
  return costsOf(store, project, shownRun(store, project.name), Date.now());
}

const costRuns = 50;

/** Sums cover all time, `runs` only the newest. */
function costJson(store: HomeReader | null, project: ProjectConfig, costs: Costs | null) {
  const { today = null, week = null, ever = null } = costs?.project ?? {};
  return {
    project: project.name,
    cost_usd: ever?.usd ?? 0,
    tokens_in: ever?.tokensIn ?? 0,
    tokens_out: ever?.tokensOut ?? 0,
    budget: budgetOf(project),
    runs: (store?.runs(project.name, costRuns, null) ?? []).map((run) => ({
      id: run.id,
      status: run.status,
      task: run.task,
      cost_usd: run.costUsd,
      cost_known: isCostKnown(run),
      budget_usd: run.budgetUsd,
      tokens_in: run.tokensIn,
      tokens_out: run.tokensOut,
    })),
    today: sumJson(today),
    last_7_days: sumJson(week),
    ever: sumJson(ever),
    run: costs?.run ? runCostJson(costs.run) : null,
  };
}

function sumJson(sum: Costs['project']['today'] | null) {
  return { cost_usd: sum?.usd ?? 0, tokens_in: sum?.tokensIn ?? 0, tokens_out: sum?.tokensOut ?? 0 };
}

function runCostJson({ run, items }: RunCosts) {
  return {
    id: run.id,
    items: items.map(({ key, nodes, ...sum }) => ({
      item: key || null,
      ...amountsOf(sum),
      nodes: nodes.map((node) => ({ id: node.node, label: node.label, template: node.template, ...amountsOf(node) })),
    })),
  };
}

function amountsOf({ attempts, durationMs, costUsd, tokensIn, tokensOut }: Cost) {
  return { attempts, duration_ms: durationMs, cost_usd: costUsd, tokens_in: tokensIn, tokens_out: tokensOut };
}

function budgetOf({ budget }: ProjectConfig) {
  return { run_usd: budget.runUsd, day_usd: budget.dayUsd, project_usd: budget.projectUsd };
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 160) ?? '';
}

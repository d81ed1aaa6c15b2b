import { basename, sep } from 'node:path';
import type { Command } from 'commander';
import { BosunError } from '../../base/index.js';
import {
  checkConfig,
  checkStepRules,
  checkWorkflow,
  findWorkflow,
  listWorkflows,
  type ProjectConfig,
  type Where,
} from '../../config/index.js';
import {
  definitions,
  describeWorkflow,
  formatProblem,
  hasBody,
  type Loaded,
  toMermaid,
  type Workflow,
} from '../../engine/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';

interface JsonOption {
  readonly json?: true;
}

export function registerWorkflow(program: Command, cli: CommandContext): void {
  const group = program.command('workflow').description('list, show, check or draw workflows');
  group
    .command('list')
    .description('list the shipped workflows, and those of the project in this folder')
    .option('--json', 'one JSON document')
    .action(cli.act((options: JsonOption) => list(cli, options)));
  group
    .command('show')
    .argument('<workflow>', 'a workflow’s name, or a file')
    .description('show what its nodes do and which node follows')
    .option('--json', 'one JSON document: the workflow with every default filled in')
    .action(
      cli.act((said: string, { json }: JsonOption) => {
        const workflow = workflowMeant(cli, said);
        if (json) cli.printJson(workflow);
        else cli.print(describeWorkflow(workflow).trimEnd());
        return 0;
      }),
    );
  group
    .command('check')
    .argument('<file>', 'a file, or a workflow’s name')
    .description('print each problem as file:line:column: message')
    .option('--json', 'one JSON document')
    .action(cli.act((said: string, options: JsonOption) => check(cli, said, options)));
  group
    .command('graph')
    .argument('<workflow>', 'a workflow’s name, or a file')
    .description('print the workflow as a Mermaid graph')
    .action(
      cli.act((said: string) => {
        cli.print(toMermaid(workflowMeant(cli, said)).trimEnd());
        return 0;
      }),
    );
}

function list(cli: CommandContext, { json }: JsonOption): ExitCode {
  const found = listWorkflows(whereOf(cli).where);
  if (json) cli.printJson(found.map(({ name, file }) => ({ name, file })));
  else cli.print(...found.map(({ name, file }) => `${name}  ${file}`));
  return 0;
}

function check(cli: CommandContext, said: string, { json }: JsonOption): ExitCode {
  const { loaded, base } = loadedFrom(cli, said);
  const problems = loaded.ok ? [] : loaded.problems;
  const warnings = loaded.ok ? loaded.warnings : [];
  if (json) cli.printJson({ ok: loaded.ok, problems, warnings });
  else {
    cli.print(...problems.map(formatProblem));
    for (const warning of warnings) cli.warn(`warning: ${formatProblem(warning)}`);
    const over = base === null ? '' : `, step rules of ${base}`;
    if (loaded.ok) cli.print(`${said}: ok, ${countNodes(loaded.workflow)} nodes${over}`);
  }
  return loaded.ok ? 0 : 1;
}

function countNodes(workflow: Workflow): number {
  return definitions(workflow).filter((node) => !hasBody(node)).length;
}

function workflowMeant(cli: CommandContext, said: string): Workflow {
  const { loaded, where } = loadedFrom(cli, said);
  if (loaded.ok) return loaded.workflow;
  throw new BosunError('bad_workflow', loaded.problems.map(formatProblem).join('\n'), {
    hint: `Fix ${findWorkflow(said, where)}.`,
  });
}

interface LoadedFrom {
  readonly loaded: Loaded;
  readonly where: Where;
  /** The workflow under the step rules; null: the file is a workflow. */
  readonly base: string | null;
}

function loadedFrom(cli: CommandContext, said: string): LoadedFrom {
  const { where, project } = whereOf(cli);
  if (!/^step-rules\.ya?ml$/.test(basename(said))) return { loaded: checkWorkflow(said, where), where, base: null };
  // The design's rules name the steps of micro-waterfall.
  const base = project?.workflow ?? 'micro-waterfall';
  return { loaded: checkStepRules(said, base, where), where, base };
}

/** Shipped workflows need no valid config.yaml. */
function whereOf(cli: CommandContext): { readonly where: Where; readonly project: ProjectConfig | null } {
  const { cwd, env } = cli.shell;
  const reading = checkConfig(cli.home, env);
  const projects = reading.kind === 'good' ? reading.config.projects : [];
  const project = projects.find(({ root }) => cwd === root || cwd.startsWith(`${root}${sep}`)) ?? null;
  return { where: { root: project?.root ?? null, cwd, home: cli.home.dir, opens: 'any' }, project };
}

import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { type Command, Option } from 'commander';
import {
  agentsHere,
  type Config,
  executorsOf,
  findWorkflow,
  type InitRequest,
  initProject,
  listWorkflows,
  nameOfFolder,
} from '../../config/index.js';
import { workflowOfStateIn } from '../../dispatch/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { gathered } from '../options.js';
import { registerInitChannels } from './init-channel.js';
import { offerRules } from './rules.js';
import { offerTakeover } from './takeover.js';

interface InitOptions {
  readonly name?: string;
  readonly alias: readonly string[];
  readonly workflow?: string;
  readonly executor?: string;
  readonly level?: string;
  readonly yes?: true;
  readonly afresh?: true;
}

const levels = ['manual', 'semi', 'auto'] as const;

export function registerInit(program: Command, cli: CommandContext): void {
  const group = program.command('init');
  registerInitChannels(group, cli);
  group
    .argument('[dir]', 'the project’s folder, under git', '.')
    .description('register a folder as a project and create its .ai/')
    .option('--name <n>', 'the project’s name (default: the folder’s)')
    .option('--alias <a>', 'a shorter name; repeatable', gathered, [])
    .option('--workflow <w>', 'the workflow: a name, or a file')
    .option('--executor <e>', 'the executor that does the work: one from config.yaml')
    .addOption(new Option('--level <l>', 'how far Bosun goes on its own').choices(levels))
    .option('--yes', 'ask nothing; resume another orchestrator’s unfinished work (its files are copied first)')
    .option('--afresh', 'discard another orchestrator’s state and start afresh (its files are copied first)')
    .action(cli.act((dir: string, options: InitOptions) => init(cli, dir, options)));
}

async function init(cli: CommandContext, dir: string, options: InitOptions): Promise<ExitCode> {
  const { home, shell } = cli;
  const root = dir.startsWith('~') ? dir : resolve(shell.cwd, dir);
  const { config } = cli;
  const isAsked = cli.isTerminal && options.yes === undefined;
  const isSettled = options.yes === true || options.afresh === true || isAsked;
  const workflow = options.workflow ?? workflowOfStateIn(root) ?? undefined;
  const said = withWorkflow(cli, { root, ...options, workflow, aliases: options.alias, isSettled });
  const whole = isAsked ? await ask(cli, config, said) : said;
  const project = initProject(home, shell.env, withWorkflow(cli, whole));
  cli.tell(`${project.name} is registered: ${project.root}`);
  const executors = executorsOf(project).join(', then ') || 'none yet';
  cli.tell(`  workflow ${project.workflow}, level ${project.level}, executor ${executors}`);
  if (project.executor === null) cli.tell(...executorHelp(config));
  await offerTakeover(cli, project, options);
  await offerRules(cli, project, cli.isTerminal && options.yes === undefined);
  cli.tell(`Next: bosun say "${project.name}: what to do" --wait; or start bosun up and send the same in chat.`);
  return 0;
}

/** config.yaml could not tell the base of a relative path. */
function withWorkflow(cli: CommandContext, request: InitRequest): InitRequest {
  if (request.workflow === undefined) return request;
  const { cwd } = cli.shell;
  const where = { root: request.root, cwd, home: cli.home.dir, opens: 'any' } as const;
  const isName = listWorkflows(where).some(({ name }) => name === request.workflow);
  const file = findWorkflow(request.workflow, where);
  return isName || isAbsolute(request.workflow) ? request : { ...request, workflow: file };
}

async function ask(cli: CommandContext, config: Config, said: InitRequest): Promise<InitRequest> {
  const { stdin: input, stdout: output } = cli.shell;
  const lines = createInterface({ input, output });
  const answer = async (question: string, usual: string): Promise<string> => {
    const given = (await lines.question(`${question} [${usual}]: `)).trim();
    return given === '' ? usual : given;
  };
  try {
    const name = said.name ?? (await answer('Name', nameOfFolder(said.root)));
    const names = listWorkflows({ root: existsSync(said.root) ? said.root : null, home: cli.home.dir }).map(
      (one) => one.name,
    );
    const workflow = said.workflow ?? (await answer(`Workflow (${names.join(', ')})`, 'quick'));
    const configured = Object.keys(config.executors);
    const here = agentsHere(cli.agents, cli.shell.env).map(({ kind }) => kind);
    const known = configured.length > 0 ? configured : here;
    const [first] = known;
    const isOpen = said.executor === undefined && first !== undefined && (known.length > 1 || known === here);
    const executor = isOpen ? await answer(`Executor (${known.join(', ')})`, first) : said.executor;
    const level = said.level ?? (await answer(`Level (${levels.join(', ')})`, 'auto'));
    return { ...said, name, workflow, executor, level };
  } finally {
    lines.close();
  }
}

function executorHelp(config: Config): readonly string[] {
  const known = Object.keys(config.executors);
  if (known.length > 0)
    return [
      `  No executor is set, so it can't run steps yet: set executor to ${known.join(' or ')} in ${config.path}.`,
    ];
  return [
    `  No executor is set, so it can't run steps yet. Add one to ${config.path}, for example:`,
    '    executors:',
    '      claude: { kind: claude }                        # or codex, opencode',
    '      agent:  { kind: command, run: ["./agent.sh"] }  # any program',
  ];
}

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { CodingAgent } from '../../agents/index.js';
import { broken, doubtful, type Finding, fine } from '../../bot/index.js';
import {
  type Config,
  changedNames,
  checkConfig,
  checkoutSettings,
  checkWorkflow,
  executorsOf,
  isLoopback,
  type ProjectConfig,
  projectRules,
} from '../../config/index.js';
import { formatProblem } from '../../engine/index.js';
import { isAgent } from '../../jobs/index.js';
import { examineRepository, inspectRoot, listRemotes, unlinkable } from '../../workspace/index.js';
import type { CommandContext } from '../command-context.js';

type Environment = CommandContext['shell']['env'];

export async function checkProjects({ home, shell }: CommandContext): Promise<readonly Finding[]> {
  const reading = checkConfig(home, shell.env);
  if (reading.kind === 'bad') return [];
  const { config } = reading;
  const executors = Object.keys(config.executors).flatMap((name) => executorFindings(config, name, shell.env));
  const find = (program: string) => onPath(program, '/', shell.env);
  const projects = await Promise.all(config.projects.map((project) => projectFindings(config, project, find, home)));
  return [...executors, ...projects.flat()];
}

function executorFindings(config: Config, name: string, env: Environment): readonly Finding[] {
  const executor = config.executors[name];
  const title = `executor ${name}`;
  if (executor === undefined) return [];
  // checkAgents covers these.
  if (isAgent(executor)) return [];
  if (executor.kind === 'script') {
    if (existsSync(executor.file)) return [fine(title, `plays ${executor.file}`)];
    return [broken(title, `${executor.file} does not exist`, 'Set "file" to the file with its answers.')];
  }
  const [program = ''] = executor.run;
  const users = config.projects.filter((project) => executorsOf(project).includes(name)).map((project) => project.root);
  const roots = program.includes('/') && !isAbsolute(program) ? users : ['/'];
  if (roots.length === 0) return [fine(title, `${program}, not used by any project`)];
  return roots.map((root) => {
    const found = onPath(program, root, env);
    if (found !== null) return fine(title, found);
    const where = program.includes('/') ? resolve(root, program) : `${program} (searched on the PATH)`;
    return broken(
      title,
      `${where} does not exist or is not executable`,
      'Install it, make it executable, or correct "run".',
    );
  });
}

/** As its process would: against the root, or on the PATH. */
function onPath(program: string, root: string, env: Environment): string | null {
  const folders = program.includes('/') ? [root] : (env['PATH'] ?? '').split(delimiter);
  const candidates = folders.map((folder) =>
    program.includes('/') ? resolve(folder, program) : join(folder, program),
  );
  return candidates.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function projectFindings(
  config: Config,
  project: ProjectConfig,
  find: (program: string) => string | null,
  home: CommandContext['home'],
): Promise<readonly Finding[]> {
  const title = `project ${project.name}`;
  const root = await inspectRoot(project.root);
  const where =
    root.kind === 'ok' ? fine(title, `${project.root}, on ${root.branch}`) : broken(title, root.message, root.hint);
  const repository = root.kind === 'ok' ? await checkRepository(project, title, find) : [];
  const rest = [
    workflowFindings(project, title, home.dir),
    rulesFindings(project, title, home.dir),
    secretFindings(config, project, title),
    checkoutFindings(config, project, title),
  ];
  const money = budgetFindings(config, project, home.agents);
  return [where, ...repository, ...rest.flat(), ...workerFindings(config, project, title), ...money];
}

/** A project added without a secret is refused only at the next start. */
function secretFindings({ path, web }: Config, { hookSecret }: ProjectConfig, title: string): readonly Finding[] {
  if (isLoopback(web.host) || hookSecret !== null) return [];
  const text = `${web.host} is reachable from other machines, so Bosun refuses its next start without a hook_secret`;
  return [broken(title, text, `Set hook_secret in ${path}. A variable in it must be set in Bosun's environment.`)];
}

function workflowFindings(project: ProjectConfig, title: string, home: string): readonly Finding[] {
  const { root, workflow: configured } = project;
  const where = { root, cwd: root, home, opens: 'any', configured } as const;
  try {
    const loaded = checkWorkflow(project.workflow, where);
    if (loaded.ok) return [];
    return loaded.problems.map((one) => broken(title, formatProblem(one), 'Fix its workflow.'));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return [broken(title, text, `Set its workflow in config.yaml.`)];
  }
}

function rulesFindings({ name, root, workflow }: ProjectConfig, title: string, home: string): readonly Finding[] {
  const { changes } = projectRules(home, { root, workflow });
  if (changes.length === 0) return [];
  const text = `its own rules are not in force until an owner accepts them: ${changedNames(changes)}`;
  return [
    doubtful(
      title,
      text,
      `Review them with "bosun rules ${name}", then accept them with "bosun rules accept ${name}".`,
    ),
  ];
}

function checkoutFindings({ executors }: Config, project: ProjectConfig, title: string): readonly Finding[] {
  const found = executorsOf(project).flatMap((name) => checkoutSettings(project.root, executors[name]) ?? []);
  const each = new Map(found.map((one) => [one.text, one.counts]));
  return [...each].map(([text, counts]) =>
    counts ? doubtful(title, text, 'Read these files, or set permission to ask.') : fine(title, text),
  );
}

function workerFindings({ path, executors }: Config, { executor }: ProjectConfig, title: string): readonly Finding[] {
  if (executor !== null) return [];
  const known = Object.keys(executors).join(' or ');
  const mend = known === '' ? `Add an executor to ${path}.` : `Set its executor to ${known} in ${path}.`;
  return [doubtful(title, 'no executor is set, so its steps cannot run', mend)];
}

/** Budgets count reported costs, so they never stop an agent that reports none. */
export function budgetFindings(
  config: Config,
  project: ProjectConfig,
  agents: readonly CodingAgent[],
): readonly Finding[] {
  const { runUsd, dayUsd, projectUsd } = project.budget;
  if (runUsd === null && dayUsd === null && projectUsd === null) return [];
  return executorsOf(project).flatMap((executor) => budgetFinding(config, `project ${project.name}`, executor, agents));
}

function budgetFinding(
  { executors }: Config,
  title: string,
  executor: string,
  agents: readonly CodingAgent[],
): readonly Finding[] {
  const found = executors[executor];
  if (found === undefined) return [];
  if (found.kind === 'command') {
    const text = `its budget cannot be enforced: executor ${executor} (command) reports no cost`;
    return [doubtful(title, text, 'Limit its time and attempts instead, or use an agent that reports its cost.')];
  }
  const reports = agents.find(({ kind }) => kind === found.kind)?.reportsCost ?? 'always';
  if (!isAgent(found) || reports === 'always' || found.prices !== null) return [];
  const cost = reports === 'never' ? 'is' : 'may be';
  const text = `its budget cannot be enforced: executor ${executor} (${found.kind}) has no prices, so its cost ${cost} unknown`;
  return [doubtful(title, text, `Set prices: { input: …, output: … } (dollars per million tokens) of ${executor}.`)];
}

/** The project must be under git. */
export async function checkRepository(
  project: ProjectConfig,
  title: string,
  onPath: (program: string) => string | null,
): Promise<readonly Finding[]> {
  const troubles = await examineRepository(project.root, Date.now());
  const found = troubles.map(({ isBroken, what, mend }) => (isBroken ? broken : doubtful)(title, what, mend));
  const links = await unlinkable(project.root, project.worktree.link ?? []);
  const named = links.map((why) =>
    doubtful(title, `worktree.link: ${why}`, 'Correct the list, or create the path and add it to .gitignore.'),
  );
  return [...found, ...named, ...(await deliveryFindings(project, title, onPath))];
}

async function deliveryFindings(
  { root, deliver, git }: ProjectConfig,
  title: string,
  onPath: (program: string) => string | null,
): Promise<readonly Finding[]> {
  const wanted = git.remote ?? 'origin';
  const isAddress = /[:/]/.test(wanted);
  if (deliver !== 'push' && deliver !== 'pr') {
    if (git.remote === null || isAddress || (await listRemotes(root)).includes(wanted)) return [];
    const mend = `Run: git -C ${JSON.stringify(root)} remote add ${wanted} <address>, or correct git.remote.`;
    return [broken(title, `git.remote is ${wanted}, but the repository has no such remote`, mend)];
  }
  const findings: Finding[] = [];
  if (!isAddress && !(await listRemotes(root)).includes(wanted)) {
    const mend = `Run: git -C ${JSON.stringify(root)} remote add ${wanted} <address>, or set git.remote.`;
    findings.push(broken(title, `deliver is ${deliver}, but the repository has no remote ${wanted}`, mend));
  }
  if (deliver === 'pr' && onPath('gh') === null) {
    const what = 'gh is not on the PATH, so Bosun pushes branches and you open the pull requests yourself';
    findings.push(doubtful(title, what, 'If the project is on GitHub, install gh and run "gh auth login".'));
  }
  return findings;
}

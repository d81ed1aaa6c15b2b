import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, type Home, homeFolder, type ProjectConfig, projectWithName } from '../../config/index.js';
import {
  asksPerson,
  definitions,
  dispatchMode,
  fill,
  type JobDef,
  judgesFiles,
  limitsOf,
  type Node,
  renderMemberPrompt,
  renderPrompt,
  renderResumePrompt,
  runsAgent,
  runsJob,
  type State,
  teamTurns,
  templateValues,
  type Workflow,
} from '../../engine/index.js';
import type { AttemptSpec, Job, TeamMember } from '../../jobs/index.js';
import { attemptToken } from '../../jobs/index.js';
import { withoutEnv } from '../../worker/index.js';
import { worktreeOf } from '../checkouts/worktree-paths.js';

export interface JobParts {
  readonly config: Config;
  readonly secret: string;
  readonly worktrees: string;
  readonly url: string;
}

/** `url` '': Bosun does not listen. */
export function jobPartsOf(config: Config, home: Home, url: string): JobParts {
  return { config, secret: home.secret, url, worktrees: homeFolder(home, 'worktrees') };
}

const checkTimeoutMs = 10 * 60_000;

export function attemptJob(state: State, nodeId: string, attempt: string, parts: JobParts): Job {
  const node = state.chain.nodes.find((one) => one.id === nodeId);
  if (!node) throw new Error(`no node ${nodeId} to make a job for`);
  const def = defOf(state, node);
  const project = projectWithName(parts.config, state.run.project);
  const root = project?.root ?? '';
  const sharedDir = join(root, '.ai', 'runs', state.run.id);
  const item = state.chain.key;
  const { slot, workdir } = placeOfChain(state, item, root, parts.worktrees);
  const settings = {
    ...settingsOf(project ?? null),
    'project.base': baseOf(state, project ?? null),
    ...pathsFor(sharedDir, slot === null ? workdir : sharedDir, item || state.run.id),
  };
  const isBeside = state.run.live.filter((one) => one.chain === item).length > 1;
  const again = node.dispatches > 1 ? `.d${node.dispatches}` : '';
  return {
    id: attempt,
    project: state.run.project,
    run: state.run.id,
    checkout: workdir,
    group: isBeside ? `${state.run.id}/${item}` : null,
    priority: 10,
    ...(node.live?.notBefore ? { notBefore: node.live.notBefore } : {}),
    payload: {
      attempt,
      token: attemptToken(parts.secret, attempt),
      project: state.run.project,
      run: state.run.id,
      task: state.run.task,
      item,
      node: node.id,
      step: node.template,
      label: node.label,
      attemptNumber: node.attempt,
      kind: runsAgent(node) ? 'agent' : 'check',
      ...doneBy(state, node, def, parts.config),
      prompt: runsAgent(node) ? renderPrompt(state, nodeId, settings, filesIn(workdir)).text : '',
      root,
      workdir,
      sharedDir,
      logPath: join(sharedDir, 'logs', item || '_', `${node.label}${again}.jsonl`),
      url: parts.url,
      timeoutMs: def.timeoutMs,
      red: def.expects.red,
      tests: testsFor(def, project ?? null),
      check: checkFor(state, def, project ?? null),
      ownerLines: ownerLines(project ?? null),
      checkTimeoutMs,
      outputs: def.outputs && [...def.outputs, 'REASON'],
      keepsProgress: state.workflow.exports.includes('progress'),
      isBeside,
      slot,
      ...agentTerms(state, node, def, settings),
      team: teamFor(state, node, def, { settings, isThere: filesIn(workdir) }),
      ...judgedFiles(state.workflow),
      ...baselineOf(state),
      ...shownFiles(state, def),
    },
  };
}

export function placeOfChain(
  { run, items }: Pick<State, 'run' | 'items'>,
  chain: string,
  root: string,
  worktrees: string,
) {
  const { slot = null, values = {} } = items.find((one) => one.key === chain) ?? {};
  if (slot === null) return { slot, workdir: run.branch?.folder ?? root };
  return { slot, workdir: values['folder'] ?? worktreeOf(worktrees, run, slot) };
}

/** Gates accept these only from known attempts, so the worker notes their author. */
function judgedFiles(workflow: Workflow): Pick<AttemptSpec, 'evidence'> {
  const { survey } = workflow;
  const all = definitions(workflow).flatMap((def) =>
    judgesFiles(def) ? def.gate.evidence.map(({ file }) => file) : [],
  );
  const files = [...new Set(all.filter((file) => file !== 'survey'))];
  return files.length === 0 ? {} : { evidence: { files, survey } };
}

function shownFiles(state: State, def: JobDef): Pick<AttemptSpec, 'shows'> {
  const said = [def, ...definitions(state.workflow).filter(asksPerson)].flatMap(({ shows = [] }) => shows);
  if (said.length === 0) return {};
  const values = templateValues(state);
  const globs = said.map((one) => fill(one, values).text.trim()).filter((one) => !/^$|^https?:/.test(one));
  return globs.length === 0 ? {} : { shows: [...new Set(globs)] };
}

function baselineOf({ run, chain }: State): Pick<AttemptSpec, 'baseline'> {
  const whole = chain.key === '' ? run.work?.from : chain.work?.whole.from;
  const since = chain.sentBack?.to ?? undefined;
  if (whole === undefined && since === undefined) return {};
  return { baseline: { ...(whole !== undefined && { whole }), ...(since !== undefined && { since }) } };
}

type AgentTerms = Pick<AttemptSpec, 'access' | 'agentRole' | 'resume' | 'grants' | 'spendUsd'>;

function agentTerms(state: State, node: Node, def: JobDef, settings: Values): AgentTerms {
  const role = def.role === null ? undefined : state.workflow.roles[def.role];
  const session = node.live?.resumes ?? null;
  return {
    access: role?.access ?? 'write',
    agentRole: def.role,
    resume: session === null ? null : { session, prompt: renderResumePrompt(state, node.id, settings) },
    grants: state.run.grants,
    spendUsd: mayCost(state, node),
  };
}

type Values = Readonly<Record<string, string>>;

function pathsFor(sharedDir: string, editsFolder: string, name: string): Values {
  return {
    progress_file: join(sharedDir, 'progress.txt'),
    edits_file: join(editsFolder, 'workflow_edits', `${name}.json`),
  };
}

function teamFor(
  state: State,
  node: Node,
  def: JobDef,
  { settings, isThere }: { readonly settings: Values; readonly isThere: (path: string) => boolean },
): readonly TeamMember[] | null {
  const item = state.items.find((one) => one.key === state.chain.key);
  const team = runsAgent(def) ? def.team : null;
  if (team === null || dispatchMode(team, item ?? { complexity: null, parallelTags: 0 }) === 'single') return null;
  return teamTurns(team).map(({ role, turn }) => ({
    role,
    turn,
    prompt: renderMemberPrompt(state, node.id, role, settings, isThere),
    writes: team.roles[role]?.writes ?? [],
  }));
}

type Doer = Pick<AttemptSpec, 'executor' | 'executorName' | 'needs'>;

function doneBy(state: State, node: Node, def: JobDef, config: Config): Doer {
  const project = projectWithName(config, state.run.project);
  return runsAgent(node) ? executorFor(state, { def, live: node.live }, config, project) : { executor: null };
}

/** By role, then project, then the only one. Null: config.yaml lost the executor; the attempt reports it. */
function executorFor(
  state: State,
  { def, live }: { readonly def: JobDef; readonly live: Node['live'] },
  config: Config,
  project: ProjectConfig | null,
): Doer {
  const byRole = def.role === null ? null : (state.workflow.roles[def.role]?.executor ?? null);
  const only = Object.keys(config.executors).length === 1 ? Object.keys(config.executors)[0] : null;
  const fallback = project?.fallbacks.find((one) => one === live?.executor);
  const name = byRole ?? fallback ?? project?.executor ?? only;
  const executor = name ? config.executors[name] : undefined;
  // A job is stored, so it carries no environment values.
  if (!name || !executor) return { executor: null };
  const { needs = [] } = executor;
  return { executor: withoutEnv(executor), executorName: name, ...(needs.length > 0 && { needs }) };
}

/** The rest of the tightest limit. A step that a person lets finish may spend it again. */
function mayCost({ run }: State, node: Node): number | null {
  const isFinishing = run.finishing === node.id;
  const left = limitsOf(run, node.live?.dispatchedAt ?? 0).map(({ limitUsd, spentUsd }) =>
    isFinishing ? limitUsd : Math.max(0, limitUsd - spentUsd),
  );
  return left.length === 0 ? null : Math.min(...left);
}

function testsFor(def: JobDef, project: ProjectConfig | null) {
  if (def.tests === null) return null;
  return def.tests === 'project' ? (project?.tests ?? null) : def.tests;
}

function ownerLines(project: ProjectConfig | null): readonly string[] {
  const lines = [project?.tests?.run, project?.check, project?.lint].flatMap((line) => line?.trim() || []);
  return [...new Set(lines)];
}

function checkFor(state: State, def: JobDef, project: ProjectConfig | null): string | null {
  if (def.check === null) return null;
  // Security: only the project's own commands are shell; each other value is quoted as one word.
  const words = Object.entries(templateValues(state)).map(([key, value]) => [key, shellWord(value)]);
  return (
    fill(def.check, {
      ...Object.fromEntries(words),
      ...settingsOf(project),
      'project.base': baseOf(state, project),
    }).text.trim() || null
  );
}

function baseOf({ run }: State, project: ProjectConfig | null): string {
  return project?.git.base ?? run.branch?.base ?? run.base ?? '';
}

/** A remote checkout cannot be inspected: every file counts as present. */
function filesIn(workdir: string): (path: string) => boolean {
  const isHere = workdir !== '' && existsSync(workdir);
  return (path) => !isHere || /[*?{[]/.test(path) || existsSync(join(workdir, path));
}

function settingsOf(project: ProjectConfig | null): Values {
  return {
    'project.root': project?.root ?? '',
    'project.base': project?.git.base ?? '',
    'project.check': project?.check ?? '',
    'project.lint': project?.lint ?? '',
    'project.tests': project?.tests?.run ?? '',
  };
}

function shellWord(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

function defOf(state: State, node: Node): JobDef {
  const def = definitions(state.workflow).find((one) => one.id === node.template);
  if (!def || !runsJob(def)) throw new Error(`no definition of ${node.template}`);
  return def;
}

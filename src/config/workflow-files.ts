// Finds shipped workflows by name, a project's own as accepted, any other by path.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { BosunError, replaceFile } from '../base/index.js';
import {
  applyStepRules,
  formatProblem,
  type Loaded,
  nearestWord,
  type Problem,
  type Workflow,
} from '../engine/index.js';
import { outsideOfHome } from './home/closed.js';
import {
  type AcceptedRules,
  acceptedRules,
  changedNames,
  noRules,
  projectRules,
  type RuleFiles,
  stepRulesPath,
  workflowInRoot,
  workflowsFolder,
} from './project-rules/index.js';
import { loadSource, readSmall, shippedFolder, type WorkflowSource } from './workflow-source.js';

export { shippedFolder } from './workflow-source.js';

export interface Snapshot {
  readonly hash: string;
  readonly workflow: Workflow;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  readonly hasPendingRules: boolean;
}

export interface Where {
  readonly root: string | null;
  readonly cwd: string;
  /** Holds accepted rules and is closed to paths. */
  readonly home: string | null;
  /** `listed` never looks at a path. */
  readonly opens: 'listed' | 'any';
  readonly configured?: string;
}

export interface Listed {
  readonly name: string;
  readonly file: string;
  readonly own?: string;
}

export function listWorkflows({ root, home }: Pick<Where, 'root' | 'home'>): readonly Listed[] {
  const own = [...acceptedOf({ root, home }).keys()].flatMap((path) => {
    const name = new RegExp(`^${workflowsFolder}/([^/]+)\\.ya?ml$`).exec(path)?.[1];
    return name === undefined ? [] : [{ name, file: join(root ?? '', path), own: path }];
  });
  const shipped = readdirSync(shippedFolder)
    .sort()
    .flatMap((file) => {
      const name = /^(.+)\.ya?ml$/.exec(file)?.[1];
      return name === undefined ? [] : [{ name, file: join(shippedFolder, file) }];
    });
  const all: readonly Listed[] = [...own, ...shipped];
  return all.filter(({ name }, index) => all.findIndex((one) => one.name === name) === index);
}

/** With accepted rules. The error has every problem. */
export function takeSnapshot(name: string, where: Where): Snapshot {
  const source = findSource(name, where);
  const loaded = loadSource(source, name, where);
  if (!loaded.ok) throw refused(source.file, loaded.problems);
  const ruled = withRules(loaded.workflow, where);
  const hash = createHash('sha256').update(JSON.stringify(ruled.workflow)).digest('hex').slice(0, 32);
  const pending = pendingNote(where);
  const notes = [...inForceNote(source, ruled.isRuled), ...pending];
  return { hash, workflow: ruled.workflow, warnings: ruled.warnings, notes, hasPendingRules: pending.length > 0 };
}

export function checkWorkflow(name: string, where: Where): Loaded {
  return loadSource(findSource(name, where), name, where);
}

/** Step rules as they will be once accepted. */
export function checkStepRules(path: string, base: string, where: Where): Loaded {
  const { file } = findSource(path, where);
  const read = readSmall(file);
  if ('why' in read) throw new BosunError('bad_workflow', `Cannot read ${path}: ${read.why}`);
  const loaded = checkWorkflow(base, where);
  return loaded.ok ? applyStepRules(loaded.workflow, { file: path, text: read.text }) : loaded;
}

export function findWorkflow(name: string, where: Where): string {
  return findSource(name, where).file;
}

function findSource(name: string, where: Where): WorkflowSource {
  const listed = listWorkflows(where);
  const known = listed.find((one) => one.name === name);
  const own = known === undefined ? configuredFile(name, where) : (known.own ?? null);
  if (own !== null) return ownSource(own, where);
  if (known !== undefined) return { kind: 'file', file: known.file };
  const names = listed.map((one) => one.name);
  if (where.opens === 'listed') throw notListed(name, where, names);
  const path = isAbsolute(name) ? name : resolve(where.cwd, name);
  if (existsSync(path) && statSync(path).isFile())
    return { kind: 'file', file: outsideOfHome(path, where.home, where.root) };
  throw (
    notInForce(name, where) ??
    new BosunError('not_found', `No workflow "${name}"`, {
      hint: `${nearestHint(name, names)}There are ${names.join(', ')}. You can also give a file.`,
    })
  );
}

/** It counts as a project rule, because agents can write there. */
function configuredFile(name: string, { root, configured }: Where): string | null {
  return name === configured && root !== null ? workflowInRoot(root, name) : null;
}

function ownSource(path: string, where: Where): WorkflowSource {
  const files = acceptedOf(where);
  if (!files.has(path)) throw notAccepted(path, path, where);
  return { kind: 'accepted', file: join(where.root ?? '', path), path, files };
}

function acceptedOf({ root, home }: Pick<Where, 'root' | 'home'>): AcceptedRules {
  return root === null || home === null ? noRules : acceptedRules(home, root);
}

/** Security: the same answer for an existing path, which reveals nothing of the file system. */
function notListed(name: string, where: Where, names: readonly string[]): BosunError {
  const isPath = /[/\\]|\.ya?ml$/i.test(name);
  if (!isPath) {
    const pending = notInForce(name, where);
    if (pending !== null) return pending;
  }
  return new BosunError(isPath ? 'not_allowed' : 'not_found', `No workflow "${name}"`, {
    hint: `${nearestHint(name, names)}There are ${names.join(', ')}. Only the owner of this Bosun may give a file, in a shell on its machine.`,
  });
}

function nearestHint(name: string, names: readonly string[]): string {
  const near = nearestWord(name, names);
  return near === null ? '' : `Did you mean ${near}? `;
}

/** Null: none waits for acceptance. */
function notInForce(name: string, where: Where): BosunError | null {
  const paths = ['yaml', 'yml'].map((ending) => `${workflowsFolder}/${name}.${ending}`);
  const files = ruleFilesOf(where);
  const path = paths.find((one) => files?.has(one));
  return path === undefined ? null : notAccepted(name, path, where);
}

function ruleFilesOf({ root, home, configured = '' }: Where): RuleFiles | null {
  return root === null || home === null ? null : projectRules(home, { root, workflow: configured }).files;
}

function notAccepted(name: string, path: string, where: Where): BosunError {
  const file = ruleFilesOf(where)?.get(path);
  // Unusable files do not wait for an owner.
  const [why, hint] =
    file?.text === null
      ? [`${path} cannot be used, ${file.why}`, 'Put a plain file in its place, and accept that.']
      : [`${path} waits for an owner to accept it`, howToAccept];
  return new BosunError('not_found', `The workflow "${name}" is not in force: ${why}`, { hint });
}

const howToAccept =
  'Review the difference with "bosun rules PROJECT", then accept it with "bosun rules accept PROJECT".';

interface Ruled {
  readonly workflow: Workflow;
  readonly warnings: readonly string[];
  readonly isRuled: boolean;
}

/** Refuses rules that do not fit; the last fitting ones stay in force. */
function withRules(workflow: Workflow, where: Where): Ruled {
  const rules = acceptedOf(where).get(stepRulesPath);
  if (rules === undefined || where.home === null) return { workflow, warnings: [], isRuled: false };
  const key = createHash('sha256').update(String(where.root)).digest('hex').slice(0, 12);
  const kept = join(where.home, 'rules', `${workflow.name}-${key}.yaml`);
  const ruled = applyStepRules(workflow, { file: stepRulesPath, text: rules.text });
  if (ruled.ok) {
    if (!existsSync(kept) || readFileSync(kept, 'utf8') !== rules.text) replaceFile(kept, rules.text);
    return { workflow: ruled.workflow, warnings: ruled.warnings.map(formatProblem), isRuled: true };
  }
  const warnings = [
    `${stepRulesPath} is invalid, so the previous rules stay in force:`,
    ...ruled.problems.map(formatProblem),
  ];
  if (!existsSync(kept)) return { workflow, warnings, isRuled: false };
  const old = applyStepRules(workflow, { file: kept, text: readFileSync(kept, 'utf8') });
  return { workflow: old.ok ? old.workflow : workflow, warnings, isRuled: old.ok };
}

function inForceNote(source: WorkflowSource, isRuled: boolean): readonly string[] {
  const names = [...(source.kind === 'accepted' ? [source.path] : []), ...(isRuled ? [stepRulesPath] : [])];
  return names.length === 0 ? [] : [`The project's own rules apply: ${names.join(', ')}`];
}

function pendingNote({ root, home, configured = '' }: Where): readonly string[] {
  if (root === null || home === null) return [];
  const { changes } = projectRules(home, { root, workflow: configured });
  if (changes.length === 0) return [];
  const shown = changedNames(changes);
  return [`Not in force until an owner accepts it: ${shown}. On the host: bosun rules PROJECT`];
}

function refused(file: string, problems: readonly Problem[]): BosunError {
  return new BosunError('bad_workflow', problems.map(formatProblem).join('\n'), {
    hint: `Fix ${file}. "bosun workflow check" lists the same problems.`,
  });
}

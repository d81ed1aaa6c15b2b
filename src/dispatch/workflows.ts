// Finding workflow files: shipped ones by name, a project's own in `.ai/workflows/`, any other by its path.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  applyStepRules,
  formatProblem,
  type Loaded,
  loadWorkflow,
  type Problem,
  type Workflow,
} from '../engine/index.js';
import { BosunError } from './error.js';
import { isBelow, outsideOfHome } from './home/index.js';
import { placeOf } from './stray-links.js';

const packageRoot = fileURLToPath(new URL('../..', import.meta.url));
export const shippedFolder = join(packageRoot, 'workflows');
const maxFileBytes = 256 * 1024;

export interface Snapshot {
  readonly hash: string;
  readonly workflow: Workflow;
  /** What the person who starts should know: rules that were refused, for one. */
  readonly warnings: readonly string[];
}

export interface Where {
  /** The project's folder; null outside projects. */
  readonly root: string | null;
  /** What relative paths are relative to. */
  readonly cwd: string;
  /** Where the last good rules of projects are kept. */
  readonly rulesFolder: string | null;
  /** Bosun's home, of which nothing is opened; null where there is none. */
  readonly home: string | null;
  /** `listed`: only a listed name is taken, and no path is looked at. */
  readonly opens: 'listed' | 'any';
}

export function listWorkflows(root: string | null): readonly { readonly name: string; readonly file: string }[] {
  const folders = [...(root ? [join(root, '.ai', 'workflows')] : []), shippedFolder];
  const found = new Map<string, string>();
  for (const folder of folders) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
    for (const file of readdirSync(folder).sort()) {
      const name = /^(.+)\.ya?ml$/.exec(file)?.[1];
      if (name && !found.has(name)) found.set(name, join(folder, file));
    }
  }
  return [...found].map(([name, file]) => ({ name, file }));
}

/** A workflow as it is now, with the project's own rules laid over it. Throws bad_workflow with every problem named. */
export function takeSnapshot(name: string, where: Where): Snapshot {
  const file = findWorkflow(name, where);
  const loaded = loadFile(file, name);
  if (!loaded.ok) throw refused(file, loaded.problems);
  const ruled = withRules(loaded.workflow, where);
  const hash = createHash('sha256').update(JSON.stringify(ruled.workflow)).digest('hex').slice(0, 32);
  return { hash, workflow: ruled.workflow, warnings: ruled.warnings };
}

/** What is wrong with a file, or that nothing is. */
export function checkWorkflow(name: string, where: Where): Loaded {
  return loadFile(findWorkflow(name, where), name);
}

export function findWorkflow(name: string, where: Where): string {
  const known = listWorkflows(where.root).find((one) => one.name === name);
  if (known) return known.file;
  if (where.opens === 'listed') throw notListed(name, where);
  const path = isAbsolute(name) ? name : resolve(where.cwd, name);
  if (existsSync(path) && statSync(path).isFile()) return outsideOfHome(path, where.home, where.root);
  const names = listWorkflows(where.root).map((one) => one.name);
  throw new BosunError('not_found', `No workflow "${name}"`, {
    hint: `There are ${names.join(', ')}; or name a file.`,
  });
}

/** Says nothing about the file system: the answer is the same whether or not there is such a file. */
function notListed(name: string, { root }: Where): BosunError {
  const names = listWorkflows(root).map((one) => one.name);
  const isPath = /[/\\]|\.ya?ml$/i.test(name);
  return new BosunError(isPath ? 'not_allowed' : 'not_found', `No workflow "${name}"`, {
    hint: `There are ${names.join(', ')}. Only the owner of this Bosun may name a file, in a shell on its machine.`,
  });
}

function loadFile(file: string, name: string): Loaded {
  const read = readSmall(file);
  if ('why' in read) return { ok: false, problems: [{ file: name, line: 1, column: 1, message: read.why }] };
  const isShipped = dirname(file) === shippedFolder;
  const shown = isShipped ? basename(file) : name;
  const prompts = isShipped ? [packageRoot] : [dirname(file), packageRoot];
  return loadWorkflow({ file: shown, text: read.text }, (path) => readPrompt(prompts, path));
}

function readPrompt(folders: readonly string[], path: string): string | null {
  for (const folder of folders) {
    const file = resolve(folder, path);
    if (!isBelow(folder, file) || !staysBelow(folder, file)) continue;
    const read = readSmall(file);
    if ('text' in read) return read.text;
  }
  return null;
}

/** A link beside a workflow must not put a file from elsewhere into a prompt. */
function staysBelow(folder: string, file: string): boolean {
  const place = placeOf(file);
  return place !== null && isBelow(placeOf(folder) ?? folder, place);
}

/** The text, or why there is none. A part of a file would say something else than the whole. */
function readSmall(file: string): { readonly text: string } | { readonly why: string } {
  try {
    const found = statSync(file);
    if (!found.isFile()) return { why: 'this is no plain file' };
    if (found.size > maxFileBytes) return { why: `the file is larger than ${maxFileBytes} bytes` };
    return { text: readFileSync(file, 'utf8') };
  } catch (error) {
    return { why: `the file cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** `.ai/step-rules.yaml` over the workflow. Rules that are wrong are refused, and those that were right last stay. */
function withRules(
  workflow: Workflow,
  where: Where,
): { readonly workflow: Workflow; readonly warnings: readonly string[] } {
  const file = where.root && join(where.root, '.ai', 'step-rules.yaml');
  if (!file || !existsSync(file)) return { workflow, warnings: [] };
  const kept =
    where.rulesFolder &&
    join(where.rulesFolder, `${workflow.name}-${createHash('sha256').update(file).digest('hex').slice(0, 12)}.yaml`);
  const read = readSmall(file);
  const shown = '.ai/step-rules.yaml';
  const ruled =
    'text' in read ? applyStepRules(workflow, { file: shown, text: read.text }) : unreadable(shown, read.why);
  if (ruled.ok) {
    if (kept && 'text' in read) keep(kept, read.text);
    return { workflow: ruled.workflow, warnings: ruled.warnings.map(formatProblem) };
  }
  const warnings = ['.ai/step-rules.yaml is refused and the old rules stay:', ...ruled.problems.map(formatProblem)];
  if (!kept || !existsSync(kept)) return { workflow, warnings };
  const old = applyStepRules(workflow, { file: kept, text: readFileSync(kept, 'utf8') });
  return { workflow: old.ok ? old.workflow : workflow, warnings };
}

function unreadable(file: string, message: string): { readonly ok: false; readonly problems: readonly Problem[] } {
  return { ok: false, problems: [{ file, line: 1, column: 1, message }] };
}

function keep(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text, { mode: 0o600 });
  } catch (cause) {
    throw new BosunError('disk', `The step rules could not be kept in ${path}`, {
      hint: 'See that the disk has room and that the folder may be written.',
      cause,
    });
  }
}

function refused(file: string, problems: readonly Problem[]): BosunError {
  return new BosunError('bad_workflow', problems.map(formatProblem).join('\n'), {
    hint: `Mend ${file}; "bosun workflow check" says the same.`,
  });
}

// Security: agents can write these files, so no symlinks, and everything is bounded.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isBelow } from '../home/closed.js';

export const stepRulesPath = '.ai/step-rules.yaml';
export const workflowsFolder = '.ai/workflows';

export const maxRuleFileBytes = 256 * 1024;
const maxRuleFiles = 200;
const maxDepth = 4;

export type RuleFile =
  | { readonly text: string; readonly hash: string }
  | { readonly text: null; readonly hash: string; readonly why: string };

/** Sorted by path in the checkout. */
export type RuleFiles = ReadonlyMap<string, RuleFile>;

export function readRuleFiles(root: string, workflow = ''): RuleFiles {
  const found = new Map<string, RuleFile>();
  if (isPlainFolder(join(root, '.ai'), '.ai', found)) {
    addFile(root, stepRulesPath, found);
    walk(root, workflowsFolder, found, 0);
  }
  const named = workflowInRoot(root, workflow);
  if (named !== null) {
    addFile(root, named, found);
    walk(root, join(dirname(named), 'prompts'), found, 0);
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Null: no file in the checkout. */
export function workflowInRoot(root: string, workflow: string): string | null {
  if (!/[/\\]|\.ya?ml$/i.test(workflow)) return null;
  const path = isAbsolute(workflow) ? workflow : resolve(root, workflow);
  return isBelow(root, path) ? relative(root, path) : null;
}

function walk(root: string, folder: string, found: Map<string, RuleFile>, depth: number): void {
  if (depth > maxDepth || !isPlainFolder(join(root, folder), folder, found)) return;
  for (const entry of entriesOf(root, folder, found)) {
    const path = join(folder, entry.name);
    if (found.size >= maxRuleFiles) return;
    if (entry.isDirectory()) walk(root, path, found, depth + 1);
    else addFile(root, path, found);
  }
}

/** An unreadable folder must not hide the rest. */
function entriesOf(root: string, folder: string, found: Map<string, RuleFile>) {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true }).sort(byName);
  } catch {
    found.set(folder, refused('it cannot be read'));
    return [];
  }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** Records a symlink as refused. */
function isPlainFolder(place: string, path: string, found: Map<string, RuleFile>): boolean {
  const stat = lookAt(place);
  if (stat?.isSymbolicLink()) found.set(path, refused('it is a link'));
  return stat?.isDirectory() === true;
}

function addFile(root: string, path: string, found: Map<string, RuleFile>): void {
  if (lookAt(join(root, path))) found.set(path, read(join(root, path)));
}

function lookAt(place: string) {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function read(place: string): RuleFile {
  let file: number;
  try {
    file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return refused('it is a link, or cannot be read');
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return refused('it is not a plain file');
    if (stat.size > maxRuleFileBytes) return refused(`it is larger than ${maxRuleFileBytes} bytes`);
    const text = readFileSync(file, 'utf8');
    return { text, hash: hashOfText(text) };
  } finally {
    closeSync(file);
  }
}

export function hashOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function refused(why: string): RuleFile {
  return { text: null, hash: `none: ${why}`, why };
}

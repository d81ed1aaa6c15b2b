// Bosun's files, hidden from git. Patterns are anchored at the project: its nested `logs/` stays visible.

import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BosunError } from '../../base/index.js';
import { type Checkout, findCheckout } from './checkout.js';
import { askGit, gitError } from './git.js';
import { isAbsent, readPlain } from './read-within.js';

/** While untracked. Tracked ones are the project's, except `liveNames`. */
const ignoredPatterns = [
  '.ai/',
  'workflow_edits/',
  'workflow_state.json',
  // A killed Bosun leaves it.
  'workflow_state.json.[0-9]*.tmp',
  '.workflow/',
  'progress.txt',
  'archive/r[0-9]*/',
  'logs/*/step-[0-9]*.jsonl',
] as const;

const ignoredName =
  /^(\.ai\/|workflow_edits\/|workflow_state\.json(\.\d[\w-]*\.tmp)?$|\.workflow\/|progress\.txt$|archive\/r\d[^/]*\/|logs\/[^/]+\/step-\d[^/]*\.jsonl$)/;

/** Rewritten while Bosun works: never in a commit, diff or rollback, even if tracked. */
const liveNames = [
  '.ai/STATE.json',
  '.ai/states',
  '.ai/HANDOFF.md',
  '.ai/HANDOFF.previous.md',
  '.ai/executor-result',
  '.ai/runs',
  'workflow_edits',
  'workflow_state.json',
  '.workflow/state.json',
  '.workflow/.ralph',
] as const;

const begin = '# >>> bosun: its own files, kept out of commits';
const end = '# <<< bosun';

export function isLive(checkout: Checkout, path: string): boolean {
  const name = insideProject(checkout, path);
  return name !== null && liveNames.some((live) => name === live || name.startsWith(`${live}/`));
}

export function isIgnoredName(checkout: Checkout, path: string): boolean {
  const name = insideProject(checkout, path);
  return name !== null && isOwnName(name);
}

export function isOwnName(name: string): boolean {
  return ignoredName.test(name);
}

export async function excludeOwnFiles(root: string): Promise<void> {
  await excludeOwnFilesOf(await findCheckout(root));
}

/** True: git did not ignore them before. */
export async function excludeOwnFilesOf(checkout: Checkout): Promise<boolean> {
  return exclude(checkout, ignoredPatterns);
}

export async function excludeFrom(checkout: Checkout, paths: readonly string[]): Promise<void> {
  await exclude(checkout, paths.map(escapeGlob));
}

async function exclude(checkout: Checkout, patterns: readonly string[]): Promise<boolean> {
  const before = await readExclude(checkout.excludePath);
  const after = withBlock(
    before,
    patterns.map((pattern) => `/${escapeGlob(checkout.prefix)}${pattern}`),
  );
  if (after === before) return false;
  try {
    await mkdir(dirname(checkout.excludePath), { recursive: true });
    const target = before === '' ? checkout.excludePath : await realpath(checkout.excludePath);
    // Race: a concurrent writer repeats its lost lines at its next call.
    const part = `${target}.bosun-${randomUUID()}`;
    await writeFile(part, after, 'latin1');
    await rename(part, target);
    return true;
  } catch (cause) {
    throw new BosunError('git', `Cannot write ${checkout.excludePath}`, {
      hint: 'Give the user that runs Bosun write access to the .git folder.',
      cause,
    });
  }
}

async function readExclude(path: string): Promise<string> {
  try {
    return await readPlain(path, { encoding: 'latin1' });
  } catch (cause) {
    if (isAbsent(cause)) return '';
    throw new BosunError('git', `Cannot read ${path}`, {
      hint: 'It must be a plain file of at most 1 MB that the user who runs Bosun may read.',
      cause,
    });
  }
}

// Two projects may share a repository.
function withBlock(text: string, wanted: readonly string[]): string {
  const lines = wanted.map((line) => Buffer.from(line, 'utf8').toString('latin1'));
  const from = text.indexOf(`${begin}\n`);
  const to = from < 0 ? -1 : text.indexOf(end, from);
  if (to < 0) {
    const gap = text === '' || text.endsWith('\n') ? '' : '\n';
    return `${text}${gap}${[begin, ...lines, end].join('\n')}\n`;
  }
  const held = text
    .slice(from + begin.length + 1, to)
    .split('\n')
    .filter((line) => line !== '');
  const missing = lines.filter((line) => !held.includes(line));
  return missing.length === 0
    ? text
    : `${text.slice(0, from)}${[begin, ...held, ...missing, ''].join('\n')}${text.slice(to)}`;
}

function insideProject(checkout: Checkout, path: string): string | null {
  return path.startsWith(checkout.prefixBytes) ? path.slice(checkout.prefixBytes.length) : null;
}

function escapeGlob(prefix: string): string {
  return prefix.replace(/[\\*?[\]]/g, '\\$&');
}

export async function isTracked(root: string, path: string): Promise<boolean> {
  const args = ['ls-files', '--error-unmatch', '--', `:(literal)${path}`];
  const answer = await askGit(root, args);
  if (answer.exit > 1) throw gitError(root, args, answer);
  return answer.exit === 0;
}

export async function hideFromGit(root: string, path: string): Promise<void> {
  const args = ['check-ignore', '--quiet', '--', path];
  const answer = await askGit(root, args);
  if (answer.exit > 1) throw gitError(root, args, answer);
  if (answer.exit === 1) await excludeFrom(await findCheckout(root), [path]);
}

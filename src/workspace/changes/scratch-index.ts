// A copy of the person's index: staging leaves the real index, refs and stash alone. A crash leaves a temporary folder
// and loose objects.
import { copyFile, mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkout } from '../git/checkout.js';
import { askGit, type GitOptions, git, gitRecords, toBytes, wholeTreeMs } from '../git/git.js';
import { isIgnoredName, isLive } from '../git/own-files.js';
import { glance, isSparse, type QuickStatus } from './quick-status.js';
import { parseRaw, type RawChange } from './raw-change.js';

export interface ScratchIndex {
  readonly checkout: Checkout;
  readonly folder: string;
  readonly options: GitOptions;
}

export async function withScratchIndex<T>(checkout: Checkout, work: (scratch: ScratchIndex) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'bosun-index-'));
  try {
    const path = join(folder, 'index');
    await copyIndex(checkout.indexPath, path);
    return await work({
      checkout,
      folder,
      options: { env: { GIT_INDEX_FILE: path }, config: scratchConfig, timeoutMs: wholeTreeMs },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// An unreadable file must fail: a rollback would take it for new and delete it.
const scratchConfig = [
  'core.splitIndex=false',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.safecrlf=false',
  'add.ignoreErrors=false',
  'submodule.recurse=false',
  'advice.addEmbeddedRepo=false',
] as const;

export async function writeTree(scratch: ScratchIndex): Promise<string> {
  return (await git(scratch.checkout.top, ['write-tree'], scratch.options)).trim();
}

/** Null while files are unmerged. */
export async function writeStaged(scratch: ScratchIndex): Promise<string | null> {
  const answer = await askGit(scratch.checkout.top, ['write-tree'], scratch.options);
  return answer.exit === 0 ? answer.out.trim() : null;
}

/** Own files, submodules and `large` come from `base`, so they never differ. */
export async function snapshot(
  scratch: ScratchIndex,
  base: string,
  found?: Pick<QuickStatus, 'embedded' | 'large' | 'changed'>,
): Promise<string> {
  const { embedded, large, changed } = found ?? { ...(await glance(scratch, null)), large: [] };
  const tooLarge = large.map(({ path }) => path);
  if (changed === null) await stageAll(scratch, [...embedded, ...tooLarge]);
  else
    await stageFiles(
      scratch,
      changed.filter((path) => !tooLarge.includes(path)),
    );
  await keepOut(scratch, base, new Set(tooLarge));
  return writeTree(scratch);
}

/** A status just named them: no second scan. */
async function stageFiles(scratch: ScratchIndex, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  // `--replace`: a file may have become a folder, or the reverse.
  const args = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
  await git(scratch.checkout.top, args, { ...scratch.options, input: toBytes(paths) });
}

async function stageAll(scratch: ScratchIndex, except: readonly string[]): Promise<void> {
  const { checkout, options } = scratch;
  // Git refuses to add a repository without commits.
  const left = [...except, ...(await listSubmodules(scratch))];
  const pathspecs = [':/', ...left.map(leavingOut)];
  // Older git lacks the option.
  const sparse = isSparse(scratch) ? ['--sparse'] : [];
  const args = ['add', '--all', ...sparse, '--pathspec-from-file=-', '--pathspec-file-nul'];
  await git(checkout.top, args, { ...options, input: toBytes(pathspecs) });
}

/** Security: git would run what a submodule's settings say. */
export async function listSubmodules({ checkout, options }: ScratchIndex): Promise<readonly string[]> {
  const path = options.env?.['GIT_INDEX_FILE'];
  const index = path === undefined ? null : await readFile(path).catch(() => null);
  // Fast path: mode 160000 in four bytes marks a submodule; a split index keeps entries elsewhere.
  if (index !== null && !index.includes(submoduleMode) && !index.includes('link')) return [];
  const entries = await gitRecords(checkout.top, ['ls-files', '--stage', '-z'], options);
  return entries.filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.slice(entry.indexOf('\t') + 1));
}

const submoduleMode = Buffer.from([0, 0, 0xe0, 0]);

export function leavingOut(path: string): string {
  return `:(top,exclude,literal)${path}`;
}

export async function resetScratch(scratch: ScratchIndex, tree: string): Promise<void> {
  await git(scratch.checkout.top, ['read-tree', '--reset', tree], scratch.options);
}

export async function changedFrom(scratch: ScratchIndex, base: string): Promise<RawChange[]> {
  const args = [
    'diff-index',
    '--cached',
    '--raw',
    '-z',
    '--no-renames',
    '--no-abbrev',
    '--ignore-submodules=none',
    base,
    '--',
  ];
  return parseRaw(await gitRecords(scratch.checkout.top, args, scratch.options));
}

/** Added entries are removed. */
export async function putBack(scratch: ScratchIndex, changes: readonly RawChange[]): Promise<void> {
  await putEntries(
    scratch,
    changes.map(({ oldMode, oldSha, path }) => ({ mode: oldMode, sha: oldSha, path })),
  );
}

export async function putChanges(scratch: ScratchIndex, changes: readonly RawChange[]): Promise<void> {
  await putEntries(
    scratch,
    changes.map(({ newMode, newSha, path }) => ({ mode: newMode, sha: newSha, path })),
  );
}

export async function putEntries(scratch: ScratchIndex, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const lines = entries.map(({ mode, sha, path }) => `${mode === '000000' ? '0' : mode} ${sha}\t${path}`);
  const args = ['update-index', '-z', '--index-info'];
  await git(scratch.checkout.top, args, { ...scratch.options, input: toBytes(lines) });
}

interface Entry {
  readonly mode: string;
  readonly sha: string;
  readonly path: string;
}

export async function keepOut(scratch: ScratchIndex, base: string, others = new Set<string>()): Promise<void> {
  const { checkout } = scratch;
  const own = (await changedFrom(scratch, base)).filter(
    (change) =>
      isSubmodule(change) ||
      others.has(change.path) ||
      isLive(checkout, change.path) ||
      (change.status === 'A' && isIgnoredName(checkout, change.path)),
  );
  await putBack(scratch, own);
}

export function isSubmodule({ oldMode, newMode }: RawChange): boolean {
  return oldMode === '160000' || newMode === '160000';
}

// "Racy git": git distrusts entries as young as their index. Round the copy's time down, or a change within the tick is
// missed.
async function copyIndex(from: string, to: string): Promise<void> {
  const original = await stat(from).catch(() => null);
  if (original === null) return;
  await copyFile(from, to);
  await utimes(to, original.atime, new Date(Math.floor(original.mtimeMs)));
}

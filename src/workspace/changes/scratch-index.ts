// A copy of the person's index: staging leaves the real index, refs and stash alone. A crash leaves a temporary folder
// and loose objects.
import { copyFile, mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkout } from '../git/checkout.js';
import { askGit, type GitOptions, git, gitRecords, toBytes, wholeTreeMs } from '../git/git.js';
import { isIgnoredName, isLive } from '../git/own-files.js';
import { glance, isSparse, type QuickStatus } from './quick-status.js';
import { type LineCounts, parseRaw, parseRawAndNumstat, type RawChange } from './raw-change.js';

export interface ScratchIndex {
  readonly checkout: Checkout;
  readonly folder: string;
  readonly options: GitOptions;
}

export async function withScratchIndex<T>(checkout: Checkout, work: (scratch: ScratchIndex) => Promise<T>): Promise<T> {
  return withIndexCopy(checkout.indexPath, (copy) => work({ ...copy, checkout }));
}

export async function withIndexCopy<T>(
  indexPath: string,
  work: (copy: Omit<ScratchIndex, 'checkout'>) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'bosun-index-'));
  try {
    const path = join(folder, 'index');
    await copyIndex(indexPath, path);
    return await work({
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

export interface Snapshot {
  readonly tree: string;
  /** Against `base`. */
  readonly changes: readonly RawChange[];
}

type Found = Pick<QuickStatus, 'embedded' | 'large' | 'changed'>;

/** Own files, submodules and `large` come from `base`, so they never differ. */
export async function snapshot(scratch: ScratchIndex, base: string, found?: Found): Promise<string> {
  return (await snapshotAndChanges(scratch, base, found)).tree;
}

export async function snapshotAndChanges(scratch: ScratchIndex, base: string, found?: Found): Promise<Snapshot> {
  return snapshotWith(scratch, found, async () => ({ changes: await changedFrom(scratch, base) }));
}

/** With the lines changed, at the price of a diff of each file. */
export async function snapshotAndLines(
  scratch: ScratchIndex,
  base: string,
  found: Found,
): Promise<Snapshot & { readonly lines: LineCounts }> {
  return snapshotWith(scratch, found, () => countChanges(scratch, base));
}

async function snapshotWith<T extends Pick<Snapshot, 'changes'>>(
  scratch: ScratchIndex,
  found: Found | undefined,
  compare: () => Promise<T>,
): Promise<T & { readonly tree: string }> {
  const { embedded, large, changed } = found ?? { ...(await glance(scratch, null)), large: [] };
  const tooLarge = large.map(({ path }) => path);
  if (changed === null) await stageAll(scratch, [...embedded, ...tooLarge]);
  else
    await stageFiles(
      scratch,
      changed.filter((path) => !tooLarge.includes(path)),
    );
  const others = new Set(tooLarge);
  // Git compares while it writes trees; own files rarely make it write them again.
  const [compared, written] = await Promise.allSettled([compare(), writeTree(scratch)]);
  if (compared.status === 'rejected') throw compared.reason;
  const own = notOfWork(scratch, compared.value.changes, others);
  if (own.length > 0) {
    await putBack(scratch, own);
    return { ...(await compare()), tree: await writeTree(scratch) };
  }
  if (written.status === 'rejected') throw written.reason;
  return { ...compared.value, tree: written.value };
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
  return parseRaw(await gitRecords(scratch.checkout.top, [...diffIndex, base, '--'], scratch.options));
}

async function countChanges(scratch: ScratchIndex, base: string) {
  const args = [...diffIndex, '--numstat', '--no-ext-diff', '--no-textconv', base, '--'];
  return parseRawAndNumstat(await gitRecords(scratch.checkout.top, args, scratch.options));
}

const diffIndex = [
  ...['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-relative', '--no-abbrev'],
  '--ignore-submodules=none',
];

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

export async function keepOut(scratch: ScratchIndex, base: string): Promise<void> {
  await putBack(scratch, notOfWork(scratch, await changedFrom(scratch, base), new Set()));
}

/** Own files, submodules and `others`. */
function notOfWork(
  { checkout }: ScratchIndex,
  changes: readonly RawChange[],
  others: ReadonlySet<string>,
): readonly RawChange[] {
  return changes.filter(
    (change) =>
      isSubmodule(change) ||
      others.has(change.path) ||
      isLive(checkout, change.path) ||
      (change.status === 'A' && isIgnoredName(checkout, change.path)),
  );
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

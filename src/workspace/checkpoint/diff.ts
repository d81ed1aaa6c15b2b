import { BosunError } from '../../base/index.js';
import type { DiffStat, FileChange } from '../../engine/index.js';
import { type LargeFile, tellLarge } from '../changes/large-files.js';
import { withScan } from '../changes/open-and-scan.js';
import type { QuickStatus } from '../changes/quick-status.js';
import { type LineCounts, parseNumstat } from '../changes/raw-change.js';
import { type ScratchIndex, snapshotAndLines } from '../changes/scratch-index.js';
import { type Checkout, findCheckout, tellPaths, tryOpen } from '../git/checkout.js';
import { askGit, gitError, gitRecords, toText, wholeTreeMs } from '../git/git.js';
import type { Checkpoint } from './checkpoint.js';

export interface Diff {
  readonly from: string;
  readonly to: string;
  readonly stat: DiffStat;
  readonly files: readonly string[];
  /** Without files too large for a tree. */
  readonly changes: readonly FileChange[];
  patch(maxBytes?: number): Promise<string>;
  wholeFile(path: string, maxBytes?: number): Promise<string>;
}

const patchMaxBytes = 1024 * 1024;
const allLines = 10_000_000;

// Overrides personal diff settings, so that the patch applies.
export const patchFlags = [
  '-r',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-relative',
  '--full-index',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--ignore-submodules=all',
] as const;

export async function diffSince(root: string, since: Checkpoint): Promise<Diff> {
  const open = () => openForDiff(root, since);
  return withScan(root, open, async ({ checkout, head, from }, scratch, found) => {
    const isSame = found.isClean && head?.tree === from;
    const diff = isSame ? { ...nothing, from, to: from } : await diffPresent(scratch, from, found);
    return withLarge(checkout, diff, since, found.large);
  });
}

async function openForDiff(root: string, since: Checkpoint) {
  const quick = await tryOpen(root, since.tree);
  if (quick !== null) return { checkout: quick.checkout, head: quick.head, from: quick.more };
  const checkout = await findCheckout(root);
  if (await hasTree(checkout, since.tree)) return { checkout, head: null, from: since.tree };
  throw new BosunError('git', `The checkpoint ${since.tree} no longer exists in the repository of ${root}`, {
    hint: `git gc deleted it. Compare with its commit instead: git diff ${since.head}`,
  });
}

async function diffPresent(scratch: ScratchIndex, from: string, found: QuickStatus): Promise<Diff> {
  const { tree, lines } = await snapshotAndLines(scratch, from, found);
  return describeDiff(scratch.checkout, from, tree, lines);
}

function withLarge(checkout: Checkout, diff: Diff, since: Checkpoint, now: readonly LargeFile[]): Diff {
  const { changed, gone } = changedLarge(since, now);
  if (changed.length + gone.length === 0) return diff;
  const { stat } = diff;
  const largeBytes = changed.reduce((sum, { bytes }) => sum + bytes, 0);
  const paths = [...changed, ...gone].map(({ path }) => path);
  return {
    ...diff,
    stat: { ...stat, files: stat.files + paths.length, largeBytes },
    files: [...diff.files, ...tellPaths(checkout, paths)],
    patch: async (maxBytes) => {
      const told = tellLarge(checkout, changed).map((one) => `# ${one} is too large to show\n`);
      return `${await diff.patch(maxBytes)}${told.join('')}`;
    },
  };
}

export function changedLarge({ leftOut = [] }: Pick<Checkpoint, 'leftOut'>, now: readonly LargeFile[]) {
  const before = new Map(leftOut.map((one) => [one.path, one]));
  const paths = new Set(now.map(({ path }) => path));
  const isSame = (one: LargeFile) => {
    const was = before.get(one.path);
    return was?.bytes === one.bytes && was.mtimeMs === one.mtimeMs;
  };
  return { changed: now.filter((one) => !isSame(one)), gone: leftOut.filter(({ path }) => !paths.has(path)) };
}

export async function diffFrom(root: string, commit: string): Promise<Diff> {
  return diffSince(root, { head: commit, branch: null, tree: commit, staged: null });
}

export async function diffCommits(root: string, to: string, from = `${to}~1`): Promise<Diff | null> {
  const checkout = await findCheckout(root);
  if (!(await hasTree(checkout, commitish(to))) || !(await hasTree(checkout, commitish(from)))) return null;
  return diffTrees(checkout, from, to);
}

export async function diffStat(root: string, from: string, to: string): Promise<DiffStat> {
  const records = await numstat(root, commitish(from), commitish(to));
  return parseNumstat(records).stat;
}

const nothing: Omit<Diff, 'from' | 'to'> = {
  stat: { files: 0, insertions: 0, deletions: 0 },
  files: [],
  changes: [],
  patch: () => Promise.resolve(''),
  wholeFile: () => Promise.resolve(''),
};

export async function diffTrees(checkout: Checkout, from: string, to: string): Promise<Diff> {
  if (from === to) return { ...nothing, from, to };
  return describeDiff(checkout, from, to, parseNumstat(await numstat(checkout.top, from, to)));
}

function describeDiff(checkout: Checkout, from: string, to: string, { stat, files }: LineCounts): Diff {
  const paths = tellPaths(
    checkout,
    files.map(({ path }) => path),
  );
  return {
    ...{ from, to, stat },
    files: paths,
    changes: files.slice(0, paths.length).map((file, index) => ({ ...file, path: paths[index] ?? file.path })),
    patch: (maxBytes = patchMaxBytes) => readPatch(checkout, [from, to, '--'], maxBytes),
    wholeFile: (path, maxBytes = patchMaxBytes) =>
      readPatch(checkout, [`-U${allLines}`, from, to, '--', `:(top,literal)${path}`], maxBytes),
  };
}

export async function hasTree(checkout: Checkout, tree: string): Promise<boolean> {
  return (await askGit(checkout.top, ['cat-file', '-e', `${tree}^{tree}`])).exit === 0;
}

function numstat(folder: string, from: string, to: string): Promise<string[]> {
  return gitRecords(folder, ['diff-tree', '--numstat', '-z', ...patchFlags, from, to, '--'], {
    timeoutMs: wholeTreeMs,
  });
}

async function readPatch(checkout: Checkout, what: readonly string[], maxBytes: number): Promise<string> {
  const args = ['diff-tree', '-p', ...patchFlags, ...what];
  const answer = await askGit(checkout.top, args, { stdoutMaxBytes: maxBytes, timeoutMs: wholeTreeMs });
  if (answer.exit !== 0 && !answer.isCut) throw gitError(checkout.top, args, answer);
  if (!answer.isCut) return toText(answer.out);
  return `${toText(answer.out.slice(0, answer.out.lastIndexOf('\n') + 1))}… cut after ${maxBytes} bytes\n`;
}

// Security: an untrusted name must not pass for an option.
function commitish(name: string): string {
  if (!name.startsWith('-')) return name;
  throw new BosunError('git', `"${name}" is not a commit`, { hint: 'Give a commit id or a branch.' });
}

export async function lastCommit(
  root: string,
): Promise<{ readonly sha: string; readonly message: string; readonly parent: string | null } | null> {
  const answer = await askGit(root, ['log', '-1', '--format=%H%n%P%n%B']);
  if (answer.exit !== 0) return null;
  const [sha = '', parents = '', ...message] = toText(answer.out).split('\n');
  return { sha, message: message.join('\n'), parent: parents.split(' ')[0] || null };
}

// A file that was ignored at the checkpoint is not in it. When the work since then made it visible (by editing a
// .gitignore), it looks like a new file, and a rollback would delete it: somebody's .env. The rules of then decide.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { changedFrom, putBack, type ScratchIndex, writeTree } from '../changes/scratch-index.js';
import { askGit, git, gitError, gitRecords, toBytes } from '../git/git.js';

/** Takes such files out of the scratch index, which holds `present`, and returns the tree without them. */
export async function leaveFormerlyIgnored(scratch: ScratchIndex, base: string, present: string): Promise<string> {
  const changes = await changedFrom(scratch, base);
  if (!changes.some(({ path }) => path === '.gitignore' || path.endsWith('/.gitignore'))) return present;
  const added = changes.filter(({ status }) => status === 'A');
  if (added.length === 0) return present;
  const ignored = await listIgnoredThen(
    scratch,
    base,
    added.map(({ path }) => path),
  );
  if (ignored.size === 0) return present;
  await putBack(
    scratch,
    added.filter(({ path }) => ignored.has(path)),
  );
  return writeTree(scratch);
}

// Git reads the rules from files, so the old .gitignore files are laid out in an otherwise empty folder.
async function listIgnoredThen(scratch: ScratchIndex, base: string, paths: readonly string[]): Promise<Set<string>> {
  const { checkout, folder } = scratch;
  const rules = join(folder, 'rules');
  await mkdir(rules);
  const env = { GIT_INDEX_FILE: join(folder, 'index-of-then') };
  const then = { ...scratch.options, env };
  await git(checkout.top, ['read-tree', base], then);
  const files = await gitRecords(checkout.top, ['ls-files', '-z', '--', ':(top,glob)**/.gitignore'], then);
  const checkoutArgs = ['checkout-index', '-z', '--stdin', `--prefix=${rules}/`];
  await git(checkout.top, checkoutArgs, { ...then, input: toBytes(files) });
  const args = [`--git-dir=${checkout.gitDir}`, `--work-tree=${rules}`, 'check-ignore', '--no-index', '-z', '--stdin'];
  const answer = await askGit(rules, args, { ...then, input: toBytes(paths) });
  if (answer.exit > 1) throw gitError(checkout.top, ['check-ignore'], answer);
  return new Set(answer.out.split('\0').filter((path) => path !== ''));
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Checkout, pathsMax, tellPaths } from '../git/checkout.js';
import { askGit, gitError, toText, wholeTreeMs } from '../git/git.js';
import { excludeOwnFilesOf, isIgnoredName, isLive } from '../git/own-files.js';
import { inspectRoot, type RootState } from '../inspection/inspect.js';

// Fits `pathsMax` of the longest records.
const listMaxBytes = 48 * 1024 * 1024;

/** Relative to the project; an untracked folder is one path. */
export async function foreignChanges(checkout: Checkout): Promise<readonly string[]> {
  return tellPaths(checkout, await listForeign(checkout));
}

/** Both at once. `files`: as `foreignChanges`; none unless the state is ok. */
export async function inspectChanges(
  root: string,
): Promise<{ readonly state: RootState; readonly files: readonly string[] }> {
  const [inspected, asked] = await Promise.allSettled([inspectRoot(root), askForeign(root)]);
  if (inspected.status === 'rejected') throw inspected.reason;
  const state = inspected.value;
  if (state.kind !== 'ok') return { state, files: [] };
  const { checkout } = state;
  if (await excludeOwnFilesOf(checkout)) return { state, files: await foreignChanges(checkout) };
  if (asked.status === 'rejected') throw asked.reason;
  return { state, files: tellPaths(checkout, readForeign(checkout, asked.value)) };
}

/** At most one more than `pathsMax`. */
export async function listForeign(checkout: Checkout): Promise<string[]> {
  return readForeign(checkout, await askForeign(checkout.top));
}

async function askForeign(folder: string): Promise<string> {
  const args = [
    'status',
    '--porcelain=v2',
    '-z',
    '--untracked-files=normal',
    '--ignore-submodules=all',
    '--no-renames',
  ];
  const answer = await askGit(folder, args, { stdoutMaxBytes: listMaxBytes, timeoutMs: wholeTreeMs });
  if (answer.exit !== 0 && !answer.isCut) throw gitError(folder, args, answer);
  return answer.isCut ? answer.out.slice(0, answer.out.lastIndexOf('\0')) : answer.out;
}

function readForeign(checkout: Checkout, whole: string): string[] {
  const found: string[] = [];
  for (const record of whole.split('\0')) {
    const path = foreignPath(checkout, record);
    if (path !== null) found.push(path);
    if (found.length > pathsMax) break;
  }
  return found;
}

// `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`, `? path`
function foreignPath(checkout: Checkout, record: string): string | null {
  if (record.startsWith('? ')) {
    const path = record.slice(2);
    if (isIgnoredName(checkout, path)) return null;
    // Git cannot stash, commit or restore a nested repository.
    return path.endsWith('/') && existsSync(join(checkout.top, toText(path), '.git')) ? null : path;
  }
  const fields = record.startsWith('1 ') ? 8 : record.startsWith('u ') ? 10 : null;
  if (fields === null) return null;
  const path = record.split(' ').slice(fields).join(' ');
  return isLive(checkout, path) ? null : path;
}

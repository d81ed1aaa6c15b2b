import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Checkout, pathsMax, tellPaths } from '../git/checkout.js';
import { askGit, gitError, toText, wholeTreeMs } from '../git/git.js';
import { isIgnoredName, isLive } from '../git/own-files.js';

// Fits `pathsMax` of the longest records.
const listMaxBytes = 48 * 1024 * 1024;

/** Relative to the project; an untracked folder is one path. */
export async function foreignChanges(checkout: Checkout): Promise<readonly string[]> {
  return tellPaths(checkout, await listForeign(checkout));
}

/** At most one more than `pathsMax`. */
export async function listForeign(checkout: Checkout): Promise<string[]> {
  const args = [
    'status',
    '--porcelain=v2',
    '-z',
    '--untracked-files=normal',
    '--ignore-submodules=all',
    '--no-renames',
  ];
  const answer = await askGit(checkout.top, args, { stdoutMaxBytes: listMaxBytes, timeoutMs: wholeTreeMs });
  if (answer.exit !== 0 && !answer.isCut) throw gitError(checkout.top, args, answer);
  const whole = answer.isCut ? answer.out.slice(0, answer.out.lastIndexOf('\0')) : answer.out;
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

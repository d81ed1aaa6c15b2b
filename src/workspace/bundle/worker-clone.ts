// Config without credentials. Built aside and renamed, so a crash leaves no partial clone.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { inTurn, isAlive } from '../../base/index.js';
import { askGit, git, toText } from '../git/git.js';
import { askRemote, publicAddress, type Remote, type RemoteCall } from '../git/remote.js';
import { type Blocked, blocked, unattended } from '../git/unattended.js';
import { realPath } from '../git/worktree-list.js';

type Opened = { readonly kind: 'ready' } | Blocked;

const cloneMs = 1_800_000;
const refreshMs = 60_000;
const housekeepingMs = 120_000;
const lockOldMs = 600_000;
const markName = 'bosun-clone';
/** Git fetches larger old blobs on demand. */
const filter = 'blob:limit=1m';

export async function openClone(path: string, remote: string, signal?: AbortSignal): Promise<Opened> {
  const opened = await inTurn(await realPath(path), () => open(path, publicAddress(remote, path), signal), signal);
  return opened ?? blocked(`${path} was not opened: the operation was cancelled`, 'Retry if you still need it.');
}

async function open(path: string, url: string, signal: AbortSignal | undefined): Promise<Opened> {
  if (url.startsWith('-') || url.trim() === '')
    return blocked(`"${url}" is not a valid address of a remote`, 'Correct git.remote.');
  await mkdir(dirname(path), { recursive: true });
  await removeLeftovers(path);
  if (await isWhole(path, url)) {
    await refresh(path, url, signal);
    return keep(path);
  }
  if (existsSync(path) && !(await isOwn(path))) {
    return blocked(`${path} already exists and is not a clone of Bosun's`, `Move ${path} away, then try again.`);
  }
  const part = `${partPrefix(path)}${process.pid}-${randomUUID()}`;
  try {
    const made = await clone(part, url, signal);
    return made.kind === 'blocked' ? made : await putInPlace(part, path, url);
  } finally {
    await rm(part, { recursive: true, force: true, maxRetries: 8 });
  }
}

async function clone(part: string, url: string, signal: AbortSignal | undefined): Promise<Opened> {
  await mkdir(part, { mode: 0o700 });
  await git(part, ['init', '--quiet', '--bare', '--template='], { config: unattended });
  await git(part, ['config', 'remote.origin.url', url]);
  await git(part, ['config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*']);
  // The worker user's settings must not affect the project.
  await git(part, ['config', 'core.excludesFile', '/dev/null']);
  await git(part, ['config', 'core.autocrlf', 'false']);
  const remote: Remote = { kind: 'remote', name: 'origin', url };
  const args = ['fetch', `--filter=${filter}`, '--no-write-fetch-head', '--quiet', 'origin'];
  const answer = await askRemote(part, remote, args, { ...errand(url), signal });
  if ('kind' in answer) return answer;
  await writeFile(join(part, markName), `${url}\n`);
  return { kind: 'ready' };
}

/** Agents compare with origin. Best effort: the attempt's fetch reports a broken remote. */
async function refresh(path: string, url: string, signal: AbortSignal | undefined): Promise<void> {
  const remote: Remote = { kind: 'remote', name: 'origin', url };
  const args = ['fetch', '--prune', '--no-tags', '--no-write-fetch-head', '--quiet', 'origin'];
  await askRemote(path, remote, args, { ...errand(url), timeoutMs: refreshMs, signal });
}

function errand(url: string): RemoteCall {
  const silent = 'Check that git clone works there by hand, as the user that runs the worker, then retry.';
  const hints = { rejected: silent, silent };
  const failing = `${url} could not be cloned`;
  return { failing, late: 'did not send it', timeoutMs: cloneMs, config: unattended, hints };
}

async function putInPlace(part: string, path: string, url: string): Promise<Opened> {
  const old = `${part}.old`;
  if (existsSync(path)) await rename(path, old);
  try {
    await rename(part, path);
  } catch {
    // Race lost to another process.
    if (!(await isWhole(path, url)))
      return blocked(`Cannot create ${path}`, 'Check the file permissions there, then retry.');
  } finally {
    await rm(old, { recursive: true, force: true, maxRetries: 8 });
  }
  return { kind: 'ready' };
}

/** Reads the object behind every ref, which reveals a lost pack. */
async function isWhole(path: string, url: string): Promise<boolean> {
  if (!(await isOwn(path))) return false;
  const facts = await askGit(path, ['rev-parse', '--is-bare-repository', '--absolute-git-dir']);
  const [isBare, gitDir = ''] = toText(facts.out).split('\n');
  if (facts.exit !== 0 || isBare !== 'true' || (await realPath(gitDir)) !== (await realPath(path))) return false;
  const set = await askGit(path, ['config', '--get', 'remote.origin.url']);
  if (toText(set.out).trim() !== url) return false;
  const args = ['for-each-ref', '--format=%(objecttype) %(tree)'];
  return (await askGit(path, args)).exit === 0;
}

async function isOwn(path: string): Promise<boolean> {
  return (await stat(join(path, markName)).catch(() => null)) !== null;
}

async function keep(path: string): Promise<Opened> {
  for (const name of ['config.lock', 'packed-refs.lock', 'shallow.lock']) {
    const lock = await stat(join(path, name)).catch(() => null);
    if (lock !== null && Date.now() - lock.mtimeMs > lockOldMs) await rm(join(path, name), { force: true });
  }
  const config = ['core.hooksPath=/dev/null', 'gc.autoDetach=false'];
  await askGit(path, ['gc', '--auto', '--quiet'], { config, timeoutMs: housekeepingMs }).catch(() => null);
  return { kind: 'ready' };
}

async function removeLeftovers(path: string): Promise<void> {
  const prefix = basename(partPrefix(path));
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (pid !== process.pid && isAlive(pid)) continue;
    await rm(join(dirname(path), name), { recursive: true, force: true, maxRetries: 8 });
  }
}

function partPrefix(path: string): string {
  return `${path}.new-`;
}

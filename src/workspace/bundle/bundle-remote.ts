// Bundle refs are no branches: branch hooks do not run, and overwrites are safe. Failures are text for people.

import { BosunError } from '../../base/index.js';
import { findCheckout } from '../git/checkout.js';
import { askGit, gitLine, toText } from '../git/git.js';
import type { Pushed } from '../git/push.js';
import { askRemote, findRemote, publicAddress, type Remote, type RemoteCall, tellRemote } from '../git/remote.js';
import { type Blocked, blocked, unattended } from '../git/unattended.js';

export interface BundleRef {
  readonly ref: string;
  readonly commit: string;
}

const carryMs = 600_000;
const listMs = 60_000;
const atOnceMax = 200;
const listedMax = 10_000;

const hints = {
  rejected: "Allow Bosun to write and delete refs/bosun/* there, or set the project's git.remote to another remote.",
  silent: 'Check that git fetch and git push work there by hand, then retry.',
};

/** Without credentials; null: no such remote. */
export async function remoteAddress(folder: string, remote: string): Promise<string | null> {
  const found = await findRemote(folder, remote);
  return found.kind === 'blocked' ? null : publicAddress(found.url, (await findCheckout(folder)).top);
}

/** A local ref of the same name keeps the commit from gc. */
export async function pushBundle(folder: string, to: string, sent: BundleRef, signal?: AbortSignal): Promise<Pushed> {
  const found = refuseRef(sent) ?? (await findRemote(folder, to));
  if (found.kind === 'blocked') return found;
  await gitLine(folder, ['update-ref', sent.ref, sent.commit]);
  const flags = ['--no-verify', '--force', '--no-follow-tags', '--no-signed', '--recurse-submodules=no', '--quiet'];
  const args = ['push', ...flags, '--', found.name ?? found.url, `${sent.commit}:${sent.ref}`];
  const failing = `the work for ${sent.ref} could not be pushed`;
  const answer = await askRemote(folder, found, args, { ...carrying(failing, 'did not accept it'), signal });
  if ('kind' in answer) return answer;
  return { kind: 'pushed', remote: tellRemote(found), url: publicAddress(found.url, folder) };
}

export async function fetchBundle(
  folder: string,
  from: string,
  wanted: BundleRef,
  signal?: AbortSignal,
): Promise<{ readonly kind: 'fetched' } | Blocked> {
  const found = refuseRef(wanted) ?? (await findRemote(folder, from));
  if (found.kind === 'blocked') return found;
  if ((await readRef(folder, wanted.ref)) === wanted.commit) return { kind: 'fetched' };
  const flags = ['--force', '--no-tags', '--no-prune', '--refmap=', '--no-write-fetch-head', '--recurse-submodules=no'];
  const source = await fetchedFrom(folder, found);
  const args = ['fetch', ...flags, '--quiet', '--', source, `+${wanted.ref}:${wanted.ref}`];
  const failing = `${wanted.ref} could not be fetched`;
  const answer = await askRemote(folder, found, args, { ...carrying(failing, 'did not send it'), signal });
  if ('kind' in answer) return answer;
  if ((await readRef(folder, wanted.ref)) === wanted.commit) return { kind: 'fetched' };
  const why = `${failing}: ${tellRemote(found)} has a different commit there, not ${wanted.commit.slice(0, 10)}`;
  return blocked(why, 'Another process wrote there: retry.');
}

export async function forgetBundles(folder: string, refs: readonly string[]): Promise<void> {
  const lines = refs.filter(isBundleRef).map((ref) => `delete ${ref}\n`);
  await gitLine(folder, ['update-ref', '--stdin'], { input: Buffer.from(lines.join('')) });
}

export async function dropBundles(folder: string, remote: string, refs: readonly string[]): Promise<string | null> {
  try {
    const odd = refs.find((ref) => !isBundleRef(ref));
    if (odd !== undefined) return `${odd} is not one of Bosun's refs`;
    await forgetBundles(folder, refs);
    const found = await findRemote(folder, remote);
    if (found.kind === 'blocked') return tell(found);
    for (let at = 0; at < refs.length; at += atOnceMax) {
      const problem = await dropAt(folder, found, refs.slice(at, at + atOnceMax));
      if (problem !== null) return problem;
    }
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function dropAt(folder: string, remote: Remote, refs: readonly string[]): Promise<string | null> {
  const there = new Set(await listAt(folder, remote, refs));
  const left = refs.filter((ref) => there.has(ref));
  if (left.length === 0) return null;
  const args = ['push', '--no-verify', '--recurse-submodules=no', '--quiet', '--', remote.name ?? remote.url];
  const failing = `${left.length === 1 ? left[0] : `${left.length} refs`} could not be deleted`;
  const all = [...args, ...left.map((ref) => `:${ref}`)];
  const answer = await askRemote(folder, remote, all, carrying(failing, 'refused it'));
  return 'kind' in answer ? tell(answer) : null;
}

export async function listBundles(folder: string, remote: string, prefix: string): Promise<readonly string[]> {
  const found = await findRemote(folder, remote);
  if (found.kind === 'blocked') throw new BosunError('git', found.why, { hint: found.hint });
  const below = `${prefix.replace(/\/+$/, '')}/`;
  const refs = await listAt(folder, found, [`${below}*`]);
  return refs.filter((ref) => ref.startsWith(below) && isBundleRef(ref)).slice(0, listedMax);
}

async function listAt(folder: string, remote: Remote, patterns: readonly string[]): Promise<string[]> {
  const args = ['ls-remote', '--quiet', '--refs', '--', remote.name ?? remote.url, ...patterns];
  const failing = 'the refs of Bosun could not be listed';
  const answer = await askRemote(folder, remote, args, {
    ...carrying(failing, 'did not list them'),
    timeoutMs: listMs,
  });
  if ('kind' in answer) throw new BosunError('git', answer.why, { hint: answer.hint });
  return toText(answer.out)
    .split('\n')
    .flatMap((line) => line.split('\t').slice(1));
}

function carrying(failing: string, late: string): RemoteCall {
  return { failing, late, timeoutMs: carryMs, config: unattended, hints };
}

function tell({ why, hint }: Blocked): string {
  return `${why}\n${hint}`;
}

/** Bundles lie at the push address, which may differ from the fetch address. */
async function fetchedFrom(folder: string, { name, url }: Remote): Promise<string> {
  if (name === null) return url;
  return (await gitLine(folder, ['remote', 'get-url', '--', name])) === url ? name : url;
}

async function readRef(folder: string, ref: string): Promise<string | null> {
  const answer = await askGit(folder, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
  return answer.exit === 0 ? answer.out.trim() : null;
}

/** Security: the ref comes from another machine and must never name a person's branch. */
function refuseRef({ ref, commit }: BundleRef): Blocked | null {
  if (isBundleRef(ref) && /^[0-9a-f]{40,64}$/.test(commit)) return null;
  return blocked(`"${ref.slice(0, 200)}" at "${commit.slice(0, 64)}" is not a packed checkout`, 'Retry the step.');
}

function isBundleRef(ref: string): boolean {
  return /^refs\/bosun(\/[\w][\w.-]*)+$/.test(ref) && ref.length <= 500 && !/\.\.|\.lock(\/|$)|\.(\/|$)/.test(ref);
}

import { resolve } from 'node:path';
import { BosunError } from '../../base/index.js';
import { askGit, type GitAnswer, lastLines, toText, withoutCredentials } from './git.js';
import { remoteEnvironment } from './git-environment.js';
import { type Blocked, blocked } from './unattended.js';

export interface Remote {
  readonly kind: 'remote';
  /** Null: known by address only. */
  readonly name: string | null;
  /** For pushes; may hold a password. */
  readonly url: string;
}

export interface RemoteCall {
  readonly failing: string;
  readonly late: string;
  readonly timeoutMs: number;
  readonly config?: readonly string[];
  readonly runsHooks?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** For a rejection, and for a failure without a reason. */
  readonly hints: { readonly rejected: string; readonly silent: string };
}

export async function findRemote(folder: string, wanted: string): Promise<Remote | Blocked> {
  const names = await listRemotes(folder);
  const urls = await Promise.all(names.map(async (name) => [name, await urlOf(folder, name)] as const));
  const known = urls.find(([name, url]) => name === wanted || url === wanted);
  if (known !== undefined) return { kind: 'remote', name: known[0], url: known[1] };
  if (/[:/]/.test(wanted) && !wanted.startsWith('-')) return { kind: 'remote', name: null, url: wanted };
  const there = names.length === 0 ? 'it has no remotes' : `there are ${names.join(', ')}`;
  return blocked(
    `there is no remote ${wanted} in ${folder}: ${there}`,
    `Add it (git remote add ${wanted} <address>), or set the project's git.remote to another one.`,
  );
}

export async function listRemotes(folder: string): Promise<readonly string[]> {
  const answer = await askGit(folder, ['remote']);
  return toText(answer.out)
    .split('\n')
    .filter((name) => name !== '');
}

async function urlOf(folder: string, name: string): Promise<string> {
  const answer = await askGit(folder, ['remote', 'get-url', '--push', '--', name]);
  return toText(answer.out).trim();
}

export function tellRemote({ name, url }: Remote): string {
  return name ?? withoutCredentials(url);
}

/** Security: user names may be tokens. */
export function publicAddress(url: string, folder: string): string {
  if (/^\.\.?\//.test(url)) return resolve(folder, url);
  // Over ssh the user name is required and no secret.
  const ssh = /^((?:git\+)?ssh(?:\+git)?:\/\/[^\s/:@]+)(?::[^\s/@]*)?@(.*)$/i.exec(url);
  return ssh === null ? withoutCredentials(url) : `${ssh[1]}@${ssh[2]}`;
}

export async function askRemote(
  folder: string,
  remote: Remote,
  args: readonly string[],
  errand: RemoteCall,
): Promise<GitAnswer | Blocked> {
  const { failing, late, timeoutMs, config = [], runsHooks = false, signal } = errand;
  const told = tellRemote(remote);
  try {
    const answer = await askGit(folder, args, { timeoutMs, config, runsHooks, signal, env: await unprompted(folder) });
    return answer.exit === 0 ? answer : refusal(errand, told, answer);
  } catch (error) {
    if (signal?.aborted) return blocked(`${failing}: the operation was cancelled`, 'Retry if you still need it.');
    if (error instanceof BosunError && /took longer/.test(error.message)) {
      return blocked(`${failing}: ${told} ${late} within ${timeoutMs / 60_000} min`, unreachable);
    }
    throw error;
  }
}

/** Bosun's git has no terminal to ask on. */
export async function unprompted(folder: string): Promise<Record<string, string>> {
  const { GIT_SSH_COMMAND: own, GIT_SSH: program } = process.env;
  const set = await askGit(folder, ['config', '--get', 'core.sshCommand']);
  const isOwn = own !== undefined || program !== undefined || set.exit === 0;
  return {
    ...remoteEnvironment(await ownHelpers(folder)),
    ...{ SSH_ASKPASS: '', GCM_INTERACTIVE: 'never' },
    ...(isOwn ? {} : { GIT_SSH_COMMAND: 'ssh -oBatchMode=yes' }),
  };
}

/** Security: only global helpers, never the repository's. */
async function ownHelpers(folder: string): Promise<string> {
  const args = ['config', '--show-scope', '--get-regexp', '^credential\\..*helper$'];
  const lines = toText((await askGit(folder, args)).out).split('\n');
  return lines.filter((line) => !/^(local|worktree)\t/.test(line)).join('\n');
}

const unreachable = 'Check the address, and that this machine can reach it (git ls-remote), then retry.';

function refusal(errand: RemoteCall, remote: string, answer: GitAnswer): Blocked {
  const said = lastLines(withoutCredentials(answer.err), 12);
  const kind = kinds.find(({ sign }) => sign.test(said)) ?? silent;
  return blocked(`${errand.failing}: ${remote} ${kind.what}\n${said}`, kind.hint(errand));
}

interface Kind {
  readonly sign: RegExp;
  readonly what: string;
  readonly hint: (errand: RemoteCall) => string;
}

const kinds: readonly Kind[] = [
  {
    sign: /terminal prompts disabled|could not read (Username|Password)|Authentication failed|Permission denied|Host key verification|Invalid username|returned error: 40[13]/i,
    what: 'denies Bosun access',
    hint: () => 'Make git push work there without a prompt (a credential helper, or a key in the agent), then retry.',
  },
  { sign: /\[(remote )?rejected\]/, what: 'rejected it', hint: ({ hints }) => hints.rejected },
  {
    sign: /remote error:|access denied|not exported/i,
    what: 'refused',
    hint: () => "Fix what it reports: the address, or this machine's permissions there. Then retry.",
  },
  {
    sign: /not appear to be a git repository|Could not read from remote|Repository not found|does not exist|Could not resolve|unable to access|Connection|timed out/i,
    what: 'cannot be reached',
    hint: () => unreachable,
  },
];

const silent: Kind = { sign: /./, what: 'gave no reason', hint: ({ hints }) => hints.silent };

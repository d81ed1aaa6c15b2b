// A branch goes to a remote, without a prompt and with a limit; each way in which that fails has its own words.
import { BosunError } from '../error.js';
import { askGit, type GitAnswer, lastLines, toText } from './git.js';
import { withoutCredentials } from './redact.js';
import { type Blocked, blocked } from './unattended.js';

export type Pushed = { readonly kind: 'pushed'; readonly remote: string; readonly url: string } | Blocked;

/** The person's pre-push hook may run tests. */
const pushMs = 600_000;

/** `remote`: a name or an address; null: origin. */
export async function pushBranch(folder: string, branch: string, remote: string | null): Promise<Pushed> {
  const found = await findRemote(folder, remote ?? 'origin');
  if (found.kind === 'blocked') return found;
  const { name, url } = found;
  const ref = `refs/heads/${branch}:refs/heads/${branch}`;
  // An address is not written into the person's settings: it may hold a password.
  const args = ['push', ...(name === null ? [] : ['--set-upstream']), '--', name ?? url, ref];
  const told = name ?? withoutCredentials(url);
  try {
    const answer = await askGit(folder, args, { timeoutMs: pushMs, env: await unprompted(folder) });
    return answer.exit === 0 ? { kind: 'pushed', remote: told, url } : refusal(branch, told, answer);
  } catch (error) {
    if (error instanceof BosunError && /took longer/.test(error.message)) {
      return blocked(
        `${branch} could not be pushed: ${told} did not take it within ${pushMs / 60_000} min`,
        unreachable,
      );
    }
    throw error;
  }
}

type Remote = { readonly kind: 'remote'; readonly name: string | null; readonly url: string };

async function findRemote(folder: string, wanted: string): Promise<Remote | Blocked> {
  const answer = await askGit(folder, ['remote']);
  const names = toText(answer.out)
    .split('\n')
    .filter((name) => name !== '');
  const urls = await Promise.all(names.map(async (name) => [name, await urlOf(folder, name)] as const));
  const known = urls.find(([name, url]) => name === wanted || url === wanted);
  if (known !== undefined) return { kind: 'remote', name: known[0], url: known[1] };
  if (/[:/]/.test(wanted) && !wanted.startsWith('-')) return { kind: 'remote', name: null, url: wanted };
  const there = names.length === 0 ? 'it has none' : `there are ${names.join(', ')}`;
  return blocked(
    `there is no remote ${wanted} in ${folder}: ${there}`,
    `Add it (git remote add ${wanted} <address>), or name another one as git.remote of the project.`,
  );
}

async function urlOf(folder: string, name: string): Promise<string> {
  const answer = await askGit(folder, ['remote', 'get-url', '--push', '--', name]);
  return toText(answer.out).trim();
}

/** Nothing may wait for somebody who is not there. */
async function unprompted(folder: string): Promise<Record<string, string>> {
  const { GIT_SSH_COMMAND: own, GIT_SSH: program } = process.env;
  const set = await askGit(folder, ['config', '--get', 'core.sshCommand']);
  const isOwn = own !== undefined || program !== undefined || set.exit === 0;
  return { SSH_ASKPASS: '', GCM_INTERACTIVE: 'never', ...(isOwn ? {} : { GIT_SSH_COMMAND: 'ssh -oBatchMode=yes' }) };
}

const unreachable = 'See whether the address is right and the machine reaches it (git ls-remote), then retry.';

function refusal(branch: string, remote: string, answer: GitAnswer): Blocked {
  const said = lastLines(withoutCredentials(answer.err), 12);
  const kind = kinds.find(({ sign }) => sign.test(said)) ?? byHook;
  return blocked(`${branch} could not be pushed: ${remote} ${kind.what}\n${said}`, kind.hint);
}

interface Kind {
  readonly sign: RegExp;
  readonly what: string;
  readonly hint: string;
}

const kinds: readonly Kind[] = [
  {
    sign: /terminal prompts disabled|could not read (Username|Password)|Authentication failed|Permission denied|Host key verification|Invalid username|returned error: 40[13]/i,
    what: 'does not let Bosun in',
    hint: 'Make git push work there without a prompt (a credential helper, or a key in the agent), then retry.',
  },
  {
    sign: /\[(remote )?rejected\]/,
    what: 'rejected it',
    hint: 'Mend what it names, then retry. Nothing is ever forced.',
  },
  {
    sign: /not appear to be a git repository|Could not read from remote|Repository not found|does not exist|Could not resolve|unable to access|Connection|timed out/i,
    what: 'cannot be reached',
    hint: unreachable,
  },
];

const byHook: Kind = {
  sign: /./,
  what: 'was not asked, or gave no reason',
  hint: 'A pre-push hook of the repository probably refused it: mend what it names, then retry.',
};

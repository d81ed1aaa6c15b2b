// Uses `gh` if logged in; else returns the page for opening one by hand.
import { type CommandEnd, refuseChangedSettings, runCommand } from '../../base/index.js';
import { cutAtWord } from '../../engine/index.js';
import { askGit, lastLines, withoutCredentials } from '../git/git.js';
import { gitEnvironment, noHooks, remoteEnvironment, startsNothing } from '../git/git-environment.js';
import { type Blocked, blocked } from '../git/unattended.js';

export interface Request {
  readonly folder: string;
  readonly url: string;
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly text: string;
  readonly page: string | null;
}

export type Requested =
  | { readonly kind: 'opened'; readonly page: string }
  /** `why`: `gh` failed; null: `gh` does not serve this host. */
  | { readonly kind: 'by_hand'; readonly page: string | null; readonly why: string | null }
  | Blocked;

const askMs = 30_000;
const createMs = 120_000;
const textMaxChars = 20_000;

export async function requestPull(request: Request): Promise<Requested> {
  const { folder, url, branch, base, title, text, page } = request;
  const place = placeOf(url);
  const login = await gh(folder, ['auth', 'status', ...(place === null ? [] : ['--hostname', place.host])], askMs);
  if (login.exit !== 0) return { kind: 'by_hand', page: comparePage(url, base, branch), why: whyNot(login, place) };
  const where = place === null ? [] : ['--repo', `${place.host}/${place.path}`];
  const facts = [...(page === null ? [] : [`Bosun: ${page}`]), ...(await coAuthorsOf(request))].join('\n');
  const body = [cutAtWord(text, textMaxChars), facts].filter((part) => part !== '').join('\n\n');
  const words = ['--title', title, '--body', body];
  const args = ['pr', 'create', ...where, '--head', branch, '--base', base, ...words];
  const made = await gh(folder, args, createMs);
  const opened = /https?:\/\/\S+/.exec(made.exit === 0 ? made.out : existing(made.err))?.[0];
  if (opened !== undefined) return { kind: 'opened', page: opened };
  const said = lastLines(withoutCredentials(`${made.out}\n${made.err}`), 8);
  return blocked(
    `${branch} is pushed, but creating the pull request failed: ${said}`,
    'Fix what gh reports, then retry.',
  );
}

/** A forge that squashes keeps only the pull request's text. */
async function coAuthorsOf({ folder, branch, base }: Request): Promise<readonly string[]> {
  const range = [`refs/heads/${branch}`, '--not', `refs/heads/${base}`, '--'];
  const { exit, out } = await askGit(folder, ['log', '--format=%(trailers:key=Co-authored-by)', ...range]);
  return exit === 0 ? [...new Set(out.split('\n').filter((line) => line !== ''))].sort() : [];
}

function whyNot({ code }: CommandEnd, place: Place | null): string | null {
  if (place !== null && isGitLab(place)) return null;
  if (code === 'ENOENT') return '`gh` is not installed';
  return `\`gh\` is not logged in${place === null ? '' : ` to ${place.host}`}`;
}

/** A retry finds the first try's pull request. */
function existing(said: string): string {
  return said.includes('already exists') ? said.slice(said.indexOf('already exists')) : '';
}

async function gh(folder: string, args: readonly string[], timeoutMs: number): Promise<CommandEnd> {
  refuseChangedSettings(folder);
  return runCommand('gh', args, {
    cwd: folder,
    timeoutMs,
    graceMs: 5_000,
    maxBytes: 1024 * 1024,
    env: { ...ghEnvironment(), GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1' },
  });
}

/** `gh` starts git, which needs the safe settings. */
function ghEnvironment(): Record<string, string> {
  const { GIT_CONFIG_COUNT: count = '0', ...env } = { ...gitEnvironment(), ...remoteEnvironment('') };
  const from = Number(count) || 0;
  const settings = [...startsNothing, noHooks].flatMap((pair, at) => {
    const cut = pair.indexOf('=');
    const [key, value] = [pair.slice(0, cut), pair.slice(cut + 1)];
    return [[`GIT_CONFIG_KEY_${from + at}`, key] as const, [`GIT_CONFIG_VALUE_${from + at}`, value] as const];
  });
  return { ...env, ...Object.fromEntries(settings), GIT_CONFIG_COUNT: String(from + settings.length / 2) };
}

export function comparePage(url: string, base: string, branch: string): string | null {
  const place = placeOf(url);
  if (place === null) return null;
  const { host, path } = place;
  const [from, to] = [base, branch].map((one) => one.split('/').map(encodeURIComponent).join('/'));
  if (/(^|\.)github\./.test(host)) return `https://${host}/${path}/compare/${from}...${to}?expand=1`;
  if (!isGitLab(place)) return null;
  const ask = new URLSearchParams({
    'merge_request[source_branch]': branch,
    'merge_request[target_branch]': base,
  });
  return `https://${host}/${path}/-/merge_requests/new?${ask.toString()}`;
}

interface Place {
  readonly host: string;
  readonly path: string;
}

function isGitLab({ host }: Place): boolean {
  return /(^|\.)gitlab\./.test(host);
}

// `git@host:owner/repo.git`, `ssh://git@host:22/owner/repo.git`, `https://host/owner/repo.git`
function placeOf(url: string): Place | null {
  const found =
    /^(?:https?|ssh|git):\/\/(?:[^/]*@)?([^/:@]+)(?::\d+)?\/(.+)$/.exec(url) ??
    /^(?:[^/@]+@)?([^/:@]{2,}):([^/].*)$/.exec(url);
  const [, host, path] = found ?? [];
  if (host === undefined || path === undefined) return null;
  return { host, path: path.replace(/\/+$/, '').replace(/\.git$/, '') };
}

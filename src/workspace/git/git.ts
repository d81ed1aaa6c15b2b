// The only place that starts git: no prompts, limits on time and output. Output is latin1, so that names that are not
// UTF-8 survive; `toText` decodes it.

import { BosunError, findRulePipe, refuseChangedSettings } from '../../base/index.js';
import { unreachable } from '../../engine/index.js';
import { gitEnvironment, noHooks, startsNothing } from './git-environment.js';
import { runGit } from './process/git-starter.js';

export interface GitOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: readonly string[];
  readonly input?: Uint8Array;
  readonly timeoutMs?: number;
  readonly stdoutMaxBytes?: number;
  readonly appendTo?: string;
  readonly runsHooks?: boolean;
  /** Hooks expect the person's locale. */
  readonly keepsLocale?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface GitAnswer {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
  /** Git printed more than `stdoutMaxBytes` and was ended. */
  readonly isCut: boolean;
}

export const quickMs = 30_000;
export const wholeTreeMs = 180_000;
const stdoutMaxBytes = 64 * 1024 * 1024;
const stderrMaxBytes = 256 * 1024;

/** Throws only if git cannot start or times out. */
export async function askGit(folder: string, args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
  const timeoutMs = options.timeoutMs ?? quickMs;
  const hooks = options.runsHooks === true ? [] : [noHooks];
  const config = ['core.quotepath=off', ...startsNothing, ...hooks, ...(options.config ?? [])];
  const { signal } = options;
  if (signal?.aborted) throw wasStopped(folder, args);
  refuseChangedSettings(folder);
  const end = await runGit({
    args: ['-C', folder, ...config.flatMap((pair) => ['-c', pair]), ...args],
    env: environmentOf(options),
    input: options.input,
    appendTo: options.appendTo,
    timeoutMs,
    stdoutMaxBytes: options.stdoutMaxBytes ?? stdoutMaxBytes,
    stderrMaxBytes,
    signal,
    isStuck: async () => (await findRulePipe(folder)) !== null,
  });
  if (signal?.aborted && !(end.by === 'itself' && end.exit === 0)) throw wasStopped(folder, args);
  const err = withoutCredentials(toText(end.err).trim());
  switch (end.by) {
    case 'itself':
      return { exit: end.exit, out: end.out, err, isCut: false };
    case 'size':
      return { exit: 0, out: end.out, err, isCut: true };
    case 'time':
      throw await tookTooLong(folder, args, timeoutMs);
    case 'world':
      throw notRun(folder, args, end.why, end.cause);
    default:
      return unreachable(end);
  }
}

export async function git(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const answer = await askGit(folder, args, options);
  if (answer.isCut) {
    throw new BosunError('git', `git ${args[0] ?? ''} printed more output than Bosun reads, in ${folder}`, {
      hint: 'A huge folder is probably neither tracked nor ignored: add it to .gitignore.',
    });
  }
  if (answer.exit !== 0) throw gitError(folder, args, answer);
  return answer.out;
}

export async function gitLine(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  return toText(await git(folder, args, options)).split('\n', 1)[0] ?? '';
}

/** Latin1. */
export async function gitRecords(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string[]> {
  const out = await git(folder, args, options);
  return out.split('\0').filter((record) => record !== '');
}

export function gitError(folder: string, args: readonly string[], answer: GitAnswer): BosunError {
  const said = lastLines(answer.err, 8);
  return new BosunError('git', `git ${args[0] ?? ''} failed in ${folder} (exit ${answer.exit}): ${said}`, {
    hint: hintFor(said),
  });
}

export function onDisk(top: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`, 'utf8'), Buffer.from(path, 'latin1')]);
}

export function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

export function toBytes(records: readonly string[]): Uint8Array {
  return Buffer.from(records.map((record) => `${record}\0`).join(''), 'latin1');
}

export function lastLines(text: string, count: number): string {
  return text.trim().split('\n').slice(-count).join('\n').slice(-2_000);
}

function environmentOf(options: GitOptions): Record<string, string> {
  const locale = options.keepsLocale === true ? {} : { LC_ALL: 'C' };
  const own = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_EDITOR: ':', GIT_SEQUENCE_EDITOR: ':' };
  return { ...gitEnvironment(), ...locale, ...own, GIT_PAGER: 'cat', ...options.env };
}

function hintFor(said: string): string {
  if (/insufficient permission|Read-only file system/.test(said)) {
    return 'Give the user that runs Bosun write access to the .git folder.';
  }
  if (/external filter|clean filter|smudge filter|git-lfs/.test(said)) {
    return 'Install the filter that .gitattributes names (for large files: git-lfs, then git lfs install).';
  }
  if (/index\.lock|\.lock': File exists/.test(said)) {
    return 'Another git process is working here. If none is, delete the stale .lock file named in the message.';
  }
  if (/dubious ownership/.test(said)) return 'Allow the folder: git config --global --add safe.directory <folder>.';
  if (/Permission denied/.test(said))
    return 'Make the file readable for the user that runs Bosun, or add it to .gitignore.';
  if (/No space left/.test(said)) return 'The disk is full: free some space, then try again.';
  if (/gpg|sign/i.test(said))
    return 'Make the signing key usable without a prompt, or set commit.gpgSign to false here.';
  return 'Run git status in that folder, fix what it reports, then try again.';
}

async function tookTooLong(folder: string, args: readonly string[], timeoutMs: number): Promise<BosunError> {
  const pipe = await findRulePipe(folder);
  if (pipe !== null)
    return new BosunError('git', `git ${args[0] ?? ''} cannot work in ${folder}: ${pipe} is a pipe`, {
      hint: 'Delete it: git reads it, and a read of a pipe never ends.',
    });
  return new BosunError('git', `git ${args[0] ?? ''} took longer than ${timeoutMs / 1000} s in ${folder}`, {
    hint: 'If a huge folder is neither tracked nor ignored there, add it to .gitignore.',
  });
}

function wasStopped(folder: string, args: readonly string[]): BosunError {
  return new BosunError('git', `git ${args[0] ?? ''} was cancelled in ${folder}`, {
    hint: 'Retry if you still need it.',
  });
}

function notRun(folder: string, args: readonly string[], why: string, cause: unknown): BosunError {
  const isMissing = why === 'ENOENT';
  return new BosunError(
    'git',
    `git ${args[0] ?? ''} could not ${isMissing ? 'be started' : 'finish'} in ${folder}: ${why}`,
    {
      hint: isMissing ? "Install git and put it on Bosun's PATH." : 'The git process was killed: try again.',
      cause,
    },
  );
}

export function withoutCredentials(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/'"]*@/gi, '$1');
}

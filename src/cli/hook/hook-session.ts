// The agent waits for its hook, so it hands over to a detached process, prints nothing and exits with 0.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { BosunError, isInside } from '../../base/index.js';
import { homeFolder } from '../../config/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { openLog } from '../log-file.js';
import { projectMeant } from '../open-store.js';
import type { SpeakOptions } from '../options.js';
import { perform, speaker } from '../service/say.js';
import { readInput, readSessionEnd, type SessionEnd, writeSessionEnd } from './hook-input.js';
import { keepWords, openedFolderVariable } from './opened-words.js';
import { hasHook } from './plan-install.js';

export interface SessionOptions extends Pick<SpeakOptions, 'as' | 'thread' | 'json' | 'wait'> {
  readonly agent: string;
  readonly home?: string | undefined;
}

/** After this the agent continues in any case. */
const handOverMs = 3_000;
/** Another command may hold the home. */
const patienceMs = 10 * 60_000;

export async function tellSessionEnd(
  cli: CommandContext,
  project: string,
  payload: string | undefined,
  options: SessionOptions,
): Promise<ExitCode> {
  const agent = agentNamed(cli, options.agent);
  // Bosun watches its own attempts.
  if (cli.shell.env['BOSUN_TOKEN']) return 0;
  const end = readSessionEnd(payload ?? (await readInput(cli.shell.stdin)));
  const opened = cli.shell.env[openedFolderVariable];
  if (opened) return end === null ? 0 : keepForOpen(cli, opened, end);
  if (options.wait !== true) return end === null ? 0 : handOver(cli, project, end, options);
  if (end === null)
    throw new BosunError('bad_input', 'The input does not describe a session that ended', {
      hint: 'See docs/hooks.md.',
    });
  // Sessions elsewhere are not this project's.
  if (end.folder !== null && !isInside(projectMeant(cli.config, project).root, end.folder)) return 0;
  return deliver(cli, project, { agent, id: end.id, turn: end.turn, text: end.text }, options);
}

/** The command that opened the session reports at its end, not after each turn. */
function keepForOpen({ home }: CommandContext, folder: string, end: SessionEnd): ExitCode {
  // Only this home's `bosun open` sets it.
  if (isInside(homeFolder(home, 'opened'), folder)) keepWords(folder, end);
  return 0;
}

function agentNamed({ agents }: CommandContext, said: string): string {
  const kinds = agents.filter(hasHook).map(({ kind }) => kind);
  if (kinds.includes(said)) return said;
  throw new BosunError('usage', `There is no agent "${said}"`, { hint: `There are: ${kinds.join(', ')}.` });
}

/** A pipe and a group of its own let it survive the agent. */
function handOver(cli: CommandContext, project: string, end: SessionEnd, options: SessionOptions): Promise<ExitCode> {
  const { agent, as, thread, home } = options;
  const own = home === undefined ? [] : ['--home', resolve(cli.shell.cwd, home)];
  const who = as === undefined ? [] : ['--as', as];
  const args = [...own, 'hook', project, '--agent', agent, '--wait', '--thread', thread, ...who];
  return new Promise((done) => {
    setTimeout(() => done(0), handOverMs).unref();
    const child = spawn(process.execPath, [process.argv[1] ?? '', ...args], {
      cwd: cli.shell.cwd,
      env: cli.shell.env,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.on('error', () => done(0));
    child.stdin.on('error', () => done(0));
    child.stdin.end(writeSessionEnd(end), () => done(0));
    child.unref();
  });
}

export async function deliver(
  cli: CommandContext,
  project: string,
  session: Omit<SessionEnd, 'folder'> & { readonly agent: string },
  options: Omit<SessionOptions, 'agent'>,
  opened?: { readonly run: string; readonly key: string },
): Promise<ExitCode> {
  const request = {
    do: 'hook' as const,
    project,
    token: null,
    status: null,
    reason: null,
    summary: null,
    session,
    ...(opened && { opened }),
    ...speaker(cli, options),
  };
  try {
    return await patiently(() => perform(cli, request, { timeout: 0, ...(options.json ? { json: true } : {}) }));
  } catch (error) {
    // A hook's output is invisible.
    openLog(cli.home)(`hook: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  }
}

/** No delay: each try waits for the home. */
async function patiently(act: () => Promise<ExitCode>): Promise<ExitCode> {
  const until = Date.now() + patienceMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const isBusy = error instanceof BosunError && error.code === 'busy_home';
      if (!isBusy || Date.now() > until) throw error;
    }
  }
}

// The run pauses meanwhile, and takes the result as a manual report.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { TerminalLaunch } from '../../agents/index.js';
import { BosunError, processStart } from '../../base/index.js';
import { homeFolder, secretsOfExecutor } from '../../config/index.js';
import { isRunOver, type Run } from '../../engine/index.js';
import type { AgentConfig } from '../../jobs/index.js';
import type { RunReader } from '../../store/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { deliver } from '../hook/hook-session.js';
import { openedFolderVariable, wordsAtEnd } from '../hook/opened-words.js';
import { withRun } from '../open-store.js';
import { wholeNumber } from '../options.js';
import { nodesMeant } from '../reads/log.js';
import { perform, speaker } from '../service/say.js';
import { type FoundSession, programOf, sessionsOf, whyNotOpened } from './find-session.js';

interface OpenOptions {
  readonly attempt?: number;
  readonly print?: true;
}

const here = { thread: 'local' } as const;
const maxLeftoverMs = 30 * 24 * 3_600_000;

export function registerOpen(program: Command, cli: CommandContext): void {
  program
    .command('open')
    .argument('<run>')
    .argument('<node>', 'an id, a label or a step; US-001/impl for a step of one story')
    .argument('[args...]', 'after --: more arguments for the agent')
    .description('continue the agent’s session of a step in this terminal; the run waits until it ends')
    .option('--attempt <n>', 'the number of the attempt', wholeNumber)
    .option('--print', 'print the command instead')
    .action(
      cli.act(async (said: string, node: string, args: readonly string[], options: OpenOptions) => {
        const found = await withRun(cli, said, (store, run) => sessionMeant(cli, store, run, node, options.attempt));
        const why = whyNotOpened(found);
        if (why !== null) {
          const hint = `"bosun sessions ${found.run.project}" lists the others.`;
          throw new BosunError('not_now', `The session of ${node} cannot be opened: ${why}`, { hint });
        }
        if (options.print) return printCommand(cli, found, args);
        const open = isRunOver(found.run.status) ? openUnheld : openHeld;
        return leavingInterrupts(() => open(cli, found, args));
      }),
    );
}

function sessionMeant(
  cli: CommandContext,
  store: RunReader,
  run: Run,
  said: string,
  number: number | undefined,
): FoundSession {
  const all = sessionsOf(cli, store, run, nodesMeant(store, run, said));
  const [found] = all.filter(({ attempt }) => number === undefined || attempt.number === number);
  if (found) return found;
  const which = number === undefined ? said : `attempt ${number} of ${said}`;
  throw new BosunError('not_found', `${which} of ${run.id} left no session`, {
    hint: `"bosun sessions ${run.project}" lists the sessions that can be resumed.`,
  });
}

function launchOf({ agent, kind, id }: FoundSession, folder: string, hook: readonly string[] | null): TerminalLaunch {
  // Security: an id must not pass for an option.
  if (!agent?.terminal || !/^[A-Za-z0-9][\w-]{0,99}$/.test(id))
    throw new BosunError('not_now', `"${id}" is not a session of ${kind} that can be resumed`);
  return agent.terminal({ id, folder, hook: hook && { argv: hook } });
}

function printCommand(cli: CommandContext, found: FoundSession, more: readonly string[]): ExitCode {
  const { args, env } = launchOf(found, '', null);
  const words = [...assignments(found.executor, env), ...[programOf(found), ...args, ...more].map(quoted)];
  cli.print(`cd ${quoted(found.folder)} && ${words.join(' ')}`);
  return 0;
}

/** Secrets by name only: the person's shell has the values. */
export function assignments(executor: AgentConfig | null, more: TerminalLaunch['env']): readonly string[] {
  const secrets = executor === null ? [] : secretsOfExecutor(executor, {});
  return Object.entries({ ...executor?.env, ...more }).map(([name, value]) =>
    secrets.includes(value) ? `${name}="$${name}"` : `${name}=${quoted(value)}`,
  );
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The run is over: nothing waits, and no result is taken back. */
async function openUnheld(cli: CommandContext, found: FoundSession, more: readonly string[]): Promise<ExitCode> {
  cli.warn(`${found.run.id} is over, so Bosun neither waits for this session nor takes its result back.`);
  const child = start(cli, found, { ...launchOf(found, '', null), more, kept: null });
  return (await endOf(child)) === 0 ? 0 : 1;
}

async function openHeld(cli: CommandContext, found: FoundSession, more: readonly string[]): Promise<ExitCode> {
  const { run, chain, node, kind, id } = found;
  const key = randomBytes(8).toString('hex');
  const folder = ownFolder(cli, key);
  const hook = [process.execPath, process.argv[1] ?? '', '--home', cli.home.dir, 'hook', run.project, '--agent', kind];
  const launch = launchOf(found, folder, hook);
  for (const [name, text] of Object.entries(launch.files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  const hold = (pids: readonly number[]) =>
    perform(
      cli,
      {
        ...{ do: 'open', run: run.id, chain, node: node.id, key, host: hostname() },
        processes: pids.map((pid) => ({ pid, startedAt: processStart(pid) })),
        ...speaker(cli, here),
      },
      { timeout: 0 },
    );
  try {
    await hold([process.pid]);
    const child = start(cli, found, { ...launch, more, kept: folder });
    const ended = endOf(child);
    // The agent may outlive this process, and the run must wait for it.
    if (child.pid !== undefined) await hold([process.pid, child.pid]).catch(() => undefined);
    const exit = await ended.catch((error: unknown) => error);
    const said = await wordsAtEnd(folder, id);
    const session = { agent: kind, id: said?.id ?? id, turn: said?.turn ?? null, text: said?.text ?? '' };
    const told = await deliver(cli, run.project, session, here, { run: run.id, key });
    if (exit instanceof Error) throw exit;
    return exit === 0 ? told : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ownFolder(cli: CommandContext, key: string): string {
  const all = homeFolder(cli.home, 'opened');
  for (const name of readdirSync(all)) {
    const path = join(all, name);
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > maxLeftoverMs) rmSync(path, { recursive: true, force: true });
  }
  mkdirSync(join(all, key), { mode: 0o700 });
  return join(all, key);
}

interface Started extends Pick<TerminalLaunch, 'args' | 'env'> {
  readonly more: readonly string[];
  /** Hooks write it; null: nowhere. */
  readonly kept: string | null;
}

function start(cli: CommandContext, found: FoundSession, { args, env, more, kept }: Started): ChildProcess {
  return spawn(programOf(found), [...args, ...more], {
    cwd: found.folder,
    env: {
      ...{ ...cli.shell.env, ...found.executor?.env, ...env },
      ...(kept !== null && { [openedFolderVariable]: kept }),
    },
    stdio: 'inherit',
  });
}

/** Ctrl-C is for the agent. A second one may come before the result is reported. */
async function leavingInterrupts<Result>(work: () => Promise<Result>): Promise<Result> {
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  return work().finally(() => process.off('SIGINT', ignore));
}

/** Passes on signals that do not come from the terminal. */
async function endOf(child: ChildProcess): Promise<number> {
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, pass);
  try {
    const [code] = await once(child, 'exit');
    return typeof code === 'number' ? code : 1;
  } catch (cause) {
    throw new BosunError('not_found', `${child.spawnfile} could not be started`, {
      cause,
      hint: 'Install it for this user, or name it in config.yaml: executors, program.',
    });
  } finally {
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, pass);
  }
}

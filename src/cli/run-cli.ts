// Every error ends as one line.

import { CommanderError } from 'commander';
import { codingAgents } from '../agents/index.js';
import { spellCommands } from '../base/index.js';
import type { CommandContext, Rooms, Shell } from './command-context.js';
import { type ExitCode, type Failure, failureJson, failureLine, failureOf } from './failure.js';
import { logPathOf, openLog } from './log-file.js';
import { makeProgram } from './program.js';
import { hintForForeign } from './setup/foreign-commands.js';

export async function runCli(argv: readonly string[], rooms: Rooms, shell: Shell): Promise<ExitCode> {
  const { program, cli } = makeProgram(shell, rooms, codingAgents);
  const stopWatching = watchForBugs(cli, (failure) => tell(argv, cli, failure));
  try {
    if (argv.length === 0) program.help();
    await program.parseAsync(argv, { from: 'user' });
    return cli.exit;
  } catch (error) {
    const found = failureOf(error, cli.openedHome && logPathOf(cli.openedHome));
    if (found === null) return 0;
    const failure = isUnknownCommand(error) ? { ...found, hint: hintForForeign(argv) ?? found.hint } : found;
    if (failure.code === 'bug') noteBug(cli, error);
    tell(argv, cli, failure);
    return failure.exit;
  } finally {
    stopWatching();
  }
}

function isUnknownCommand(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.unknownCommand';
}

export function processShell(): Shell {
  const { env, stdin, stdout, stderr } = process;
  return { env, cwd: process.cwd(), stdin, stdout, stderr };
}

/**
 * For errors outside the command's promise. After an uncaught exception the process may be inconsistent, so it ends.
 */
function watchForBugs(cli: CommandContext, tellOf: (failure: Failure) => void): () => void {
  const note = (error: unknown) => {
    noteBug(cli, error);
    const failure = failureOf(error, cli.openedHome && logPathOf(cli.openedHome));
    if (failure !== null) tellOf(failure);
  };
  const onThrown = (error: unknown) => {
    note(error);
    process.exit(1);
  };
  process.on('uncaughtException', onThrown);
  process.on('unhandledRejection', note);
  return () => {
    process.off('uncaughtException', onThrown);
    process.off('unhandledRejection', note);
  };
}

function tell(argv: readonly string[], cli: CommandContext, failure: Failure): void {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  if (options.includes('--json')) cli.printJson(failureJson(failure));
  else cli.warn(spellCommands(failureLine(failure)));
}

function noteBug(cli: CommandContext, error: unknown): void {
  const home = cli.openedHome;
  if (home !== null) openLog(home)(`bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
}

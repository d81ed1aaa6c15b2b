// All commands put together.
import { Command } from 'commander';
import { Cli, type Shell } from './cli.js';
import { registerDemo } from './demo.js';
import { registerDiff } from './diff.js';
import { registerDoctor } from './doctor.js';
import { registerExport } from './export.js';
import { registerHook } from './hook.js';
import { registerInit } from './init.js';
import { registerLog } from './log.js';
import { registerMcp } from './mcp.js';
import { registerMember } from './member.js';
import { registerPair } from './pair.js';
import { registerParse } from './parse.js';
import { registerProjectReads } from './read-projects.js';
import { registerRunReads } from './read-run.js';
import { registerReplay } from './replay.js';
import type { Rooms } from './rooms.js';
import { registerRules } from './rules.js';
import { registerSaying } from './say.js';
import { registerStep } from './step.js';
import { registerUp } from './up.js';
import { registerVerify } from './verify.js';
import { readVersion } from './version.js';
import { registerWeb } from './web.js';
import { registerWorker } from './worker.js';
import { registerWorkflow } from './workflow.js';

const groups = [
  registerUp,
  registerWorker,
  registerInit,
  registerSaying,
  registerProjectReads,
  registerRunReads,
  registerLog,
  registerDiff,
  registerExport,
  registerRules,
  registerWorkflow,
  registerHook,
  registerStep,
  registerWeb,
  registerMcp,
  registerMember,
  registerPair,
  registerDoctor,
  registerVerify,
  registerParse,
  registerDemo,
  registerReplay,
];

export function makeProgram(shell: Shell, rooms: Rooms): { readonly program: Command; readonly cli: Cli } {
  const program = new Command('bosun')
    .description('Drives software projects from chat: coding agents work, people are asked when a person is needed.')
    .version(readVersion(), '--version')
    .option('--home <dir>', 'where Bosun keeps its things; without it BOSUN_HOME, else ~/.bosun')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => shell.stdout.write(text), writeErr: () => undefined })
    .exitOverride();
  const cli = new Cli(shell, rooms, () => program.opts<{ readonly home?: string }>().home);
  for (const register of groups) register(program, cli);
  return { program, cli };
}

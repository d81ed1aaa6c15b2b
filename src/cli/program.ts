import { Command } from 'commander';
import type { CodingAgent } from '../agents/index.js';
import { CommandContext, type Rooms, type Shell } from './command-context.js';
import { registerDemo } from './demo/demo.js';
import { registerReplay } from './demo/replay.js';
import { registerDoctor } from './doctor/doctor.js';
import { registerOpen } from './handoff/open.js';
import { registerSessions } from './handoff/sessions.js';
import { registerHook } from './hook/hook.js';
import { registerMcp } from './mcp/register-mcp.js';
import { registerDiff } from './reads/diff.js';
import { registerExport } from './reads/export.js';
import { registerLog } from './reads/log.js';
import { registerParse } from './reads/parse.js';
import { registerProjectReads } from './reads/read-projects.js';
import { registerRunReads } from './reads/read-run.js';
import { registerVerify } from './reads/verify.js';
import { registerWorkflow } from './reads/workflow.js';
import { registerStep } from './service/external-step.js';
import { registerWeb } from './service/login-link.js';
import { registerSaying } from './service/say.js';
import { registerUp } from './service/up.js';
import { registerWorker } from './service/worker.js';
import { registerInit } from './setup/init.js';
import { registerMember } from './setup/member.js';
import { registerPair } from './setup/pair.js';
import { registerRules } from './setup/rules.js';
import { readVersion } from './version.js';

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
  registerSessions,
  registerOpen,
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

export function makeProgram(
  shell: Shell,
  rooms: Rooms,
  agents: readonly CodingAgent[],
): { readonly program: Command; readonly cli: CommandContext } {
  const program = new Command('bosun')
    .description(
      'Drives software projects from chat: coding agents do the work, people decide where a person is needed.',
    )
    .version(readVersion(), '--version')
    .option('--home <dir>', 'folder for Bosun’s own data (default: BOSUN_HOME, else ~/.bosun)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => shell.stdout.write(text), writeErr: () => undefined })
    .exitOverride();
  const cli = new CommandContext(shell, rooms, agents, () => program.opts<{ readonly home?: string }>().home);
  for (const register of groups) register(program, cli);
  return { program, cli };
}

// `bosun hook install`: lets sessions that people run by hand report to the project's threads.
import type { Command } from 'commander';
import { BosunError } from '../../base/index.js';
import { type AgentKind, agentKinds } from '../../jobs/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { projectMeant } from '../open-store.js';
import { isAgentKind } from './hook-input.js';
import { carryOut, type HookChange, planInstall } from './install/index.js';

interface InstallOptions {
  readonly agent: string;
  readonly remove?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

export function registerHookInstall(hook: Command, cli: CommandContext): void {
  hook
    .command('install')
    .argument('<project>')
    .description('let sessions that people run by hand report to the project’s threads')
    .option('--agent <name>', 'claude, codex, opencode or all', 'all')
    .option('--remove', 'take the hooks out again')
    .option('--dry-run', 'say what would be written, and write nothing')
    .option('--json', 'one JSON document')
    .action(
      cli.act((project: string, _options: unknown, command: Command) =>
        // `hook` has options of the same names and parses them first.
        install(cli, project, command.optsWithGlobals<InstallOptions>()),
      ),
    );
}

async function install(cli: CommandContext, named: string, options: InstallOptions): Promise<ExitCode> {
  const project = projectMeant(cli.config, named);
  const isRemoving = options.remove === true;
  const isDry = options.dryRun === true;
  const changes = await planInstall({ project, home: cli.home.dir, agents: agentsMeant(options.agent), isRemoving });
  if (!isDry) await carryOut(project, changes);
  if (options.json) {
    const files = changes.map((change) => ({ agent: change.agent, path: change.path, state: stateOf(change) }));
    cli.printJson({ project: project.name, written: !isDry, files });
    return 0;
  }
  for (const change of changes) {
    cli.print(`${change.agent.padEnd(8)}  ${change.path}: ${isDry ? 'would be ' : ''}${stateOf(change)}`);
    if (isDry && change.after !== null && change.after !== change.before) cli.print(change.after.trimEnd());
  }
  const isForCodex = changes.some(({ agent, after }) => agent === 'codex' && after !== null);
  if (isForCodex && !isRemoving) cli.print(...codexNote);
  return 0;
}

function agentsMeant(said: string): readonly AgentKind[] {
  if (said === 'all') return agentKinds;
  if (isAgentKind(said, agentKinds)) return [said];
  throw new BosunError('usage', `There is no agent "${said}"`, {
    hint: `There are: ${agentKinds.join(', ')} and all.`,
  });
}

function stateOf({ before, after }: HookChange): 'unchanged' | 'written' | 'changed' | 'removed' {
  if (before === after) return 'unchanged';
  if (after === null) return 'removed';
  return before === null ? 'written' : 'changed';
}

const codexNote = [
  '→ Codex asks before it runs a hook: start codex in the project once, trust the folder, and say yes to the hook',
  '  (/hooks lists it). Until then its sessions report nothing.',
];

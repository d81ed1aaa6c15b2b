// Sessions that people run by hand report to the project's threads.
import type { Command } from 'commander';
import { BosunError } from '../../base/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { projectMeant } from '../open-store.js';
import { carryOut, type HookChange, type HookedAgent, hasHook, planInstall } from './plan-install.js';

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
    .description('make agent sessions that people start by hand report to the project’s threads')
    .option(
      '--agent <name>',
      `${cli.agents
        .filter(hasHook)
        .map(({ kind }) => kind)
        .join(', ')} or all`,
      'all',
    )
    .option('--remove', 'remove the hooks')
    .option('--dry-run', 'print what would be written, and write nothing')
    .option('--json', 'one JSON document')
    .action(
      cli.act((project: string, _options: unknown, command: Command) =>
        // `hook` would parse its options of the same names first.
        install(cli, project, command.optsWithGlobals<InstallOptions>()),
      ),
    );
}

async function install(cli: CommandContext, named: string, options: InstallOptions): Promise<ExitCode> {
  const project = projectMeant(cli.config, named);
  const isRemoving = options.remove === true;
  const isDry = options.dryRun === true;
  const known = cli.agents.filter(hasHook);
  const agents = agentsMeant(options.agent, known);
  const changes = await planInstall({ project, home: cli.home.dir, agents, known, isRemoving });
  if (!isDry) await carryOut(project, changes);
  if (options.json) {
    const files = changes.map((change) => ({ agent: change.agent.kind, path: change.path, state: stateOf(change) }));
    cli.printJson({ project: project.name, written: !isDry, files });
    return 0;
  }
  for (const change of changes) {
    cli.print(`${change.agent.kind.padEnd(8)}  ${change.path}: ${isDry ? 'would be ' : ''}${stateOf(change)}`);
    if (isDry && change.after !== null && change.after !== change.before) cli.print(change.after.trimEnd());
  }
  if (!isRemoving) cli.print(...changes.flatMap(({ agent, after }) => (after === null ? [] : agent.hook.notes)));
  return 0;
}

function agentsMeant(said: string, known: readonly HookedAgent[]): readonly HookedAgent[] {
  const meant = said === 'all' ? known : known.filter(({ kind }) => kind === said);
  if (meant.length > 0) return meant;
  throw new BosunError('usage', `There is no agent "${said}"`, {
    hint: `There are: ${known.map(({ kind }) => kind).join(', ')} and all.`,
  });
}

function stateOf({ before, after }: HookChange): 'unchanged' | 'written' | 'changed' | 'removed' {
  if (before === after) return 'unchanged';
  if (after === null) return 'removed';
  return before === null ? 'written' : 'changed';
}

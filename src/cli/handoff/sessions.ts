import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { projectMeant, withStore } from '../open-store.js';
import { type FoundSession, sessionsOf, whyNotOpened } from './find-session.js';

const maxRuns = 30;

export function registerSessions(program: Command, cli: CommandContext): void {
  program
    .command('sessions')
    .argument('<project>')
    .description('list the agent sessions that "bosun open" can continue, newest first')
    .option('--json', 'one JSON document')
    .action(
      cli.act((said: string, { json }: { readonly json?: true }) => {
        const { name } = projectMeant(cli.config, said);
        return withStore(cli, (store) => {
          const runs = store?.runs(name, maxRuns, null) ?? [];
          const found = store === null ? [] : runs.flatMap((run) => sessionsOf(cli, store, run, store.nodes(run.id)));
          if (json) cli.printJson(found.map(sessionJson));
          else if (found.length === 0) cli.print(`${name}: no agent has left a session yet.`);
          else cli.print(...found.map(sessionLine), `Continue one with: bosun open ${nameOf(found[0])}`);
          return 0;
        });
      }),
    );
}

function sessionJson(found: FoundSession) {
  const { run, chain, node, attempt, kind, id, folder, isThere } = found;
  return {
    run: run.id,
    node: node.id,
    step: node.template,
    item: chain === '' ? null : chain,
    attempt: attempt.number,
    agent: kind,
    session: id,
    folder,
    folder_exists: isThere,
    ended_at: attempt.endedAt === null ? null : new Date(attempt.endedAt).toISOString(),
    outcome: attempt.outcome,
    not_openable: whyNotOpened(found),
  };
}

function sessionLine(found: FoundSession): string {
  const { attempt, kind, id } = found;
  const ended = attempt.endedAt === null ? 'running' : new Date(attempt.endedAt).toISOString().slice(0, 16);
  const why = whyNotOpened(found);
  const parts = [
    nameOf(found),
    `${kind} ${id}`,
    ended,
    attempt.outcome ?? '',
    why === null ? found.folder : `(${why})`,
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function nameOf(found: FoundSession | undefined): string {
  if (found === undefined) return '';
  const { run, chain, node } = found;
  return `${run.id} ${chain === '' ? '' : `${chain}/`}${node.template}`;
}

// Security: works on the host only, never from a chat.
import { type Command, Option } from 'commander';
import { BosunError } from '../../base/index.js';
import { type Account, approveKnock, channelTitle, knocks, type Role } from '../../config/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';

const roles = ['owner', 'operator', 'reviewer', 'viewer'] as const satisfies readonly Role[];

interface PairOptions {
  readonly person?: string;
  readonly project?: string;
  readonly role?: Role;
  readonly json?: true;
}

export function registerPair(program: Command, cli: CommandContext): void {
  program
    .command('pair')
    .argument('[code]', 'the code that the bot showed the person')
    .description('pair a person who wrote to the bot; without a code, list waiting people')
    .option('--person <name>', 'the person: one of people, or a new name')
    .option('--project <p>', 'add the person to this project')
    .addOption(new Option('--role <role>', 'the person’s role in it').choices(roles))
    .option('--json', 'one JSON document')
    .action(cli.act((code: string | undefined, options: PairOptions) => pair(cli, code, options)));
}

function pair(cli: CommandContext, code: string | undefined, { person, project, role, json }: PairOptions): ExitCode {
  if (code === undefined) return list(cli, json === true);
  if ((project === undefined) !== (role === undefined)) {
    throw new BosunError('usage', '--project and --role need each other', {
      hint: 'For example: bosun pair ABCD-2345 --project shop --role operator.',
    });
  }
  const membership = project === undefined || role === undefined ? undefined : { project, role };
  const approved = approveKnock(cli.home, cli.shell.env, { code, person, membership }, Date.now());
  if (json) {
    cli.printJson(approved);
    return 0;
  }
  cli.tell(`Paired ${approved.person} with the account "${approved.name}" (${accountName(cli, approved)}).`);
  cli.tell(...memberships(cli, approved.person));
  return 0;
}

export function memberships(cli: CommandContext, person: string): readonly string[] {
  const rows = cli.config.projects.flatMap(({ name, members }) => {
    const role = members[person];
    return role === undefined ? [] : [`  ${role} of ${name}`];
  });
  if (rows.length > 0) return rows;
  return [`  Not a member of any project yet: bosun member add PROJECT ${person} --role operator`];
}

function list(cli: CommandContext, isJson: boolean): ExitCode {
  const now = Date.now();
  const waiting = knocks(cli.home, now);
  if (isJson) {
    cli.printJson(waiting);
    return 0;
  }
  if (waiting.length === 0) cli.tell('No one is waiting. New people get a code when they write to the bot.');
  for (const one of waiting) {
    cli.tell(`${one.code}  "${one.name}" (${accountName(cli, one)}), ${Math.floor((now - one.at) / 60_000)} min ago`);
  }
  return 0;
}

export function pairLine(code: string, project: string | undefined): string {
  return `bosun pair ${code} --person NAME --project ${project ?? 'demo'} --role owner`;
}

export function accountName({ home }: CommandContext, { channel, id }: Account): string {
  return `${channelTitle(home.channels, channel)} id ${id}`;
}

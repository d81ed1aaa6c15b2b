import { type Command, Option } from 'commander';
import { channelKinds } from '../../bot/index.js';
import { listMembers, type PlatformId, type Role, removeMember, setMember, setPerson } from '../../config/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { projectMeant, projectsMeant } from '../open-store.js';
import { wholeNumber } from '../options.js';

const roles = ['owner', 'operator', 'reviewer', 'viewer'] as const satisfies readonly Role[];

type AddOptions = { readonly role: Role } & Readonly<Record<string, PlatformId>>;

export function registerMember(program: Command, cli: CommandContext): void {
  const group = program.command('member').description('manage the members of a project and their roles');
  const add = group
    .command('add')
    .argument('<project>')
    .argument('<person>')
    .description('add a member, or change a member’s role')
    .addOption(new Option('--role <role>', 'the person’s role').choices(roles).makeOptionMandatory());
  for (const { name, hasNumericIds } of channelKinds) {
    const account = new Option(`--${name} <id>`, 'the person’s user id on this platform');
    add.addOption(hasNumericIds ? account.argParser(wholeNumber) : account);
  }
  add.action(
    cli.act((project: string, person: string, options: AddOptions) => addMember(cli, project, person, options)),
  );
  group
    .command('list')
    .argument('[project]')
    .description('list the members of one project, or of all')
    .option('--json', 'one JSON document')
    .action(cli.act((project: string | undefined, options: { readonly json?: true }) => list(cli, project, options)));
  group
    .command('remove')
    .argument('<project>')
    .argument('<person>')
    .description('remove a member')
    .action(
      cli.act((said: string, person: string) => {
        const { name } = projectMeant(cli.config, said);
        removeMember(cli.home, cli.shell.env, name, person);
        cli.print(`${person} is no longer a member of ${name}.`);
        return 0;
      }),
    );
}

function addMember(cli: CommandContext, said: string, person: string, { role, ...ids }: AddOptions): ExitCode {
  const { home, shell } = cli;
  const { name } = projectMeant(cli.config, said);
  if (Object.keys(ids).length > 0) setPerson(home, shell.env, person, ids);
  setMember(home, shell.env, name, { person, role });
  cli.print(`${person} is ${role} of ${name}.`);
  return 0;
}

function list(cli: CommandContext, said: string | undefined, { json }: { readonly json?: true }): ExitCode {
  const { config, home } = cli;
  const people = new Map(config.people.map((one) => [one.name, one]));
  const rows = projectsMeant(config, said).flatMap(({ name }) =>
    listMembers(config, name).map(({ person, role }) => {
      const accounts = people.get(person)?.accounts ?? {};
      const ids = home.channels.map((kind) => [kind.name, accounts[kind.name] ?? null] as const);
      return { row: { project: name, person, role, ...Object.fromEntries(ids) }, ids };
    }),
  );
  if (json) cli.printJson(rows.map(({ row }) => row));
  else if (rows.length === 0) cli.print('No members: only the owner of this home may do anything.');
  for (const { row, ids } of json ? [] : rows) {
    const known = ids.flatMap(([channel, id]) => (id === null ? [] : [`${channel} ${id}`]));
    cli.print(`${row.project}  ${row.person}  [${row.role}]${known.length > 0 ? `  ${known.join(', ')}` : ''}`);
  }
  return 0;
}

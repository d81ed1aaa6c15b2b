// `bosun member`: edits the members of a project in config.yaml.
import { type Command, Option } from 'commander';
import { listMembers, type Role, removeMember, setMember, setPerson } from '../../config/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { projectMeant, projectsMeant } from '../open-store.js';
import { wholeNumber } from '../options.js';

const roles = ['owner', 'operator', 'reviewer', 'viewer'] as const satisfies readonly Role[];

interface AddOptions {
  readonly role: Role;
  readonly telegram?: number;
  readonly slack?: string;
}

export function registerMember(program: Command, cli: CommandContext): void {
  const group = program.command('member').description('who may do what in a project');
  group
    .command('add')
    .argument('<project>')
    .argument('<person>')
    .description('make somebody a member, or give a member another role')
    .addOption(new Option('--role <role>', 'what the person may do').choices(roles).makeOptionMandatory())
    .option('--telegram <id>', 'the person’s id there', wholeNumber)
    .option('--slack <id>', 'the person’s id there')
    .action(cli.act((project: string, person: string, options: AddOptions) => add(cli, project, person, options)));
  group
    .command('list')
    .argument('[project]')
    .description('the members of a project, or of all')
    .option('--json', 'one JSON document')
    .action(cli.act((project: string | undefined, options: { readonly json?: true }) => list(cli, project, options)));
  group
    .command('remove')
    .argument('<project>')
    .argument('<person>')
    .description('take somebody’s role away')
    .action(
      cli.act((said: string, person: string) => {
        const { name } = projectMeant(cli.config, said);
        removeMember(cli.home, cli.shell.env, name, person);
        cli.print(`${person} is no member of ${name} any more.`);
        return 0;
      }),
    );
}

function add(cli: CommandContext, said: string, person: string, { role, telegram, slack }: AddOptions): ExitCode {
  const { home, shell } = cli;
  const { name } = projectMeant(cli.config, said);
  const ids = { ...(telegram === undefined ? {} : { telegram }), ...(slack === undefined ? {} : { slack }) };
  if (Object.keys(ids).length > 0) setPerson(home, shell.env, person, ids);
  setMember(home, shell.env, name, { person, role });
  cli.print(`${person} is ${role} of ${name}.`);
  return 0;
}

function list(cli: CommandContext, said: string | undefined, { json }: { readonly json?: true }): ExitCode {
  const { config } = cli;
  const people = new Map(config.people.map((one) => [one.name, one]));
  const rows = projectsMeant(config, said).flatMap(({ name }) =>
    listMembers(config, name).map(({ person, role }) => {
      const { telegram = null, slack = null } = people.get(person) ?? {};
      return { project: name, person, role, telegram, slack };
    }),
  );
  if (json) cli.printJson(rows);
  else if (rows.length === 0) cli.print('No members: only the owner of this home may do anything.');
  for (const { project, person, role, telegram, slack } of json ? [] : rows) {
    const ids = [telegram === null ? [] : [`telegram ${telegram}`], slack === null ? [] : [`slack ${slack}`]].flat();
    cli.print(`${project}  ${person}  [${role}]${ids.length > 0 ? `  ${ids.join(', ')}` : ''}`);
  }
  return 0;
}

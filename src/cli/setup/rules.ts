import type { Command } from 'commander';
import { BosunError, misleading } from '../../base/index.js';
import { acceptRules, changedNames, type ProjectRules, projectRules, rulesDiff } from '../../config/index.js';
import type { CommandContext } from '../command-context.js';
import type { ExitCode } from '../failure.js';
import { projectMeant } from '../open-store.js';
import { openQuestions } from '../questions.js';

interface Options {
  readonly json?: true;
  readonly yes?: true;
}

export function registerRules(program: Command, cli: CommandContext): void {
  const group = program.command('rules').description('show or accept a project’s own rules');
  group
    .command('show', { isDefault: true })
    .argument('<project>')
    .description('show the rules in force and how the project’s files differ from them')
    .option('--json', 'one JSON document')
    .action(cli.act((name: string, options: Options) => show(cli, name, options)));
  group
    .command('accept')
    .argument('<project>')
    .description('show the difference, ask for confirmation, and put the rules in force')
    .option('--yes', 'do not ask')
    .action(cli.act((name: string, options: Options) => accept(cli, name, options)));
}

function show(cli: CommandContext, name: string, { json }: Options): ExitCode {
  const { accepted, changes } = rulesMeant(cli, name).rules;
  if (json) {
    const files = [...accepted].map(([path, { hash, by, at }]) => ({ path, hash, by, accepted_at: iso(at) }));
    cli.printJson({ accepted: files, pending: changes.map(({ path, kind, why }) => ({ path, kind, why })) });
    return 0;
  }
  for (const [path, { by, at }] of accepted) cli.tell(`in force: ${path}, accepted by ${by} on ${iso(at)}`);
  if (accepted.size === 0) cli.tell(`${name} has no rules of its own in force.`);
  if (changes.length === 0) return 0;
  cli.tell('', ...notInForce(changes), '', `To put them in force: bosun rules accept ${name}`);
  return 0;
}

async function accept(cli: CommandContext, name: string, { yes }: Options): Promise<ExitCode> {
  const { root, rules } = rulesMeant(cli, name);
  if (rules.changes.length === 0) {
    cli.tell(`${name}: all its rules are in force.`);
    return 0;
  }
  cli.tell(...notInForce(rules.changes));
  if (yes !== true && !cli.isTerminal)
    throw new BosunError('usage', 'cannot ask for confirmation without a terminal', {
      hint: `Run: bosun rules accept ${name} --yes`,
    });
  if (yes !== true && !(await isYes(cli, 'Put these rules in force?'))) {
    cli.tell('Nothing was changed.');
    return 3;
  }
  putInForce(cli, root, rules);
  return 0;
}

/** Accepts the shown texts, even if a file has changed since. */
function putInForce(cli: CommandContext, root: string, { files, changes }: ProjectRules): void {
  acceptRules(cli.home.dir, root, files, { by: 'owner', at: Date.now() });
  cli.tell(`In force for new runs: ${changedNames(changes)}`);
}

export async function offerRules(
  cli: CommandContext,
  project: { readonly name: string; readonly root: string; readonly workflow: string },
  mayAsk: boolean,
): Promise<void> {
  const rules = projectRules(cli.home.dir, project);
  if (rules.changes.length === 0) return;
  if (!mayAsk) {
    const names = changedNames(rules.changes);
    cli.tell(`  Not in force until an owner accepts it: ${names}. See "bosun rules ${project.name}".`);
    return;
  }
  cli.tell(...notInForce(rules.changes));
  if (await isYes(cli, 'The folder has its own rules. Put them in force?')) putInForce(cli, project.root, rules);
  else cli.tell(`Not in force. To accept them later: bosun rules accept ${project.name}`);
}

function notInForce(changes: ProjectRules['changes']): readonly string[] {
  const head = "Not in force until an owner accepts it. Shell lines in it run as Bosun's user:";
  return [head, '', ...rulesDiff(changes).split('\n').map(visible)];
}

/** Security: control characters could disguise a file. */
function visible(line: string): string {
  return line.replaceAll(misleading, '\ufffd');
}

function rulesMeant(cli: CommandContext, name: string) {
  const { root, workflow } = projectMeant(cli.config, name);
  return { root, rules: projectRules(cli.home.dir, { root, workflow }) };
}

async function isYes(cli: CommandContext, question: string): Promise<boolean> {
  const questions = openQuestions(cli);
  try {
    return /^y(es)?$/i.test(await questions.ask(`${question} [y/N]: `));
  } finally {
    questions.close();
  }
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

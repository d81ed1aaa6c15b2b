// Waits for a person with the code. Only a yes at the terminal grants access.
import { setTimeout as sleep } from 'node:timers/promises';
import { BosunError } from '../../base/index.js';
import {
  type Approval,
  approveKnock,
  type Invitation,
  type Knock,
  knocks,
  newPersonName,
  setMember,
} from '../../config/index.js';
import type { CommandContext } from '../command-context.js';
import { openQuestions, type Questions } from '../questions.js';
import { watchSignals } from '../signals.js';
import { accountName, memberships, pairLine } from './pair.js';

const lookAgainMs = 250;

/** `did`: the person's step. An expired code or an interruption changes nothing. */
export async function awaitPairing(cli: CommandContext, invitation: Invitation, did: string): Promise<void> {
  const came = await arrived(cli, invitation);
  if (came === null) {
    cli.tell(
      '',
      'The code has not been used yet; it is valid for an hour. Once it is used, confirm the person with',
      `  ${pairLine(invitation.code, cli.config.projects[0]?.name)}`,
    );
    return;
  }
  const questions = openQuestions(cli);
  try {
    await letIn(cli, { ...came, did }, questions);
  } finally {
    questions.close();
  }
}

async function arrived({ home }: CommandContext, { code, until }: Invitation): Promise<Knock | null> {
  const signals = watchSignals(['SIGINT', 'SIGTERM']);
  let isInterrupted = false;
  void signals.came.then(() => {
    isInterrupted = true;
  });
  try {
    while (!isInterrupted && Date.now() < until) {
      const found = knocks(home, Date.now()).find((one) => one.code === code);
      if (found !== undefined) return found;
      await Promise.race([sleep(lookAgainMs), signals.came]);
    }
    return null;
  } finally {
    signals.ignore();
  }
}

async function letIn(cli: CommandContext, came: Knock & { readonly did: string }, questions: Questions): Promise<void> {
  const projects = cli.config.projects.map(({ name }) => name);
  const [first, ...others] = projects;
  const what = first === undefined ? 'let them in' : `make them owner of ${projects.join(', ')}`;
  cli.tell(`"${came.name}" (${accountName(cli, came)}) ${came.did}.`);
  const said = await questions.ask(`Is that you, or a person you trust: ${what}? [Y/n] `);
  if (!/^(y|yes|)$/i.test(said)) {
    cli.tell(`Not paired. To choose another role: bosun pair ${came.code} --project PROJECT --role ROLE`);
    return;
  }
  const person = await personName(cli, came, questions);
  const membership: Approval['membership'] = first === undefined ? undefined : { project: first, role: 'owner' };
  const env = cli.shell.env;
  approveKnock(cli.home, env, { code: came.code, person, membership }, Date.now());
  for (const project of others) setMember(cli.home, env, project, { person, role: 'owner' });
  cli.tell(`${person} is paired.`, ...memberships(cli, person));
  if (first !== undefined) cli.tell(`Now write to the bot: continue ${first}`);
}

/** Confirmed at the terminal, because people on a platform may imitate others. */
async function personName(cli: CommandContext, { name }: Knock, questions: Questions): Promise<string> {
  const usual = usualName(cli, name);
  const said = await questions.ask(`Under which name${usual === null ? '' : ` [${usual}]`}? `);
  if (said !== '') return said;
  if (usual !== null) return usual;
  throw new BosunError('bad_input', 'No name was given, so nothing was paired', { hint: 'Run the command again.' });
}

function usualName(cli: CommandContext, name: string): string | null {
  try {
    return newPersonName(cli.home, cli.shell.env, name);
  } catch (error) {
    if (error instanceof BosunError) return null;
    throw error;
  }
}

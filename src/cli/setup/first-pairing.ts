import type { Meeting } from '../../bot/index.js';
import { invite, readLock } from '../../config/index.js';
import type { CommandContext } from '../command-context.js';
import { awaitPairing } from './await-pairing.js';
import { pairLine } from './pair.js';

export async function firstPairing(cli: CommandContext, channel: string, { link, step, did }: Meeting): Promise<void> {
  const { people, projects } = cli.config;
  const known = people.filter((one) => one.accounts[channel] !== undefined).map(({ name }) => name);
  const invitation = invite(cli.home, channel, Date.now());
  const { code } = invitation;
  const isRunning = readLock(cli.home)?.role === 'up';
  cli.tell(
    '',
    ...(known.length === 0 ? [] : [`Already paired: ${known.join(', ')}. To add another person:`]),
    `Pairing code: ${code} (valid for an hour, for one person)`,
    ...(link === null ? [] : [link(code)]),
  );
  if (!cli.isTerminal || known.length > 0) {
    const project = projects[0]?.name ?? 'demo';
    const start = isRunning ? [] : ['bosun up'];
    cli.tell('Next:', ...numbered([...start, step(code), pairLine(code, project), `In the chat: continue ${project}`]));
    return;
  }
  cli.tell(
    ...(isRunning ? [] : ['Bosun is not running yet: start it in another terminal with "bosun up".']),
    `${step(code)} Waiting for it; Ctrl-C stops waiting, and the code stays valid.`,
  );
  await awaitPairing(cli, invitation, did);
}

function numbered(steps: readonly string[]): readonly string[] {
  return steps.map((one, index) => `  ${index + 1}. ${one}`);
}

// One conversation carried to a Slack by processes that are killed, and what people see of it in the end.
import { join } from 'node:path';
import { bundleCarrier, killCarriers } from '../../fixture/carriers.js';
import { type Channel, type Slack, startSlack } from '../server/index.js';

/** Gives the script's path. */
export function builtSlackCarrier(folder: string): string {
  return bundleCarrier(folder, join(import.meta.dirname, 'fixtures/carry.ts'), ['@slack/*']);
}

export interface Played {
  readonly kills: number;
  readonly problems: readonly string[];
  /** Times that it was looked up whether something had arrived. */
  readonly looks: number;
}

export async function playKilledSlack(script: string, folder: string, seed: number, kills: number): Promise<Played> {
  const slack = await startSlack();
  const ada = slack.person('U01ADA', 'Ada');
  const channels = [
    slack.channel('gen', [ada], { id: 'C01GEN' }),
    slack.channel('team', [ada], { id: 'C02TEAM' }),
    ada.chat,
  ];
  const args = [script, join(folder, `slack-${seed}.db`), slack.apiUrl, slack.tokens.bot];
  try {
    const killed = await killCarriers(slack, args, { seed, kills });
    const looks = slack.ledger.count('conversations.history') + slack.ledger.count('conversations.replies');
    return { kills: killed, problems: channels.flatMap((one) => problemsIn(slack, one)), looks };
  } finally {
    await slack.close();
  }
}

function problemsIn(slack: Slack, channel: Channel): readonly string[] {
  const shown = slack.screen(channel).filter(({ by }) => by === 'Bosun');
  const all = shown.map(({ text, files }) => `${text}${files.join()}`);
  const problems = ['first', 'second', 'third', 'see the file', 'out.log', 'card three', 'long line 0 ', 'report.txt']
    .map((text) => [text, all.filter((one) => one.includes(text)).length] as const)
    .filter(([, copies]) => copies !== 1)
    .map(([text, copies]) => `"${text}" shows ${copies} times`);
  const order = all.filter((text) => /^(first|second|third)$/.test(text)).join(' ');
  if (order !== 'first second third') problems.push(`the order is ${order}`);
  if (all.some((text) => text.includes('perhaps a repeat'))) problems.push('something was said to be a repeat');
  const [first, ...rest] = shown;
  const isAstray =
    channel.id === 'C02TEAM' && (first?.threadTs !== null || rest.some(({ threadTs }) => threadTs !== first.ts));
  if (isAstray) problems.push('not all of it is in the thread that began with the first');
  return problems.map((one) => `${channel.id}: ${one}`);
}

// One conversation carried by processes that are killed one after the other, and what people see of it in the end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { type Channel, type Slack, startSlack } from '../server/index.js';

const root = join(import.meta.dirname, '../../../../..');
const maxProcesses = 40;

/** Gives the script's path. */
export function builtSlackCarrier(folder: string): string {
  const outfile = join(folder, 'carry-slack.cjs');
  buildSync({
    entryPoints: [join(import.meta.dirname, 'fixtures/carry.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
    external: ['better-sqlite3', '@slack/*'],
    outfile,
  });
  return outfile;
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
  const random = drawn(seed);
  let killed = 0;
  try {
    for (let process = 0; process < maxProcesses; process += 1) {
      const calls = killed < kills ? slack.ledger.calls().length + Math.floor(random() * 8) : null;
      const end = await carried(slack, [script, join(folder, `slack-${seed}.db`)], calls, random() * 4);
      if (end === 'SIGKILL') killed += 1;
      else if (end === 0) break;
      else throw new Error(`the carrier ended with ${end}`);
    }
    const looks = slack.ledger.count('conversations.history') + slack.ledger.count('conversations.replies');
    return { kills: killed, problems: channels.flatMap((one) => problemsIn(slack, one)), looks };
  } finally {
    await slack.close();
  }
}

/** Killed `delayMs` after so many calls came in, or left to its end. */
async function carried(
  slack: Slack,
  [script = '', path = '']: readonly string[],
  calls: number | null,
  delayMs: number,
): Promise<number | string> {
  const child = spawn(process.execPath, [script, path, slack.apiUrl, slack.tokens.bot], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_PATH: join(root, 'node_modules') },
  });
  const exited = once(child, 'exit');
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  if (calls !== null) {
    await slack.until('so many calls', () => isOver() || slack.ledger.calls().length >= calls, 20_000);
    const at = performance.now() + delayMs;
    while (performance.now() < at) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
  }
  const [code, signal] = await exited;
  return code ?? signal;
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

/** The same for the same seed. */
function drawn(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

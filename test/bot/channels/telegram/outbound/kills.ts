// One conversation carried by processes that are killed one after the other, and what a person sees of it in the end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { startTelegram, type Telegram } from '../server/index.js';

const root = join(import.meta.dirname, '../../../../..');
const mark = '\n(perhaps a repeat)';
const maxProcesses = 40;

/** Gives the script's path. */
export function builtCarrier(folder: string): string {
  const outfile = join(folder, 'carry.cjs');
  buildSync({
    entryPoints: [join(import.meta.dirname, 'fixtures/carry.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
    external: ['better-sqlite3', 'grammy'],
    outfile,
  });
  return outfile;
}

export interface Played {
  readonly kills: number;
  readonly problems: readonly string[];
  readonly repeats: number;
}

export async function playKilled(script: string, folder: string, seed: number, kills: number): Promise<Played> {
  const telegram = await startTelegram();
  for (const chat of [7, 8]) telegram.person(chat, `P${chat}`);
  telegram.group(-5, 'Team');
  const random = drawn(seed);
  let killed = 0;
  try {
    for (let process = 0; process < maxProcesses; process += 1) {
      const calls = killed < kills ? telegram.ledger.calls().length + Math.floor(random() * 8) : null;
      const end = await carried(telegram, [script, join(folder, `${seed}.db`)], calls, random() * 4);
      if (end === 'SIGKILL') killed += 1;
      else if (end === 0) break;
      else throw new Error(`the carrier ended with ${end}`);
    }
    return { kills: killed, ...seen(telegram) };
  } finally {
    await telegram.stop();
  }
}

/** Killed `delayMs` after so many calls came in, or left to its end. */
async function carried(
  telegram: Telegram,
  [script = '', path = '']: readonly string[],
  calls: number | null,
  delayMs: number,
): Promise<number | string> {
  const child = spawn(process.execPath, [script, path, telegram.apiRoot, telegram.token], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_PATH: join(root, 'node_modules') },
  });
  const exited = once(child, 'exit');
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  if (calls !== null) {
    await telegram.until('so many calls', () => isOver() || telegram.ledger.calls().length >= calls, 20_000);
    const at = performance.now() + delayMs;
    while (performance.now() < at) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
  }
  const [code, signal] = await exited;
  return code ?? signal;
}

const parts = (name: string) => [`${name} line 0 `, `${name} line 109 `];

function seen(telegram: Telegram): Omit<Played, 'kills'> {
  const problems: string[] = [];
  let repeats = 0;
  for (const chat of [7, 8, -5]) {
    const shown = telegram
      .sent(telegram.world.chat(chat))
      .map((one) => `${one.text}${one.file === null ? '' : 'out.log'}`);
    repeats += shown.filter((text) => text.includes(mark.trim())).length;
    const once = ['first', 'second', 'third', 'see the file', 'out.log', 'card three', ...parts('long')];
    for (const text of once) {
      const copies = shown.filter((one) => one.replace(mark, '').replace(mark.trim(), '').includes(text));
      const unmarked = copies.filter((one) => !one.includes(mark.trim()));
      if (copies.length === 0) problems.push(`${chat}: "${text}" was lost`);
      if (unmarked.length > 1) problems.push(`${chat}: "${text}" was sent ${unmarked.length} times without a word`);
    }
    const finals = shown.map((text) => text.replace(mark, '')).filter((text) => /^(first|second|third)$/.test(text));
    const order = finals.filter((text, index) => finals.indexOf(text) === index).join(' ');
    if (order !== 'first second third') problems.push(`${chat}: the order is ${order}`);
  }
  return { problems, repeats };
}

/** The same for the same seed. */
function drawn(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

// One conversation carried to a Telegram by processes that are killed, and what a person sees of it in the end.
import { join } from 'node:path';
import { bundleCarrier, killCarriers } from '../../fixture/carriers.js';
import { startTelegram, type Telegram } from '../server/index.js';

const mark = '\n(perhaps a repeat)';

/** Gives the script's path. */
export function builtCarrier(folder: string): string {
  return bundleCarrier(folder, join(import.meta.dirname, 'fixtures/carry.ts'), ['grammy']);
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
  const args = [script, join(folder, `${seed}.db`), telegram.apiRoot, telegram.token];
  try {
    return { kills: await killCarriers(telegram, args, { seed, kills }), ...seen(telegram) };
  } finally {
    await telegram.stop();
  }
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

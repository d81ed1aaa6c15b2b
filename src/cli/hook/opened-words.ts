// Each hook in `bosun open`'s terminal writes a file, read once the agent has ended.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSessionEnd, type SessionEnd, writeSessionEnd } from './hook-input.js';

export const openedFolderVariable = 'BOSUN_OPENED_FOLDER';

const suffix = '.said.json';
/** Codex and OpenCode do not wait for their hook, which may still start. */
const lookEveryMs = 1_000;
const maxLooks = 3;

export function keepWords(folder: string, end: SessionEnd): void {
  const name = end.id.replaceAll(/[^\w-]/g, '').slice(0, 100);
  writeFileSync(join(folder, `${name || 'unnamed'}${suffix}`), writeSessionEnd(end), { mode: 0o600 });
}

/** Prefers the opened session: Codex titles a thread in a session of its own. Null: no turn ended. */
export async function wordsAtEnd(folder: string, id: string): Promise<SessionEnd | null> {
  for (let look = 1; ; look++) {
    await sleep(lookEveryMs);
    const names = readdirSync(folder).filter((name) => name.endsWith(suffix));
    const said = names.flatMap((name) => readSessionEnd(readFileSync(join(folder, name), 'utf8')) ?? []);
    const own = said.find((one) => one.id === id);
    if (own !== undefined || look === maxLooks) return own ?? said[0] ?? null;
  }
}

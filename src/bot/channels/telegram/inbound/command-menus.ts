import { createHash } from 'node:crypto';
import { type Api, GrammyError } from 'grammy';
import { type Clock, pause } from '../../../../base/index.js';
import { botCommands, type Grammar } from '../../../grammar/index.js';
import { signalOf, whyOf } from '../client.js';

export interface KeptHash {
  read(): string | null;
  write(hash: string): void;
}

export interface MenuParts {
  readonly grammar: Grammar;
  readonly api: Api;
  readonly bot: number;
  readonly kept: KeptHash;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  readonly end: AbortController;
}

const maxTries = 3;
/** A longer wait is left to the next start. */
const maxWaitMs = 60 * 60_000;
const menusOf = (grammar: Grammar) =>
  [
    { scope: { type: 'all_private_chats' }, commands: botCommands(grammar, 'private') },
    { scope: { type: 'all_group_chats' }, commands: botCommands(grammar, 'group') },
  ] as const;

export async function keepMenus(parts: MenuParts): Promise<void> {
  const hash = createHash('sha256')
    .update(JSON.stringify([parts.bot, menusOf(parts.grammar)]))
    .digest('hex');
  if (parts.kept.read() === hash) return;
  for (let tries = 1; tries <= maxTries && !parts.end.signal.aborted; tries += 1) {
    const waitMs = await setAll(parts);
    if (waitMs === 0) return parts.kept.write(hash);
    if (waitMs > maxWaitMs) return;
    await pause(waitMs, parts.end.signal, parts.clock);
  }
}

/** Returns the wait before the next try; 0: done. */
async function setAll({ grammar, api, log, end }: MenuParts): Promise<number> {
  try {
    for (const { scope, commands } of menusOf(grammar))
      await api.setMyCommands([...commands], { scope }, signalOf(end));
    return 0;
  } catch (error) {
    if (!end.signal.aborted) log(`telegram: the menu of commands is not set yet: ${whyOf(error)}`);
    const after = error instanceof GrammyError ? (error.parameters.retry_after ?? 60) : 60;
    return after * 1000;
  }
}

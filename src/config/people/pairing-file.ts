import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { BosunError, errnoOf, replaceFile } from '../../base/index.js';
import type { ChannelConfigKind } from '../channel-kinds.js';
import type { Home } from '../home/home.js';
import { underEditLock } from '../home/lock.js';

export type PairingHome = Pick<Home, 'dir' | 'configPath' | 'agents' | 'channels' | 'reservedWords'>;

export const codeLastsMs = 60 * 60_000;
export const maxPending = 3;
export const maxStrangers = 100;
export const maxRows = 20;
export const maxNameChars = 60;
const strangerKeptMs = 24 * 60 * 60_000;

const maxFileBytes = 64 * 1024;
const waitMs = 2_000;

const code = z.string().max(20);
const at = z.number();
const waits = { code, at, name: z.string().max(maxNameChars), isInvited: z.literal(true).optional() };
const answered = { at, replies: z.number().int() };

function fileSchema(kinds: readonly ChannelConfigKind[]) {
  const channel = z.string().refine((name) => kinds.some((kind) => kind.name === name));
  const account = z
    .object({ channel, id: z.union([z.number(), z.string()]) })
    .refine((one) => kinds.some(({ name, accountId }) => name === one.channel && accountId.safeParse(one.id).success));
  /** Older files name the account by channel: `telegram: 1000`. */
  const before = (found: unknown) => {
    if (typeof found !== 'object' || found === null) return found;
    const old = Object.entries(found).find(([key]) => kinds.some(({ name }) => name === key));
    return old === undefined ? found : { ...found, channel: old[0], id: old[1] };
  };
  const row = <Shape extends z.ZodRawShape>(shape: Shape) => z.preprocess(before, account.and(z.object(shape)));
  return z.strictObject({
    pending: z.array(row(waits)).max(maxRows),
    strangers: z.array(row(answered)).max(maxStrangers),
    invited: z.array(z.strictObject({ code, channel, at })).max(maxRows).default([]),
  });
}

export type Pairings = z.output<ReturnType<typeof fileSchema>>;
export type PendingRow = Pairings['pending'][number];

/** Service and command line take turns. */
export function changePairings<T>(
  home: PairingHome,
  now: number,
  act: (kept: Pairings) => { readonly kept: Pairings; readonly gives: T },
): T {
  return underEditLock(pathOf(home), waitMs, () => {
    const { text, kept } = readPairings(home);
    const changed = act(currentPairings(kept, now));
    const after = `${JSON.stringify(changed.kept)}\n`;
    if (after !== text) replaceFile(pathOf(home), after);
    return changed.gives;
  });
}

export function currentPairings({ pending, strangers, invited }: Pairings, now: number): Pairings {
  return {
    pending: pending.filter((one) => one.at > now - codeLastsMs),
    strangers: strangers.filter((one) => one.at > now - strangerKeptMs),
    invited: invited.filter((one) => one.at > now - codeLastsMs),
  };
}

export function readPairings(home: PairingHome): { readonly text: string; readonly kept: Pairings } {
  const text = textOf(pathOf(home));
  if (text === '') return { text, kept: { pending: [], strangers: [], invited: [] } };
  const parsed = text.length > maxFileBytes ? null : fileSchema(home.channels).safeParse(jsonOf(text));
  if (parsed?.success) return { text, kept: parsed.data };
  throw new BosunError('bad_config', `${pathOf(home)} is damaged`, {
    hint: 'Delete it. People who wait to be paired then write to the bot again.',
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return '';
    throw new BosunError('disk', `Cannot read ${path} (${errnoOf(cause) || 'unknown error'})`, { cause });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function pathOf({ dir }: PairingHome): string {
  return join(dir, 'pairing.json');
}

import { type Config, type KnockAnswer, personWith, type Stranger } from '../../../../../config/index.js';
import type { DeliveryRows, InboxRows, MessageReader, RunReader, ThreadReader } from '../../../../../store/index.js';
import type { News } from '../../../../commands/plan-report.js';
import type { Grammar, Parsed } from '../../../../grammar/index.js';
import type { InboundMessage } from '../../../../inbound/inbox-service.js';
import type { RateLimit, RecentMessages } from '../../../../inbound/index.js';
import { inboxSource, threadOf, updateKey } from './update-keys.js';
import type { TelegramBot, TelegramMessage } from './update-schema.js';

export interface TelegramReadContext {
  readonly me: TelegramBot;
  readonly config: Config;
  /** Rereads a changed file. */
  readonly freshConfig: () => Config;
  readonly grammar: Grammar;
  readonly reader: RunReader & MessageReader & ThreadReader;
  readonly inbox: Pick<InboxRows, 'isKnown'>;
  readonly deliveries: Pick<DeliveryRows, 'moves'>;
  readonly rate: RateLimit;
  readonly lately: RecentMessages;
  readonly now: () => number;
  readonly messageAt: (thread: string, platformId: number) => string | null;
  readonly knock: (stranger: Stranger) => KnockAnswer | null;
}

export interface Toast {
  readonly press: string;
  readonly text: string;
  /** Posted if Telegram no longer shows toasts for the press. */
  readonly instead?: InboundMessage;
}

export interface TelegramReadResult {
  readonly said: InboundMessage | null;
  readonly toast: Toast | null;
  /** For the "seen" reaction. */
  readonly receipt: { readonly thread: string; readonly message: number } | null;
  readonly log: string | null;
  readonly moved: { readonly from: string; readonly to: string } | null;
}

export const silence: TelegramReadResult = { said: null, toast: null, receipt: null, log: null, moved: null };
/** Rereads the config, because the person may just have been added. */
export function whoIs(id: number, read: UpdateReader): { readonly by: string; readonly read: UpdateReader } | null {
  const who = personWith(read.config, 'telegram', id);
  if (who?.kind === 'person') return { by: who.name, read };
  const config = read.freshConfig();
  const found = config === read.config ? null : personWith(config, 'telegram', id);
  return found?.kind === 'person' ? { by: found.name, read: { ...read, config } } : null;
}

export interface UpdateReader extends TelegramReadContext {
  readonly update: number;
}

export interface OfMember extends UpdateReader {
  readonly by: string;
}

export interface MemberText extends OfMember {
  readonly parsed: Parsed;
  /** The answer that an edit replaces. */
  readonly corrects?: string | null;
}

/** Replies without triggering anything. */
export function tell(
  message: TelegramMessage,
  read: UpdateReader & { readonly by: string | null },
  keys: readonly string[],
  text: string,
): TelegramReadResult {
  return { ...silence, said: { ...newsIn(read, threadOf(message), text), aliases: keys } };
}

/** Only marks the message as known. */
export function saidNothing(read: OfMember, thread: string, keys: readonly string[]): InboundMessage {
  const args: News = { news: '', threads: [], card: null, rings: false };
  return { ...saidBy(read, thread, keys), body: { type: 'command', name: 'told', args } };
}

export function news(read: UpdateReader, thread: string, text: string): TelegramReadResult {
  return { ...silence, said: newsIn({ ...read, by: null }, thread, text) };
}

export function newsIn(
  read: UpdateReader & { readonly by: string | null },
  thread: string,
  text: string,
): InboundMessage {
  const args: News = { news: text, threads: [thread], card: null, rings: false };
  return { ...saidBy(read, thread, []), body: { type: 'command', name: 'told', args } };
}

export function saidBy(
  { me, update, by }: UpdateReader & { readonly by: string | null },
  thread: string,
  aliases: readonly string[],
): Omit<InboundMessage, 'body'> {
  return { source: inboxSource, externalId: updateKey(me, update), aliases, thread, by, cwd: '/' };
}

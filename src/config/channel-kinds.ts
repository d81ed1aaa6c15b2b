// Listed by the registry of bot/channels.
import type { z } from 'zod';
import type { ChatConfig } from './config.js';

export type PlatformId = string | number;

export interface ChannelConfigKind extends ThreadIds {
  /** Key in config.yaml, and channel of its threads. */
  readonly name: string;
  readonly title: string;
  readonly settings: z.ZodType<object | null>;
  readonly accountId: z.ZodType<PlatformId>;
  readonly chatId: z.ZodType<PlatformId>;
  readonly hasNumericIds: boolean;
  /** `people.*.<name>_group` names a group's members. */
  readonly hasGroups: boolean;
  readonly topics: TopicRules | null;
  secretsOf(settings: object): readonly (string | null | undefined)[];
}

export interface ThreadIds {
  /** Null: another channel's id. */
  decode(id: string): Readonly<Record<string, string>> | null;
  boundThread(chat: ChatConfig): string;
  /** `known`: where a private chat may have two ids. */
  privateThread(account: PlatformId, known: KnownChats | null): string;
  isPrivateChat(chat: string): boolean;
  /** For one person's eyes in a shared chat; absent: refusals are posted where they spoke. */
  asideThread?(chat: string, account: PlatformId): string;
  /** Null: a run is told in the chat itself. */
  readonly runThread: ((chat: string, run: string) => string) | null;
}

export interface KnownChats {
  isKnown(thread: string): boolean;
  movedTo(chat: string): string | null;
}

export interface TopicRules {
  /** Where this thread may make a topic; null: nowhere. */
  hostOf(thread: string): string | null;
  /** The failure means a deleted topic. */
  isGone(problem: string): boolean;
}

export function channelTitle(kinds: readonly ChannelConfigKind[], channel: string): string {
  return kinds.find(({ name }) => name === channel)?.title ?? channel;
}

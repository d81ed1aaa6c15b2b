import type { z } from 'zod';
import type { ChatConfig } from './config.js';

export type PlatformId = string | number;

export interface ChannelConfigKind extends ThreadIds {
  /** Its key in config.yaml, and the channel of its threads. */
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
  /** `known` is needed where a private chat may have two ids. */
  privateThread(account: PlatformId, known: KnownChats | null): string;
  isPrivateChat(chat: string): boolean;
  /** Shown to one person only, in a shared chat. Absent: refusals are posted where the person spoke. */
  asideThread?(chat: string, account: PlatformId): string;
  /** Null: the chat itself tells about runs. */
  readonly runThread: ((chat: string, run: string) => string) | null;
}

export interface KnownChats {
  isKnown(thread: string): boolean;
  movedTo(chat: string): string | null;
}

export interface TopicRules {
  /** The chat that may hold a new topic; null: none. */
  hostOf(thread: string): string | null;
  /** True if the failure means a deleted topic. */
  isGone(problem: string): boolean;
}

export function channelTitle(kinds: readonly ChannelConfigKind[], channel: string): string {
  return kinds.find(({ name }) => name === channel)?.title ?? channel;
}

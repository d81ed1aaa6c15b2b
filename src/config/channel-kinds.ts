// What config.yaml, the store and dispatch must know of a kind of chat channel: its keys, thread ids and secrets. The
// registry of bot/channels lists the kinds, and a home is opened with them.
import type { z } from 'zod';
import type { ChatConfig } from './config.js';

/** The id of a person or a chat on a platform. */
export type PlatformId = string | number;

export interface ChannelConfigKind extends ThreadIds {
  /** The key in config.yaml, and the channel of its threads. */
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  /** Parses `channels.<name>` into the settings; null: not in use. */
  readonly settings: z.ZodType<object | null>;
  readonly accountId: z.ZodType<PlatformId>;
  readonly chatId: z.ZodType<PlatformId>;
  readonly hasNumericIds: boolean;
  /** `people.*.<name>_group` names all members of a group. */
  readonly hasGroups: boolean;
  /** null: a chat has no topics. */
  readonly topics: TopicRules | null;
  secretsOf(settings: object): readonly (string | null | undefined)[];
}

export interface ThreadIds {
  /** The address in a thread id; null: the id is of another channel. */
  decode(id: string): Readonly<Record<string, string>> | null;
  /** Where a project lives. */
  boundThread(chat: ChatConfig): string;
  /** The chat of a person with the bot; `known`: where it may have two ids. */
  privateThread(account: PlatformId, known: KnownChats | null): string;
  isPrivateChat(chat: string): boolean;
  /** What only this person sees in a shared chat; without it refusals are posted where people spoke. */
  asideThread?(chat: string, account: PlatformId): string;
  /** The thread that Bosun opens in a chat for a run; null: a run is told in the chat itself. */
  readonly runThread: ((chat: string, run: string) => string) | null;
}

export interface KnownChats {
  isKnown(thread: string): boolean;
  movedTo(chat: string): string | null;
}

export interface TopicRules {
  /** The chat in which this thread may make a topic; null: none. */
  hostOf(thread: string): string | null;
  /** Whether a failed delivery means that the topic was deleted. */
  isGone(problem: string): boolean;
}

/** What people call the channel. */
export function channelTitle(kinds: readonly ChannelConfigKind[], channel: string): string {
  return kinds.find(({ name }) => name === channel)?.title ?? channel;
}

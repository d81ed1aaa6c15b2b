// Threads that get messages without a subscription: bound chats for all runs, private chats for personal matters.
import {
  type ChannelConfigKind,
  type Config,
  type KnownChats,
  type PersonConfig,
  type ProjectConfig,
  projectNamed,
} from '../../config/index.js';
import { type DeliveryRows, type HomeReader, laneOf, placeOf } from '../../store/index.js';

type Kinds = readonly ChannelConfigKind[];

export function boundThreads(config: Config, project: string): readonly string[] {
  const chats = projectNamed(config, project)?.chats ?? [];
  return chats.flatMap((chat) => {
    const kind = config.channelKinds.find(({ name }) => name === chat.channel);
    return kind === undefined || !isConnected(config, chat.channel) ? [] : [kind.boundThread(chat)];
  });
}

export function isConnected({ channels }: Pick<Config, 'channels'>, channel: string): boolean {
  return (channels[channel] ?? null) !== null;
}

/** In a chat with threads: the first mention's, else one that Bosun opens. */
export function followersOf(
  config: Config,
  { id: run, project }: { readonly id: string; readonly project: string },
  following: readonly string[],
): readonly string[] {
  const { channelKinds: kinds } = config;
  const homes = boundThreads(config, project).flatMap((thread) => {
    const { runThread = null, chat = '' } = spotOf(kinds, thread) ?? {};
    if (runThread === null) return [thread];
    return threadBeside(kinds, thread, following) === null ? [runThread(chat, run)] : [];
  });
  return [...new Set([...following, ...homes])];
}

/** Null: the run needs no thread of its own. */
export function threadBeside(kinds: Kinds, thread: string, others: readonly string[]): string | null {
  const spot = spotOf(kinds, thread);
  if (spot === null || spot.runThread === null) return null;
  const isBeside = (other: ReturnType<typeof spotOf>) => other?.name === spot.name && other.chat === spot.chat;
  return others.find((other) => isBeside(spotOf(kinds, other))) ?? null;
}

export function ownersThreads(
  { people, channelKinds }: Pick<Config, 'people' | 'channelKinds'>,
  { members }: ProjectConfig,
): readonly string[] {
  const owners = people.filter(({ name }) => members[name] === 'owner');
  return ['local', ...owners.flatMap((person) => privateThreads(channelKinds, person).map(({ thread }) => thread))];
}

export interface DirectRows {
  readonly reader: Pick<HomeReader, 'thread'>;
  readonly deliveries: Pick<DeliveryRows, 'moves'>;
}

/** The preferred channel's first. `rows` null: ignores that chats may have two ids. */
export function privateThreads(
  kinds: Kinds,
  { accounts, prefers }: Pick<PersonConfig, 'accounts' | 'prefers'>,
  rows: DirectRows | null = null,
) {
  const first = kinds.filter(({ name }) => name === prefers);
  return [...new Set([...first, ...kinds])].flatMap((kind) => {
    const account = accounts[kind.name];
    if (account === undefined) return [];
    return [{ channel: kind.name, thread: kind.privateThread(account, rows === null ? null : knownChats(rows, kind)) }];
  });
}

function knownChats(rows: DirectRows, { name }: ChannelConfigKind): KnownChats {
  return {
    isKnown: (thread) => rows.reader.thread(thread) !== null,
    movedTo: (chat) => rows.deliveries.moves(name).get(chat) ?? null,
  };
}

function spotOf(kinds: Kinds, thread: string) {
  const place = placeOf(kinds, thread);
  const kind = kinds.find(({ name }) => name === place?.channel);
  if (place === null || kind === undefined) return null;
  return { name: kind.name, runThread: kind.runThread, chat: laneOf({ id: thread, ...place }) };
}

// Which threads hear of a project without anybody having spoken there: the chats that it lives in, of all its runs, and
// its people, of what concerns them alone.
import { type Config, type PersonConfig, type ProjectConfig, projectNamed } from '../../config/index.js';
import { laneOf, placedThread, type Store } from '../../store/index.js';

/** Ids of threads; a general topic is the chat itself. */
export function boundThreads(config: Config, project: string): readonly string[] {
  const chats = projectNamed(config, project)?.chats ?? [];
  return chats.flatMap((chat) => {
    if (config.channels[chat.channel] === null) return [];
    if (chat.channel === 'slack') return [`sl:${chat.chat}`];
    return [chat.topic === null || chat.topic === 1 ? `tg:${chat.chat}` : `tg:${chat.chat}:${chat.topic}`];
  });
}

/** A run has one thread of a channel: the one in which somebody spoke of it first, else one that Bosun opens. */
export function followersOf(run: string, following: readonly string[], bound: readonly string[]): readonly string[] {
  const homes = bound.flatMap((thread) => {
    if (channelOf(thread) !== 'slack') return [thread];
    return threadBeside(thread, following) === null ? [`${thread}:${run}`] : [];
  });
  return [...new Set([...following, ...homes])];
}

/** The one of these threads that is in the same channel of Slack; elsewhere each thread is a place of its own. */
export function threadBeside(thread: string, others: readonly string[]): string | null {
  const place = placedThread(thread, null);
  if (place?.channel !== 'slack') return null;
  return others.find((other) => other.startsWith('sl:') && laneOfId(other) === laneOf(place)) ?? null;
}

/** The host, and the owners' own chats. */
export function ownersThreads(config: Pick<Config, 'people'>, { members }: ProjectConfig): readonly string[] {
  const owners = config.people.filter(({ name }) => members[name] === 'owner');
  return ['local', ...owners.flatMap(privateThreads)];
}

export interface DirectRows {
  readonly thread: Store['thread'];
  readonly deliveries: Pick<Store['deliveries'], 'moves'>;
}

/**
 * Slack's chat of the bot with one person goes by two names, the person's and its own: it is one thread, under the name
 * by which it was known first. `channel`: its own name; null: as far as it is known.
 */
export function directThread(store: DirectRows, user: string, channel: string | null = null): string {
  const own = channel ?? store.deliveries.moves('slack').get(user) ?? null;
  const isKnown = (name: string) => store.thread(`sl:${name}`) !== null;
  return own === null || (!isKnown(own) && isKnown(user)) ? `sl:${user}` : `sl:${own}`;
}

/** Where one person alone is met. */
export function privateThreads({ telegram, slack }: Pick<PersonConfig, 'telegram' | 'slack'>): readonly string[] {
  return [...(telegram === null ? [] : [`tg:${telegram}`]), ...(slack === null ? [] : [`sl:${slack}`])];
}

function channelOf(thread: string): string | null {
  return placedThread(thread, null)?.channel ?? null;
}

function laneOfId(thread: string): string {
  const place = placedThread(thread, null);
  return place === null ? thread : laneOf(place);
}

// Finds the threads that receive a project's messages without a subscription: bound chats for all its runs, and
// members' private chats for personal matters.
import { type Config, type PersonConfig, type ProjectConfig, projectNamed } from '../../config/index.js';
import { type DeliveryRows, type HomeReader, laneOf, placedThread } from '../../store/index.js';

/** Thread ids; Telegram's general topic is the chat itself. */
export function boundThreads(config: Config, project: string): readonly string[] {
  const chats = projectNamed(config, project)?.chats ?? [];
  return chats.flatMap((chat) => {
    if (config.channels[chat.channel] === null) return [];
    if (chat.channel === 'slack') return [`sl:${chat.chat}`];
    return [chat.topic === null || chat.topic === 1 ? `tg:${chat.chat}` : `tg:${chat.chat}:${chat.topic}`];
  });
}

/** In a Slack channel a run has one thread: the first in which a person mentioned it, else one that Bosun opens. */
export function followersOf(run: string, following: readonly string[], bound: readonly string[]): readonly string[] {
  const homes = bound.flatMap((thread) => {
    if (channelOf(thread) !== 'slack') return [thread];
    return threadBeside(thread, following) === null ? [`${thread}:${run}`] : [];
  });
  return [...new Set([...following, ...homes])];
}

/** The thread among `others` in the same Slack channel; null outside Slack, where each thread is separate. */
export function threadBeside(thread: string, others: readonly string[]): string | null {
  const place = placedThread(thread, null);
  if (place?.channel !== 'slack') return null;
  return others.find((other) => other.startsWith('sl:') && laneOfId(other) === laneOf(place)) ?? null;
}

/** The host's local thread, and the owners' private chats. */
export function ownersThreads(config: Pick<Config, 'people'>, { members }: ProjectConfig): readonly string[] {
  const owners = config.people.filter(({ name }) => members[name] === 'owner');
  return ['local', ...owners.flatMap(privateThreads)];
}

export interface DirectRows {
  readonly reader: Pick<HomeReader, 'thread'>;
  readonly deliveries: Pick<DeliveryRows, 'moves'>;
}

/**
 * A Slack direct chat has two ids, the user's and its own. They are one thread, under the id known first. `channel`:
 * the chat's own id; null: look it up.
 */
export function directThread({ reader, deliveries }: DirectRows, user: string, channel: string | null = null): string {
  const own = channel ?? deliveries.moves('slack').get(user) ?? null;
  const isKnown = (name: string) => reader.thread(`sl:${name}`) !== null;
  return own === null || (!isKnown(own) && isKnown(user)) ? `sl:${user}` : `sl:${own}`;
}

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

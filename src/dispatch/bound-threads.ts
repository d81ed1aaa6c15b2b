// Which threads hear of a project without anybody having spoken there: the chats that it lives in, of all its runs, and
// its owners, of what concerns its setting up.
import { type Config, type ProjectConfig, projectNamed } from './home/index.js';

/** Ids of threads; a general topic is the chat itself. */
export function boundThreads(config: Config, project: string): readonly string[] {
  const chats = projectNamed(config, project)?.chats ?? [];
  return chats.flatMap((chat) => {
    if (chat.channel !== 'telegram' || config.channels.telegram === null) return [];
    return [chat.topic === null || chat.topic === 1 ? `tg:${chat.chat}` : `tg:${chat.chat}:${chat.topic}`];
  });
}

/** The host, and the owners' own chats. */
export function ownersThreads({ people }: Pick<Config, 'people'>, { members }: ProjectConfig): readonly string[] {
  const owners = people.filter(({ name, telegram }) => telegram !== null && members[name] === 'owner');
  return ['local', ...owners.map(({ telegram }) => `tg:${telegram}`)];
}

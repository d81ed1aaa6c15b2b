// The chats that a project lives in hear of all its runs, whoever starts them and wherever.
import { type Config, projectNamed } from './home/index.js';

/** Ids of threads; a general topic is the chat itself. */
export function boundThreads(config: Config, project: string): readonly string[] {
  const chats = projectNamed(config, project)?.chats ?? [];
  return chats.flatMap((chat) => {
    if (chat.channel !== 'telegram' || config.channels.telegram === null) return [];
    return [chat.topic === null || chat.topic === 1 ? `tg:${chat.chat}` : `tg:${chat.chat}:${chat.topic}`];
  });
}

// The bot was let into a chat, or put out of one.
import { livesAt } from '../../../../commands/which-project.js';
import { isPrivate } from './addressed.js';
import { news, type Reader, type Reading, silence, whoIs } from './read-result.js';
import { threadOfChat } from './update-keys.js';
import type { Standing } from './update-schema.js';

export function readStanding(
  { chat, from, old_chat_member: before, new_chat_member: after }: Standing,
  read: Reader,
): Reading {
  const who = whoIs(from.id, read);
  const isIn = (status: string) => ['member', 'administrator', 'restricted', 'creator'].includes(status);
  const log = `telegram: in ${chat.type} chat ${chat.id} the bot is ${after.status} now`;
  if (who === null || isIn(before.status) === isIn(after.status)) return { ...silence, log };
  if (isPrivate(chat)) {
    const does = isIn(after.status) ? 'lets the bot write again' : 'has blocked the bot: nothing reaches that chat';
    return { ...news(read, 'local', `${who.by} ${does}.`), log };
  }
  const thread = threadOfChat(chat.id);
  if (isIn(after.status)) return { ...news(read, thread, hello(chat.id)), log };
  const projects = livesAt(read.config, thread);
  const told = `The bot is no longer in the chat of ${projects.join(', ')} (${chat.id}).`;
  return projects.length === 0 ? { ...silence, log } : { ...news(read, 'local', told), log };
}

function hello(chat: number): string {
  return `I am here. To make this the chat of a project, add to it in config.yaml:\nchats: [{ telegram: ${chat} }]\nUntil then I hear what is said to me by name.`;
}

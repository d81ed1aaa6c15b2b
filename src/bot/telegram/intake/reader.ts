// From one update to what is written down of it, if anything. Who it is comes first, at every entrance alike; nothing is
// done here.
import { type Config, type KnockAnswer, personWith, type Store, type Stranger } from '../../../dispatch/index.js';
import type { Incoming, Moved } from '../../desk/came-in.js';
import type { News } from '../../desk/report.js';
import { livesAt } from '../../desk/which-project.js';
import type { Said } from '../../front-door.js';
import { understand } from '../../grammar/index.js';
import { isPrivate, type Words, wordsOf } from './addressed.js';
import { fileOf, unreadable } from './attached.js';
import type { Lately } from './lately.js';
import { editKey, inboxSource, messageKey, onceKey, pressKey, threadOf, threadOfChat, updateKey } from './place.js';
import { isPress, toastOf } from './press.js';
import type { Rate } from './rate.js';
import type { Me, Message, Press, Standing, Update, User } from './update.js';

export interface Around {
  readonly me: Me;
  readonly config: Config;
  readonly store: Store;
  readonly rate: Rate;
  readonly lately: Lately;
  readonly now: () => number;
  /** Which of Bosun's messages the platform shows there. */
  readonly messageAt: (thread: string, platformId: number) => string | null;
  readonly knock: (stranger: Stranger) => KnockAnswer | null;
}

export interface Reading {
  /** null: nothing is written down, nothing happens. */
  readonly said: Said | null;
  /** What the one who pressed is shown; to be sent before anything else. */
  readonly toast: { readonly press: string; readonly text: string } | null;
  /** Of a message that will be acted on: where a sign of that belongs. */
  readonly receipt: { readonly thread: string; readonly message: number } | null;
  readonly log: string | null;
  /** Ids of a chat: what it was, what it is. */
  readonly moved: { readonly from: string; readonly to: string } | null;
}

const silence: Reading = { said: null, toast: null, receipt: null, log: null, moved: null };
/** An edit so soon is a correction. */
const correctionMs = 10_000;

export function readUpdate(update: Update, around: Around): Reading {
  if (around.store.isKnown(inboxSource, updateKey(around.me, update.update_id))) return silence;
  const read = { ...around, update: update.update_id };
  if (update.callback_query) return readPress(update.callback_query, read);
  if (update.my_chat_member) return readStanding(update.my_chat_member, read);
  const message = update.message ?? update.edited_message;
  return message ? readMessage(message, update.edited_message !== undefined, read) : silence;
}

interface Reader extends Around {
  readonly update: number;
}

function readMessage(message: Message, isEdit: boolean, read: Reader): Reading {
  const { chat, from, sender_chat: onBehalf } = message;
  if (message.migrate_to_chat_id !== undefined) return readMove(message.migrate_to_chat_id, message, read);
  if (chat.type === 'channel') return silence;
  if (onBehalf !== undefined) return refuseNameless(message, read);
  if (from === undefined || from.is_bot || from.id === read.me.id) return silence;
  const who = personWith(read.config, 'telegram', from.id);
  if (who?.kind !== 'person') return isPrivate(chat) && !isEdit ? readStranger(from, message, read) : silence;
  return readMembers(message, isEdit, { ...read, by: who.name });
}

interface OfMember extends Reader {
  readonly by: string;
}

function readMembers(message: Message, isEdit: boolean, read: OfMember): Reading {
  const words = wordsOf(message, read.me);
  const own = messageKey(read.me, message);
  const isSame = isEdit && read.lately.text(own) === words.text;
  if (isSame || !isMeant(message, words, read)) return silence;
  const key = isEdit ? editKey(read.me, message) : own;
  if (read.store.isKnown(inboxSource, key)) return silence;
  const pace = read.rate.note(read.by, (message.edit_date ?? message.date) * 1000);
  if (pace === 'silent') return noted(message, read, [key]);
  if (pace === 'warn') return tell(message, read, [key], tooFast);
  return isEdit ? readEdit(message, words, { own, key }, read) : readWords(message, words, [own], read);
}

/** What was acted on stays; what was not, or not understood, may be corrected at once. */
function readEdit(
  message: Message,
  words: Words,
  { own, key }: { readonly own: string; readonly key: string },
  read: OfMember,
): Reading {
  const isSoon = ((message.edit_date ?? 0) - message.date) * 1000 <= correctionMs;
  if (isSoon && !read.store.isKnown(inboxSource, own)) return readWords(message, words, [own, key], read);
  if (isSoon && read.lately.didNothing(own)) return readWords(message, words, [key], read);
  return tell(message, read, [key], edited);
}

const tooFast =
  'Too fast: I read twenty messages a minute of one person. This one and those that follow are not heard.';
const edited = 'I do not act on an edited message: say it again as a new one.';

/** In a chat where a project lives a whole sentence is enough; elsewhere one must call the bot. */
function isMeant(message: Message, words: Words, read: OfMember): boolean {
  if (words.isForBot) return true;
  const here = livesAt(read.config, threadOf(message));
  if (words.isForOthers || here.length === 0 || isFromElsewhere(message)) return false;
  if (fileOf(message) !== null) return true;
  const { verb, code } = understand(words.text, read.config.projects);
  // "ok" and "no" are what people say to each other.
  return verb !== null && (code !== null || (verb !== 'approve' && verb !== 'reject'));
}

function isFromElsewhere({ forward_origin: origin, via_bot: bot }: Message): boolean {
  return origin !== undefined || bot !== undefined;
}

function readWords(message: Message, words: Words, keys: readonly string[], read: OfMember): Reading {
  if (isFromElsewhere(message)) return tell(message, read, keys, 'Forwarded text is not a command: say it yourself.');
  const file = fileOf(message);
  if (file !== null) return readFile(message, { ...file, caption: words.text }, keys, read);
  const deaf = unreadable(message);
  if (deaf !== null) return tell(message, read, keys, `I cannot follow ${deaf}: please write.`);
  if (words.text === '') return silence;
  const thread = threadOf(message);
  const { reply_to_message: replied } = message;
  const replyTo = replied?.from?.id === read.me.id ? read.messageAt(thread, replied.message_id) : null;
  const text = /^\/start(@\w+)?$/i.test(words.text) ? 'projects' : words.text;
  for (const key of keys) read.lately.heard(key, words.text);
  const said = { ...saidBy(read, thread, keys), body: { type: 'text', text, replyTo } } as const;
  return { ...silence, said, receipt: willAct(text, replyTo, read) ? { thread, message: message.message_id } : null };
}

const readingOnly = new Set<string | null>([
  ...['status', 'projects', 'inbox', 'stories', 'steps', 'history', 'log', 'diff', 'cost', 'why', 'whoami', 'help'],
  null,
]);

function willAct(text: string, replyTo: string | null, { config, store }: Reader): boolean {
  const isAnswer = replyTo !== null && (store.message(replyTo)?.interaction ?? null) !== null;
  return isAnswer || !readingOnly.has(understand(text, config.projects).verb);
}

function readFile(message: Message, file: Incoming, keys: readonly string[], read: OfMember): Reading {
  const thread = threadOf(message);
  const said = { ...saidBy(read, thread, keys), body: { type: 'command', name: 'file', args: file } } as const;
  return { ...silence, said, receipt: { thread, message: message.message_id } };
}

function readStranger({ id, first_name: name }: User, message: Message, read: Reader): Reading {
  const key = messageKey(read.me, message);
  if (read.store.isKnown(inboxSource, key)) return silence;
  const answer = read.knock({ telegram: id, name });
  if (answer === null) return silence;
  const text = [
    `I do not know you yet. Ask the owner to run:\nbosun pair ${answer.code}`,
    'on the machine where Bosun lives, within an hour.',
    ...(answer.isLast ? ['Until then I stay silent.'] : []),
  ].join('\n');
  return tell(message, { ...read, by: null }, [key], text);
}

/** Behind an anonymous administrator or a channel there is nobody who could be asked who he is. */
function refuseNameless(message: Message, read: Reader): Reading {
  const thread = threadOf(message);
  const isKnownPlace = livesAt(read.config, thread).length > 0 || read.store.thread(thread) !== null;
  if (!isKnownPlace || !wordsOf(message, read.me).isForBot) return silence;
  const text =
    'I hear people only by their own name: not anonymous administrators and not channels. Please write as yourself.';
  return tell(message, { ...read, by: null }, [onceKey(read.me, 'nameless', message.chat.id)], text);
}

function readMove(to: number, message: Message, read: Reader): Reading {
  const moved: Moved = { from: threadOfChat(message.chat.id), to: threadOfChat(to) };
  const keys = [onceKey(read.me, 'moved', message.chat.id)];
  const said = {
    ...saidBy({ ...read, by: null }, moved.to, keys),
    body: { type: 'command', name: 'moved', args: moved },
  } as const;
  const ids = { from: `${message.chat.id}`, to: `${to}` };
  return { ...silence, said, moved: ids, log: `telegram: the group ${ids.from} goes on as ${ids.to}` };
}

function readPress({ id, from, message, data }: Press, read: Reader): Reading {
  const toast = (text: string): Reading => ({ ...silence, toast: { press: id, text } });
  if (from.is_bot || read.store.isKnown(inboxSource, pressKey(id))) return silence;
  const who = personWith(read.config, 'telegram', from.id);
  if (who?.kind !== 'person') return toast('I do not know you.');
  if (message === undefined) return toast('That message is too old: write to me instead.');
  if (!isPress(data)) return toast('That button is no longer understood.');
  // A press has no time of its own.
  if (read.rate.note(who.name, read.now()) !== 'fine') return toast('Too fast: nothing was done. Wait a minute.');
  const said = {
    ...saidBy({ ...read, by: who.name }, threadOf(message), [pressKey(id)]),
    body: { type: 'press', press: data, text: null },
  } as const;
  return { ...toast(toastOf(read.store, read.config, who.name, data)), said };
}

function readStanding(
  { chat, from, old_chat_member: before, new_chat_member: after }: Standing,
  read: Reader,
): Reading {
  const who = personWith(read.config, 'telegram', from.id);
  const isIn = (status: string) => ['member', 'administrator', 'restricted', 'creator'].includes(status);
  const log = `telegram: in ${chat.type} chat ${chat.id} the bot is ${after.status} now`;
  if (who?.kind !== 'person' || isIn(before.status) === isIn(after.status)) return { ...silence, log };
  if (isPrivate(chat)) {
    const does = isIn(after.status) ? 'lets the bot write again' : 'has blocked the bot: nothing reaches that chat';
    return { ...news(read, 'local', `${who.name} ${does}.`), log };
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

/** The person hears it where he spoke; it acts on nothing. */
function tell(
  message: Message,
  read: Reader & { readonly by: string | null },
  keys: readonly string[],
  text: string,
): Reading {
  const thread = threadOf(message);
  const args: News = { news: text, threads: [thread], card: null, rings: false };
  return { ...silence, said: { ...saidBy(read, thread, keys), body: { type: 'command', name: 'told', args } } };
}

/** Known from now on, and nothing else. */
function noted(message: Message, read: OfMember, keys: readonly string[]): Reading {
  const args: News = { news: '', threads: [], card: null, rings: false };
  const thread = threadOf(message);
  return { ...silence, said: { ...saidBy(read, thread, keys), body: { type: 'command', name: 'told', args } } };
}

function news(read: Reader, thread: string, text: string): Reading {
  const args: News = { news: text, threads: [thread], card: null, rings: false };
  const said = { ...saidBy({ ...read, by: null }, thread, []), body: { type: 'command', name: 'told', args } } as const;
  return { ...silence, said };
}

function saidBy(
  { me, update, by }: Reader & { readonly by: string | null },
  thread: string,
  aliases: readonly string[],
): Omit<Said, 'body'> {
  return { source: inboxSource, externalId: updateKey(me, update), aliases, thread, by, cwd: '/' };
}

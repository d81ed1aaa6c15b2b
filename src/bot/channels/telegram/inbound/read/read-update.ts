import type { ChatMoved, Incoming } from '../../../../commands/incoming-files.js';
import { livesAt } from '../../../../commands/which-project.js';
import { type Grammar, isVerdict, type Parsed, type VerbRow } from '../../../../grammar/index.js';
import { cannotFollow, codeText, editedText, maxFileBytes, tooFast } from '../../../../inbound/index.js';
import { type AddressedWords, isPrivate, wordsOf } from './addressed.js';
import { readKnownPress, readPress } from './read-press.js';
import {
  type MemberText,
  news,
  type OfMember,
  saidBy,
  saidNothing,
  silence,
  type TelegramReadContext,
  type TelegramReadResult,
  tell,
  type UpdateReader,
  whoIs,
} from './read-result.js';
import { editKey, inboxSource, messageKey, onceKey, threadOf, threadOfChat, updateKey } from './update-keys.js';
import type { TelegramMessage, TelegramStanding, TelegramUser, Update } from './update-schema.js';

/** An edit this soon is a correction. */
const correctionMs = 10_000;

export function readUpdate(update: Update, context: TelegramReadContext): TelegramReadResult {
  const isKnown = context.inbox.isKnown(inboxSource, updateKey(context.me, update.update_id));
  const read = { ...context, update: update.update_id };
  if (isKnown) return update.callback_query ? readKnownPress(update.callback_query, read) : silence;
  if (update.callback_query) return readPress(update.callback_query, read);
  if (update.my_chat_member) return readStanding(update.my_chat_member, read);
  const message = update.message ?? update.edited_message;
  return message ? readMessage(message, update.edited_message !== undefined, read) : silence;
}

function readMessage(message: TelegramMessage, isEdit: boolean, read: UpdateReader): TelegramReadResult {
  const { chat, from, sender_chat: onBehalf } = message;
  if (message.migrate_to_chat_id !== undefined) return readMove(message.migrate_to_chat_id, message, read);
  if (chat.type === 'channel') return silence;
  if (onBehalf !== undefined) return refuseNameless(message, read);
  if (from === undefined || from.is_bot || from.id === read.me.id) return silence;
  const who = whoIs(from.id, read);
  if (who === null) return isPrivate(chat) && !isEdit ? readStranger(from, message, read) : silence;
  const text = wordsOf(message, read.me).text;
  const { grammar, config } = who.read;
  return readMembers(message, isEdit, { ...who.read, by: who.by, parsed: grammar.understand(text, config.projects) });
}

function readMembers(message: TelegramMessage, isEdit: boolean, read: MemberText): TelegramReadResult {
  const words = wordsOf(message, read.me);
  const own = messageKey(read.me, message);
  const isSame = isEdit && read.lately.text(own) === words.text;
  if (isSame || !isMeant(message, words, read)) return silence;
  const key = isEdit ? editKey(read.me, message) : own;
  if (read.inbox.isKnown(inboxSource, key)) return silence;
  const counted = read.rate.note(read.by, (message.edit_date ?? message.date) * 1000);
  const pace = read.grammar.effectOf(read.parsed) === 'stops' ? 'fine' : counted;
  if (pace === 'silent') return { ...silence, said: saidNothing(read, threadOf(message), [key]) };
  if (pace === 'warn') return tell(message, read, [key], tooFast);
  return isEdit ? readEdit(message, words, { own, key }, read) : readWords(message, words, [own], read);
}

/** Read again only if the original did nothing. */
function readEdit(
  message: TelegramMessage,
  words: AddressedWords,
  { own, key }: { readonly own: string; readonly key: string },
  read: MemberText,
): TelegramReadResult {
  const isSoon = ((message.edit_date ?? 0) - message.date) * 1000 <= correctionMs;
  if (isSoon && !read.inbox.isKnown(inboxSource, own)) return readWords(message, words, [own, key], read);
  if (isSoon && read.lately.didNothing(own))
    return readWords(message, words, [key], { ...read, corrects: read.lately.offered(own) });
  return tell(message, read, [key], editedText);
}

/** A project's chat needs no mention. */
function isMeant(message: TelegramMessage, words: AddressedWords, { parsed, ...read }: MemberText): boolean {
  if (words.isForBot) return true;
  const here = livesAt(read.config, threadOf(message));
  if (words.isForOthers || here.length === 0 || isFromElsewhere(message)) return false;
  if (fileOf(message) !== null) return true;
  // People say "ok" and "no" to each other.
  return parsed.verb !== null && (parsed.code !== null || !isVerdict(read.grammar.rowOf(parsed)));
}

function isFromElsewhere({ forward_origin: origin, via_bot: bot }: TelegramMessage): boolean {
  return origin !== undefined || bot !== undefined;
}

function readWords(
  message: TelegramMessage,
  words: AddressedWords,
  keys: readonly string[],
  read: MemberText,
): TelegramReadResult {
  if (isFromElsewhere(message))
    return tell(message, read, keys, "I don't act on forwarded messages. Write it yourself.");
  const file = fileOf(message);
  if (file !== null) return readFile(message, { ...file, caption: words.text }, keys, read);
  const deaf = unreadable(message);
  if (deaf !== null) return tell(message, read, keys, cannotFollow(deaf));
  if (words.text === '') return silence;
  const thread = threadOf(message);
  const { grammar, config, corrects = null } = read;
  const isGreeting = /^\/start(@\w+)?(\s+\S{1,64})?$/i.test(words.text);
  const text = isGreeting ? '/start' : words.text;
  // A read: no project is meant, nothing begins.
  const parsed = isGreeting ? grammar.understand('projects', config.projects) : read.parsed;
  const replyTo = words.repliesTo === null ? null : read.messageAt(thread, words.repliesTo);
  const isLost = words.repliesTo !== null && replyTo === null && !standsAlone(parsed, grammar);
  if (isLost) return tell(message, read, keys, lostReplyText);
  for (const key of keys) read.lately.note(key, words.text);
  const said = {
    ...saidBy(read, thread, keys),
    body: { type: 'text', text, replyTo },
    parsed: { parsed, projects: config.projects, ...(corrects && { corrects }) },
  } as const;
  return { ...silence, said, receipt: willAct(parsed, replyTo, read) ? { thread, message: message.message_id } : null };
}

function willAct(parsed: Parsed, replyTo: string | null, { grammar, reader }: UpdateReader): boolean {
  const isAnswer = replyTo !== null && (reader.message(replyTo)?.interaction ?? null) !== null;
  return isAnswer || (parsed.verb !== null && grammar.effectOf(parsed) !== 'reads');
}

/** Without the answered message its subject cannot be guessed. */
const lostReplyText = "I no longer know that message, so I did nothing. Name the project or the card's code.";

/** Clear without the message that it replies to. */
function standsAlone(parsed: Parsed, grammar: Grammar): boolean {
  const row = grammar.rowOf(parsed);
  return row !== null && (parsed.project !== null || parsed.code !== null || isOfChat(row));
}

function isOfChat({ project, target }: VerbRow): boolean {
  return project === 'none' && target === 'none';
}

function readFile(
  message: TelegramMessage,
  file: Incoming,
  keys: readonly string[],
  read: OfMember,
): TelegramReadResult {
  const thread = threadOf(message);
  const said = { ...saidBy(read, thread, keys), body: { type: 'command', name: 'file', args: file } } as const;
  return { ...silence, said, receipt: { thread, message: message.message_id } };
}

/** A deep link with the host's pairing code. */
const startCode = /^\/start(?:@\w+)?\s+(\S{1,64})\s*$/i;

function readStranger(
  { id, first_name: name }: TelegramUser,
  message: TelegramMessage,
  read: UpdateReader,
): TelegramReadResult {
  const key = messageKey(read.me, message);
  if (read.inbox.isKnown(inboxSource, key)) return silence;
  const [, code] = startCode.exec(message.text ?? '') ?? [];
  const answer = read.knock({ channel: 'telegram', id, name, code });
  return answer === null ? silence : tell(message, { ...read, by: null }, [key], codeText(answer));
}

/** Anonymous administrators and channels identify no person. */
function refuseNameless(message: TelegramMessage, read: UpdateReader): TelegramReadResult {
  const thread = threadOf(message);
  const isKnownPlace = livesAt(read.config, thread).length > 0 || read.reader.thread(thread) !== null;
  if (!isKnownPlace || !wordsOf(message, read.me).isForBot) return silence;
  const text = "I can't act for anonymous administrators or channels. Please write as yourself.";
  return tell(message, { ...read, by: null }, [onceKey(read.me, 'nameless', message.chat.id)], text);
}

function readMove(to: number, message: TelegramMessage, read: UpdateReader): TelegramReadResult {
  const moved: ChatMoved = { from: threadOfChat(message.chat.id), to: threadOfChat(to) };
  const keys = [onceKey(read.me, 'moved', message.chat.id)];
  const said = {
    ...saidBy({ ...read, by: null }, moved.to, keys),
    body: { type: 'command', name: 'moved', args: moved },
  } as const;
  const ids = { from: `${message.chat.id}`, to: `${to}` };
  return { ...silence, said, moved: ids, log: `telegram: the group ${ids.from} goes on as ${ids.to}` };
}

/** The largest photo that can be downloaded. */
export function fileOf(message: TelegramMessage): Incoming | null {
  const { document, photo, caption = '', media_group_id: album = null } = message;
  if (document !== undefined) {
    const { file_id: fileId, file_name: name = 'file', file_size: sizeBytes = null } = document;
    return { fileId, name: name.slice(0, 300), sizeBytes, caption, album };
  }
  const fitting = (photo ?? []).filter((one) => (one.file_size ?? 0) <= maxFileBytes);
  const best = fitting.reduce<(typeof fitting)[number] | null>(
    (largest, one) => ((one.file_size ?? 0) >= (largest?.file_size ?? 0) ? one : largest),
    null,
  );
  if (best === null) return null;
  return {
    fileId: best.file_id,
    name: `photo-${message.message_id}.jpg`,
    sizeBytes: best.file_size ?? null,
    caption,
    album,
  };
}

export function unreadable({ voice, video_note: round, audio, video }: TelegramMessage): string | null {
  if (voice !== undefined) return 'voice messages';
  if (audio !== undefined) return 'audio';
  return round !== undefined || video !== undefined ? 'videos' : null;
}

export function readStanding(
  { chat, from, old_chat_member: before, new_chat_member: after }: TelegramStanding,
  read: UpdateReader,
): TelegramReadResult {
  const who = whoIs(from.id, read);
  const isIn = (status: string) => ['member', 'administrator', 'restricted', 'creator'].includes(status);
  const log = `telegram: in ${chat.type} chat ${chat.id} the bot is ${after.status} now`;
  if (who === null || isIn(before.status) === isIn(after.status)) return { ...silence, log };
  if (isPrivate(chat)) {
    const does = isIn(after.status) ? 'unblocked the bot' : 'blocked the bot: no message reaches that chat';
    return { ...news(read, 'local', `${who.by} ${does}.`), log };
  }
  const thread = threadOfChat(chat.id);
  if (isIn(after.status)) return { ...news(read, thread, hello(chat.id)), log };
  const projects = livesAt(read.config, thread);
  const told = `The bot is no longer in the chat of ${projects.join(', ')} (${chat.id}).`;
  return projects.length === 0 ? { ...silence, log } : { ...news(read, 'local', told), log };
}

function hello(chat: number): string {
  return `Hi. To make this the chat of a project, add this to the project in config.yaml:\nchats: [{ telegram: ${chat} }]\nUntil then I only read messages that mention me.`;
}

import { isCodeShaped } from '../../../../../config/index.js';
import type { Incoming } from '../../../../commands/incoming-files.js';
import { livesAt } from '../../../../commands/which-project.js';
import { isVerdict, type Parsed } from '../../../../grammar/index.js';
import { cannotFollow, codeText, editedText, tooFast } from '../../../../inbound/index.js';
import { type CardMeaning, meaningOf } from './answered-card.js';
import { type Named, saidAs, toldAs } from './inbound-rows.js';
import { type MessageWords, wordsOf } from './message-words.js';
import type { InboundSlackFile, InboundSlackMessage, SlackPayload } from './payload.js';
import { type SlackReadContext, type SlackReadResult, silence } from './read-context.js';
import { nameOf, speakerOf } from './speaker.js';
import {
  editKey,
  isDirect,
  isOpened,
  lanesOf,
  messageAt,
  messageKey,
  onceKey,
  onlyFor,
  threadOf,
} from './thread-keys.js';

/** An edit this soon is a correction. */
const correctionMs = 10_000;
/** Slack redelivers after a minute. */
const lateMs = 30_000;

interface Message extends SlackReadContext {
  readonly told: SlackPayload;
  readonly isEdit: boolean;
  readonly message: InboundSlackMessage;
  readonly channel: string;
  readonly user: string;
  readonly thread: string;
  /** Bosun's message that starts the thread; null: another author's. */
  readonly root: string | null;
  readonly words: MessageWords;
  readonly parsed: Parsed;
}

export function readMessage(
  message: InboundSlackMessage,
  isEdit: boolean,
  told: SlackPayload,
  context: SlackReadContext,
): SlackReadResult {
  const { channel, user, ts, thread_ts: root } = message;
  const { me, inbox } = context;
  if (channel === undefined || user === undefined || user === me.user || message.bot_id != null) return silence;
  const own = messageKey(channel, message);
  if (inbox.isKnown('slack', told.key) || (!isEdit && inbox.isKnown('slack', own))) return silence;
  const thread = threadOf({ channel, user, ts, root }, context);
  const under = root === undefined || root === ts ? null : messageAt(context, lanesOf(channel, user), root);
  const words = wordsOf(message.text ?? '', me.user);
  if (isEdit && context.lately.text(own) === words.text) return silence;
  const parsed = context.grammar.understand(words.text, context.config.projects);
  return readSaid({ ...context, told, isEdit, message, channel, user, thread, root: under, words, parsed }, own);
}

function readSaid(read: Message, own: string): SlackReadResult {
  const { channel, user, words, told, message } = read;
  const isCalled = words.isForBot || isDirect(channel);
  // No lookup of people who talk where Bosun does not listen.
  if (!isCalled && !isAtHome(read)) return silence;
  const name = nameOf(user, read);
  if (name === undefined) return { ...silence, asks: { of: 'groups' } };
  if (name === null && !isCalled) return silence;
  const meaning = name === null ? null : meaningIn(read, name);
  if (!isCalled && !isMeant(read, meaning)) return silence;
  const speaker = speakerOf({ user, team: message.user_team ?? null, channel, isShared: told.isShared }, read);
  switch (speaker.kind) {
    case 'unknown':
      return { ...silence, asks: speaker.asks };
    case 'nobody':
      return silence;
    case 'refused':
      return isCalled ? tellOnce(read, speaker.what, speaker.why) : silence;
    case 'stranger':
      return isCalled && !read.isEdit ? readStranger(read, speaker.name, own) : silence;
    case 'member':
      return readMembers({ ...read, by: speaker.name, meaning: meaning ?? meaningIn(read, speaker.name) }, own);
  }
}

interface OfMember extends Message {
  readonly by: string;
  readonly meaning: CardMeaning;
  /** The answer that an edit replaces. */
  readonly corrects?: string | null;
}

function readMembers(read: OfMember, own: string): SlackReadResult {
  const { isEdit, message, inbox, channel } = read;
  const key = isEdit ? editKey(channel, message) : own;
  if (inbox.isKnown('slack', key)) return silence;
  const counted = read.rate.note(read.by, msOf(message.edited?.ts ?? message.ts));
  const pace = read.grammar.effectOf(read.parsed) === 'stops' ? 'fine' : counted;
  if (pace !== 'fine') return only([toldAs(aside(read, [key]), pace === 'warn' ? tooFast : '')]);
  return isEdit ? readEdit(read, own, key) : readWords(read, [own]);
}

/** Read again only if the original did nothing. */
function readEdit(read: OfMember, own: string, key: string): SlackReadResult {
  const { message, inbox, lately } = read;
  const isSoon = msOf(message.edited?.ts ?? '0') - msOf(message.ts) <= correctionMs;
  if (isSoon && !inbox.isKnown('slack', own)) return readWords(read, [own, key]);
  if (isSoon && lately.didNothing(own)) {
    // A second edit must not be another correction.
    const corrects = lately.offered(own);
    lately.note(own, read.words.text);
    return readWords({ ...read, corrects }, [key]);
  }
  return only([toldAs(aside(read, [key]), editedText)]);
}

function readWords(read: OfMember, keys: readonly string[]): SlackReadResult {
  const { message, channel, words, thread, by, told, lately, meaning, corrects = null } = read;
  const receipt = { thread, channel, ts: message.ts };
  const files = filesOf(message, channel, words.text);
  if (files.length > 0) {
    const says = files.map((file, index) => {
      // The last row has the payload's key: until it is stored, a redelivery is read again.
      const name = index === files.length - 1 ? { key: told.key, aliases: keys } : { key: `${told.key}:${index}` };
      return saidAs({ ...name, thread, by }, { type: 'command', name: 'file', args: file });
    });
    return { ...only(says), receipt };
  }
  const deaf = unreadable(message);
  if (deaf !== null) return only([toldAs(aside(read, keys), cannotFollow(deaf))]);
  if (words.text === '' && !words.isForBot) return silence;
  const isGreeting = words.text === '' || isLateCode(read);
  const text = isGreeting ? 'projects' : words.text;
  for (const key of keys) lately.note(key, text);
  const replyTo = isGreeting ? null : meaning.replyTo;
  const { grammar, config } = read;
  const parsed = isGreeting ? grammar.understand(text, config.projects) : read.parsed;
  const body = { type: 'text', text, replyTo } as const;
  const said = saidAs({ key: told.key, aliases: keys, thread, by }, body, {
    ...{ parsed, projects: config.projects },
    ...(corrects && { corrects }),
  });
  return { ...only([said]), receipt: willAct(parsed, replyTo, read) ? receipt : null };
}

/** Redelivered after its sender was let in. */
function isLateCode({ channel, words, message, now }: OfMember): boolean {
  return isDirect(channel) && isCodeShaped(words.text) && now() - msOf(message.ts) > lateMs;
}

function willAct(parsed: Parsed, replyTo: string | null, { grammar, reader }: SlackReadContext): boolean {
  const isAnswer = replyTo !== null && (reader.message(replyTo)?.interaction ?? null) !== null;
  return isAnswer || (parsed.verb !== null && grammar.effectOf(parsed) !== 'reads');
}

function readStranger(read: Message, name: string, own: string): SlackReadResult {
  const code = /^\S{1,64}$/.test(read.words.text) ? read.words.text : undefined;
  const answer = read.knock({ channel: 'slack', id: read.user, name, code });
  return answer === null ? silence : only([toldAs(aside(read, [own]), codeText(answer))]);
}

function tellOnce(read: Message, what: string, why: string): SlackReadResult {
  const once = onceKey(what, read.user);
  return read.inbox.isKnown('slack', once) ? silence : only([toldAs(aside(read, [once]), why)]);
}

/** Only the sender sees it. */
function aside(read: Message, aliases: readonly string[]): Named {
  return { key: read.told.key, aliases, thread: onlyFor(read.channel, read.user, read), by: null };
}

function only(says: SlackReadResult['says']): SlackReadResult {
  return { ...silence, says };
}

function meaningIn(read: Message, by: string): CardMeaning {
  const { reader, config, grammar, message, thread, root, parsed, user, channel } = read;
  const isChat = isDirect(channel) && !isInThread(message);
  const threads = isChat ? lanesOf(channel, user).map((lane) => `sl:${lane}`) : [thread];
  return meaningOf(parsed, { reader, config, grammar, threads, root, by, isReply: isInThread(message) });
}

/** Plain sentences count here without a mention. */
function isAtHome(read: Message): boolean {
  const { config, thread, message, words } = read;
  if (words.isForOthers) return false;
  return isInThread(message) ? words.isCommand || isKnownThread(read) : livesAt(config, thread).length > 0;
}

function isInThread({ thread_ts: root, ts }: InboundSlackMessage): boolean {
  return root !== undefined && root !== ts;
}

function isMeant(read: Message, meaning: CardMeaning | null): boolean {
  const { message, words, parsed } = read;
  if (words.isForOthers) return false;
  if (meaning?.isAnswer === true) return true;
  if (parsed.verb === null) return !words.isCommand && (message.files ?? []).length > 0;
  // People say "ok" and "no" to each other.
  return words.isCommand || parsed.code !== null || !isVerdict(read.grammar.rowOf(parsed));
}

/** Bosun opened or began it, was spoken to there recently, or posts about a run there. */
function isKnownThread({ thread, root, reader, isRecent }: Message): boolean {
  return (
    isOpened(thread) ||
    isRecent(thread) ||
    root !== null ||
    reader.thread(thread) !== null ||
    isFollowing(reader, thread)
  );
}

function isFollowing(reader: Message['reader'], thread: string): boolean {
  return reader.unfinishedRuns().some(({ id }) => reader.followers(id).includes(thread));
}

function msOf(ts: string): number {
  return Math.floor(Number(ts) * 1000);
}

/** The text is the first file's caption. */
export function filesOf(message: InboundSlackMessage, channel: string, caption: string): readonly Incoming[] {
  const files = (message.files ?? []).filter((one) => !isHeard(one));
  const album = files.length > 1 ? `${channel}:${message.ts}` : null;
  return files.map((one, index) => ({
    fileId: one.url_private_download ?? one.id,
    name: (one.name ?? 'file').slice(0, 300),
    sizeBytes: one.size ?? null,
    caption: index === 0 ? caption : '',
    album,
  }));
}

export function unreadable({ files = [] }: InboundSlackMessage): string | null {
  const clip = files.find(isHeard);
  if (clip === undefined) return null;
  return clip.mimetype?.startsWith('audio/') === true || clip.subtype === 'slack_audio' ? 'voice messages' : 'videos';
}

function isHeard({ mimetype, subtype }: InboundSlackFile): boolean {
  return /^(?:audio|video)\//.test(mimetype ?? '') || subtype === 'slack_audio' || subtype === 'slack_video';
}

// What the platform holds: people, chats with their messages as a person sees them in the end, files.
import type { Clock } from '../../fixture/clock.js';
import type { Entity } from './html.js';
import { badRequest, refuse } from './refusal.js';

export interface User {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly username?: string;
  readonly language_code?: string;
}

export type ChatType = 'private' | 'group' | 'supergroup' | 'channel';
export type Standing = 'creator' | 'administrator' | 'member' | 'left' | 'kicked';

export interface Topic {
  readonly id: number;
  name: string;
  isClosed: boolean;
}

export interface StoredFile {
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly bytes: Buffer;
  /** As told, where the bytes themselves are not worth having. */
  readonly sizeBytes: number;
}

export interface Button {
  readonly text: string;
  readonly callback_data?: string;
  readonly url?: string;
}

export interface Message {
  readonly id: number;
  readonly chat: Chat;
  /** null: no topic, or General. */
  readonly topic: number | null;
  readonly from: User | null;
  readonly senderChat: Chat | null;
  readonly at: number;
  readonly replyTo: number | null;
  readonly isSilent: boolean;
  readonly file: StoredFile | null;
  readonly forwardOf: Message | null;
  readonly forcesReply: boolean;
  readonly service: Readonly<Record<string, unknown>>;
  /** Of a document this is what stands below it. */
  text: string;
  entities: readonly Entity[];
  showsPreview: boolean;
  buttons: readonly (readonly Button[])[];
  editedAt: number | null;
  isDeleted: boolean;
  isPinned: boolean;
  /** Of the bot. */
  reaction: string | null;
}

export type NewMessage = Pick<Message, 'chat' | 'topic' | 'from' | 'text'> &
  Partial<Omit<Message, 'id' | 'at' | 'chat' | 'topic' | 'from' | 'text'>>;

export interface Chat {
  readonly id: number;
  readonly type: ChatType;
  readonly title: string;
  readonly isForum: boolean;
  readonly topics: Map<number, Topic>;
  readonly messages: Map<number, Message>;
  readonly standings: Map<number, Standing>;
  /** Rights of the bot that it lacks although it is an administrator. */
  readonly lacks: Set<string>;
  /** The person of a private chat. */
  readonly user: User | null;
  isBlocked: boolean;
  movedTo: number | null;
}

export class World {
  readonly bot: User;
  readonly #clock: Clock;
  readonly #chats = new Map<number, Chat>();
  readonly users = new Map<number, User>();
  readonly #files = new Map<string, StoredFile>();
  #messages = 0;
  #ids = 0;

  constructor(bot: User, clock: Clock) {
    this.bot = bot;
    this.#clock = clock;
    this.users.set(bot.id, bot);
  }

  nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  addChat(given: Pick<Chat, 'id' | 'type' | 'title'> & Partial<Chat>): Chat {
    const chat: Chat = {
      isForum: false,
      topics: new Map(),
      messages: new Map(),
      standings: new Map(),
      lacks: new Set(),
      user: null,
      isBlocked: false,
      movedTo: null,
      ...given,
    };
    this.#chats.set(chat.id, chat);
    return chat;
  }

  chat(id: number | null): Chat {
    const chat = id === null ? undefined : this.#chats.get(id);
    if (!chat) throw badRequest('chat not found');
    return chat;
  }

  /** A chat that the bot may write to now. */
  writable(id: number | null): Chat {
    const chat = this.chat(id);
    if (chat.movedTo !== null) {
      throw refuse(400, 'group chat was upgraded to a supergroup chat', { migrate_to_chat_id: chat.movedTo });
    }
    if (chat.isBlocked) throw refuse(403, 'bot was blocked by the user');
    const standing = chat.standings.get(this.bot.id);
    const kind = chat.type === 'group' ? 'group chat' : `${chat.type} chat`;
    if (standing === 'kicked') throw refuse(403, `bot was kicked from the ${kind}`);
    if (chat.type !== 'private' && (standing ?? 'left') === 'left') {
      throw refuse(403, `bot is not a member of the ${kind}`);
    }
    return chat;
  }

  post(given: NewMessage): Message {
    // Groups of the large kind and channels count by themselves; all other chats of a bot share one row of numbers.
    const isOwn = given.chat.type === 'supergroup' || given.chat.type === 'channel';
    if (!isOwn) this.#messages += 1;
    const id = isOwn ? given.chat.messages.size + 2 : this.#messages;
    const message: Message = {
      senderChat: null,
      replyTo: null,
      isSilent: false,
      file: null,
      forwardOf: null,
      forcesReply: false,
      service: {},
      entities: [],
      showsPreview: false,
      buttons: [],
      editedAt: null,
      isDeleted: false,
      isPinned: false,
      reaction: null,
      ...given,
      id,
      at: this.#clock.now(),
    };
    given.chat.messages.set(id, message);
    return message;
  }

  edited(message: Message): void {
    message.editedAt = this.#clock.now();
  }

  addFile(name: string, bytes: Buffer, sizeBytes = bytes.length): StoredFile {
    const number = this.nextId();
    const file = { id: `file-${number}`, path: `documents/file_${number}`, name, bytes, sizeBytes };
    this.#files.set(file.id, file);
    return file;
  }

  file(idOrPath: string): StoredFile | null {
    return this.#files.get(idOrPath) ?? [...this.#files.values()].find((one) => one.path === idOrPath) ?? null;
  }
}

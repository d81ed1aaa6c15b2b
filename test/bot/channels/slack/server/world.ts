// What the workspace holds: people, channels with their messages, views and files, as people see them in the end.
import type { Clock } from '../../fixture/clock.js';
import { refuse } from './refusal.js';

export type Json = Readonly<Record<string, unknown>>;

export interface Team {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
}

export interface User {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly teamId: string;
  readonly isBot: boolean;
  /** A guest, of several channels or of one. */
  readonly isRestricted: boolean;
  readonly isUltraRestricted: boolean;
  isDeleted: boolean;
}

export type Kind = 'channel' | 'group' | 'im';

export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly kind: Kind;
  readonly isExtShared: boolean;
  readonly members: Set<string>;
  /** The person of a chat of two. */
  readonly user: string | null;
  readonly messages: Map<string, Message>;
  isArchived: boolean;
}

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  bytes: Buffer<ArrayBufferLike>;
  title: string;
  isComplete: boolean;
}

export interface Message {
  readonly channel: Channel;
  readonly ts: string;
  /** Of the first message of its thread; null: at the channel's top level. */
  readonly threadTs: string | null;
  readonly user: string;
  readonly isApps: boolean;
  /** Only this person sees it, and it is gone when the client is opened again. */
  readonly ephemeralTo: string | null;
  readonly unfurls: boolean;
  readonly isBroadcast: boolean;
  readonly postedAt: number;
  text: string;
  blocks: readonly Json[];
  files: readonly StoredFile[];
  metadata: Json | null;
  editedTs: string | null;
  isDeleted: boolean;
  /** By the emoji's name: who gave it. */
  readonly reactions: Map<string, Set<string>>;
  isStreaming: boolean;
}

export type NewMessage = Pick<Message, 'channel' | 'user' | 'text'> & Partial<Message>;

export interface View {
  readonly id: string;
  readonly type: 'modal' | 'home';
  readonly user: string;
  readonly rootId: string;
  readonly previousId: string | null;
  json: Json;
  hash: string;
  isOpen: boolean;
}

export interface UserGroup {
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  readonly users: Set<string>;
}

export class World {
  readonly team: Team;
  readonly bot: User;
  readonly users = new Map<string, User>();
  readonly channels = new Map<string, Channel>();
  readonly files = new Map<string, StoredFile>();
  readonly views = new Map<string, View>();
  readonly groups = new Map<string, UserGroup>();
  /** What stands above the compose box: `<channel>:<thread_ts>` → text. */
  readonly statuses = new Map<string, string>();
  readonly #clock: Clock;
  #ids = 0;
  #lastMicros = 0;

  constructor(team: Team, bot: User, clock: Clock) {
    this.team = team;
    this.bot = bot;
    this.#clock = clock;
    this.users.set(bot.id, bot);
  }

  nextId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}0${this.#ids.toString(36).toUpperCase().padStart(6, '0')}`;
  }

  /** As Slack counts time; never twice the same. */
  nextTs(): string {
    this.#lastMicros = Math.max(this.#clock.now() * 1000, this.#lastMicros + 1);
    const text = String(this.#lastMicros);
    return `${text.slice(0, -6)}.${text.slice(-6)}`;
  }

  addUser(given: Pick<User, 'id' | 'name'> & Partial<User>): User {
    const user: User = {
      realName: given.name,
      teamId: this.team.id,
      isBot: false,
      isRestricted: false,
      isUltraRestricted: false,
      isDeleted: false,
      ...given,
    };
    this.users.set(user.id, user);
    return user;
  }

  addChannel(given: Pick<Channel, 'id' | 'name' | 'kind'> & Partial<Channel>): Channel {
    const channel: Channel = {
      isExtShared: false,
      members: new Set(),
      user: null,
      messages: new Map(),
      isArchived: false,
      ...given,
    };
    this.channels.set(channel.id, channel);
    return channel;
  }

  /** The chat of the bot with a person; opened where there is none yet. */
  im(userId: string): Channel {
    const open = [...this.channels.values()].find((one) => one.user === userId);
    if (open) return open;
    const id = `D${userId.slice(1)}`;
    return this.addChannel({ id, name: '', kind: 'im', user: userId, members: new Set([userId, this.bot.id]) });
  }

  user(id: string): User {
    const user = this.users.get(id);
    if (!user) throw refuse('user_not_found');
    return user;
  }

  /** One that the bot can see: a private one only from within. */
  channel(id: string): Channel {
    const channel = this.channels.get(id);
    if (!channel || (channel.kind !== 'channel' && !channel.members.has(this.bot.id)))
      throw refuse('channel_not_found');
    return channel;
  }

  post(given: NewMessage): Message {
    const message: Message = {
      threadTs: null,
      isApps: false,
      ephemeralTo: null,
      unfurls: true,
      isBroadcast: false,
      blocks: [],
      files: [],
      metadata: null,
      editedTs: null,
      isDeleted: false,
      isStreaming: false,
      reactions: new Map(),
      ...given,
      ts: this.nextTs(),
      postedAt: this.#clock.now(),
    };
    given.channel.messages.set(message.ts, message);
    return message;
  }

  /** Those that are there, oldest first; `threadTs` null: the top level, left out: all. */
  messages(channel: Channel, threadTs?: string | null): readonly Message[] {
    return [...channel.messages.values()].filter((one) => {
      if (one.isDeleted) return false;
      if (threadTs === undefined) return true;
      return threadTs === null
        ? one.threadTs === null || one.isBroadcast
        : one.ts === threadTs || one.threadTs === threadTs;
    });
  }

  addFile(name: string, user: string, bytes: Buffer<ArrayBufferLike> = Buffer.alloc(0)): StoredFile {
    const file = { id: this.nextId('F'), name, user, bytes, title: name, isComplete: bytes.length > 0 };
    this.files.set(file.id, file);
    return file;
  }

  addView(given: Pick<View, 'type' | 'user' | 'json'> & Partial<View>): View {
    const id = this.nextId('V');
    const view: View = { rootId: id, previousId: null, isOpen: true, hash: this.nextTs(), ...given, id };
    this.views.set(id, view);
    return view;
  }

  /** What a person has in front: the last that was opened and is not closed. */
  modalOf(userId: string): View | null {
    const open = [...this.views.values()].filter((one) => one.type === 'modal' && one.user === userId && one.isOpen);
    return open.at(-1) ?? null;
  }

  homeOf(userId: string): View | null {
    return [...this.views.values()].find((one) => one.type === 'home' && one.user === userId) ?? null;
  }
}

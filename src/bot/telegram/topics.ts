// Makes the topics that people ask for: in the group, then in config.yaml, and says so in the new one. One that was made
// and not yet written down when Bosun died is found again by its number, and not made twice.
import { type Api, GrammyError } from 'grammy';
import { editConfig, keepText, keptText, mapAt, type NewMessage, type Want } from '../../dispatch/index.js';
import type { Desk } from '../request.js';
import { view } from '../views/view.js';
import { whyOf } from './client.js';

const kept = 'telegram-topics';
const maxKept = 40;

export class Topics {
  readonly #desk: Desk;
  readonly #api: Pick<Api, 'createForumTopic'>;
  readonly #log: (message: string) => void;
  #turn: Promise<void> = Promise.resolve();

  constructor(desk: Desk, api: Pick<Api, 'createForumTopic'>, log: (message: string) => void) {
    this.#desk = desk;
    this.#api = api;
    this.#log = log;
  }

  /** One after the other, so that a second press finds what the first one made. */
  make(want: Want): void {
    this.#turn = this.#turn
      .then(() => this.#make(want))
      .catch((error: unknown) => this.#log(`telegram: no topic for ${want.project}: ${whyOf(error)}`));
  }

  /** Resolves when what was asked for is made. */
  idle(): Promise<void> {
    return this.#turn;
  }

  async #make({ chat, project, thread }: Want): Promise<void> {
    const isThere = this.#desk
      .config()
      .projects.some(({ name, chats }) => name === project && chats.some((one) => String(one.chat) === chat));
    if (isThere) return;
    try {
      const topic = this.#known(chat, project) ?? (await this.#create(chat, project));
      this.#bind(chat, topic, project);
      const place = `tg:${chat}:${topic}`;
      await this.#say(place, `This is the place of ${project} from now on: what is said here is meant for it.`);
      await this.#say(thread, `${project} has a topic of its own now.`);
    } catch (error) {
      this.#log(`telegram: no topic for ${project}: ${whyOf(error)}`);
      await this.#say(thread, whyNot(error));
    }
  }

  #known(chat: string, project: string): number | null {
    const line = this.#lines().find((one) => one.startsWith(`${chat} ${project} `));
    return line === undefined ? null : Number(line.split(' ')[2]);
  }

  async #create(chat: string, project: string): Promise<number> {
    const { message_thread_id: topic } = await this.#api.createForumTopic(chat, project);
    keepText(this.#desk.home, kept, [...this.#lines(), `${chat} ${project} ${topic}`].slice(-maxKept).join('\n'));
    return topic;
  }

  #lines(): readonly string[] {
    return (keptText(this.#desk.home, kept) ?? '').split('\n').filter((line) => /^-\d+ \S+ \d+$/.test(line));
  }

  #bind(chat: string, topic: number, project: string): void {
    editConfig(this.#desk.home, process.env, (document) => {
      const settings = mapAt(document, ['projects', project]);
      const chats = settings.toJSON()?.chats;
      const before: readonly unknown[] = Array.isArray(chats) ? chats : [];
      settings.set('chats', document.createNode([...before, { telegram: Number(chat), topic }]));
    });
  }

  async #say(thread: string, text: string): Promise<void> {
    await this.#desk.room.submit((now) => {
      const shown = view({ kind: 'answer', text });
      const message: NewMessage = { thread, run: null, interaction: null, card: null, view: shown, at: now.at };
      return { events: [], messages: [message] };
    });
  }
}

function whyNot(error: unknown): string {
  if (!(error instanceof GrammyError)) return `No topic was made: ${whyOf(error)}. Try again.`;
  return `Telegram does not let me make a topic here: ${error.description}.\nTurn on Topics in the group, make me an administrator who may manage topics, and try again.`;
}

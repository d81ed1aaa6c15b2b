// People at a terminal: lines that are typed and numbers that are chosen, as the chat of `bosun up` takes them.
import { Conversation, type Entered } from '../../../src/bot/channels/terminal/conversation.js';
import { buttonsOf } from '../../../src/bot/views/view.js';
import type { Message } from '../../../src/store/messages/message-types.js';
import type { Bosun } from './bosun.js';
import type { Name, Place, Post, Seen, Writing } from './place.js';

const thread = 'local';

export function terminalPlace(bosun: Bosun): Place {
  return new Terminal(bosun);
}

class Terminal implements Place {
  readonly name = 'terminal';
  readonly #bosun: Bosun;
  readonly #shown = new Map<string, Message>();
  #conversation: Conversation;

  constructor(bosun: Bosun) {
    this.#bosun = bosun;
    this.#conversation = this.#converse();
  }

  seen(): readonly Seen[] {
    return [...this.#shown].map(([key, { view }]) => ({
      key,
      words: view.text,
      buttons: view.buttons.map(({ label }) => label),
    }));
  }

  toasts(): readonly string[] {
    return [];
  }

  async says(who: Name, words: string): Promise<void> {
    heard(await this.#conversation.say(words, who));
  }

  calls(who: Name, words: string): Promise<void> {
    return this.says(who, words);
  }

  async replies(who: Name, to: string, words: string): Promise<void> {
    heard(await this.#conversation.reply(`${this.#message(to).interaction} ${words}`, who));
  }

  async presses(who: Name, on: string, label: string): Promise<void> {
    heard(await this.#conversation.press(this.#choice(on, label), null, who));
  }

  async pressesAndWrites(who: Name, on: string, { label, words, meanwhile }: Writing): Promise<void> {
    await this.presses(who, on, label);
    if (this.#conversation.asking === null) throw new Error(`${label} asks for no words`);
    await meanwhile?.();
    heard(await this.#conversation.reply(words, who));
  }

  holds(on: string, label: string): (who: Name) => Promise<void> {
    const choice = this.#choice(on, label);
    return async (who) => heard(await this.#conversation.press(choice, null, who));
  }

  /** As the chat greets: with the cards that are still open. */
  reopened(): void {
    this.#conversation.close();
    this.#conversation = this.#converse();
    const { store } = this.#bosun.app.runtime;
    for (const { interaction } of store.openInteractions(null)) {
      const card = store.cardMessage(thread, interaction.id);
      if (card !== null) this.#conversation.take(card);
    }
  }

  posts(): readonly Post[] {
    return [];
  }

  #converse(): Conversation {
    const onMessage = (message: Message) => void this.#shown.set(message.edits ?? message.id, message);
    return new Conversation(this.#bosun.app, { thread, onMessage, hasPrompt: false });
  }

  #message(key: string): Message {
    const message = this.#shown.get(key);
    if (!message) throw new Error(`There is no message ${key}`);
    return message;
  }

  #choice(key: string, label: string) {
    const button = buttonsOf(this.#message(key)).find((one) => one.label === label);
    if (!button) throw new Error(`There is no ${label} on ${key}`);
    return button;
  }
}

function heard(entered: Entered): void {
  if (entered.kind === 'failed') throw entered.error;
  if (entered.kind !== 'answered') throw new Error(`The terminal says: ${JSON.stringify(entered)}`);
}

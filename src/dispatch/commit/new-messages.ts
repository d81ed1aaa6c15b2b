import { Listeners } from '../../base/index.js';
import type { Message } from '../../store/index.js';

export class NewMessages {
  readonly #listeners: Listeners<readonly Message[]>;
  #newest = 0;

  constructor(onError: (error: unknown) => void) {
    this.#listeners = new Listeners(onError);
  }

  listen(listen: (messages: readonly Message[]) => void): () => void {
    return this.#listeners.add(listen);
  }

  /** A commit returns an unchanged card's old message, which was announced before. */
  tell(messages: readonly Message[]): void {
    const news = messages.filter((message) => numberOf(message) > this.#newest);
    if (news.length === 0) return;
    this.#newest = Math.max(this.#newest, ...news.map(numberOf));
    this.#listeners.tell(news);
  }
}

function numberOf(message: Message): number {
  return Number.parseInt(message.id.slice(1), 10);
}

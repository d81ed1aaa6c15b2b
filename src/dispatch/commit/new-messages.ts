// Messages on their way to those who listen, once they are on disk.
import { Listeners } from '../../base/index.js';
import type { Message } from '../../store/index.js';

export class NewMessages {
  readonly #listeners: Listeners<readonly Message[]>;
  #newest = 0;

  constructor(onError: (error: unknown) => void) {
    this.#listeners = new Listeners(onError);
  }

  /** Until the function that it gives is called. */
  listen(listen: (messages: readonly Message[]) => void): () => void {
    return this.#listeners.add(listen);
  }

  /** A card whose words did not change comes back as the message that it already was; nobody hears it twice. */
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

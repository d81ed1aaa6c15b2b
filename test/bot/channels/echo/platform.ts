// A chat platform in memory. It delivers each update as often as it is told to, and keeps what the bot posts.
import type { View } from '../../../../src/store/index.js';

export interface EchoUpdate {
  readonly id: string;
  readonly chat: string;
  readonly from: string;
  readonly text: string | null;
  readonly press: string | null;
}

export interface EchoPost {
  readonly id: string;
  readonly chat: string;
  readonly view: View;
}

export class EchoPlatform {
  readonly posts: EchoPost[] = [];
  #listen: ((update: EchoUpdate) => Promise<void>) | null = null;
  #updates = 0;

  connect(listen: (update: EchoUpdate) => Promise<void>): () => void {
    this.#listen = listen;
    return () => {
      this.#listen = null;
    };
  }

  write(from: string, chat: string, text: string): EchoUpdate {
    return this.#update({ from, chat, text, press: null });
  }

  press(from: string, chat: string, press: string): EchoUpdate {
    return this.#update({ from, chat, text: null, press });
  }

  async deliver(update: EchoUpdate): Promise<void> {
    await this.#listen?.(update);
  }

  put(at: string | null, chat: string, view: View): string {
    const known = this.posts.findIndex(({ id }) => id === at);
    const post = { id: at ?? `p${this.posts.length + 1}`, chat, view };
    if (known < 0) this.posts.push(post);
    else this.posts[known] = post;
    return post.id;
  }

  shownIn(chat: string): readonly View[] {
    return this.posts.filter((one) => one.chat === chat).map(({ view }) => view);
  }

  #update(said: Omit<EchoUpdate, 'id'>): EchoUpdate {
    this.#updates += 1;
    return { id: `u${this.#updates}`, ...said };
  }
}

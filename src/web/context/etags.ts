// What an answer's revision is called outside: another name for another process and for another configuration, since
// neither is counted by the events that revisions rest on.
import { randomBytes } from 'node:crypto';
import type { WebContext } from './web-context.js';

export class Etags {
  readonly #process = randomBytes(6).toString('base64url');
  #config: object | null = null;
  #changes = 0;

  tagOf({ services }: Pick<WebContext, 'services'>, revision: string): string {
    const config = services.config();
    if (config !== this.#config) {
      this.#config = config;
      this.#changes += 1;
    }
    return `W/"${this.#process}.${this.#changes}.${revision}"`;
  }
}

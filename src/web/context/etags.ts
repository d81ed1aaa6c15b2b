// Process id, configuration version and revision, because events cover neither a restart nor a configuration change.
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

// One-time links and the sessions that they begin. A session's id says itself until when it is good, sealed with what only
// this home knows: pages that are open when Bosun restarts go on, and another token ends all sessions.

import { createHmac } from 'node:crypto';
import { drawSecret, type Home, hashOf, isSameSecret } from '../dispatch/index.js';
import { ExpiringKeys } from './expiring-keys.js';

const codeTtlMs = 10 * 60_000;
export const sessionTtlMs = 7 * 24 * 3_600_000;
const maxCodes = 100;

export interface LoginParts {
  readonly now: () => number;
  readonly home: Pick<Home, 'secret' | 'apiToken'>;
}

export class Logins {
  readonly #codes: ExpiringKeys;
  readonly #parts: LoginParts;

  constructor(parts: LoginParts) {
    this.#parts = parts;
    this.#codes = new ExpiringKeys({ max: maxCodes, ttlMs: codeTtlMs, now: parts.now });
  }

  newCode(): string {
    const code = drawSecret();
    this.#codes.add(hashOf(code));
    return code;
  }

  /** A new session's id for a code that is still good, and the code is spent; else null. */
  redeem(code: string): string | null {
    return this.#codes.take(hashOf(code)) ? this.begin() : null;
  }

  /** For whoever has proved to be the owner. */
  begin(): string {
    const said = `${this.#parts.now() + sessionTtlMs}.${drawSecret()}`;
    return `${said}.${this.#seal(said)}`;
  }

  isSession(id: string): boolean {
    const [, said, until, seal] = /^((\d{1,15})\.[\w-]{20,100})\.([\w-]{43})$/.exec(id) ?? [];
    if (said === undefined || until === undefined || seal === undefined) return false;
    return isSameSecret(seal, this.#seal(said)) && Number(until) > this.#parts.now();
  }

  #seal(said: string): string {
    const { secret, apiToken } = this.#parts.home;
    return createHmac('sha256', `web session ${secret} ${apiToken}`).update(said).digest('base64url');
  }
}

// One-time links and the sessions that they begin. Only hashes are kept, in memory: after a restart one logs in again.

import { drawSecret, hashOf } from '../dispatch/index.js';
import { ExpiringKeys } from './expiring-keys.js';

const codeTtlMs = 10 * 60_000;
export const sessionTtlMs = 7 * 24 * 3_600_000;
const maxCodes = 100;
const maxSessions = 1_000;

export class Logins {
  readonly #codes: ExpiringKeys;
  readonly #sessions: ExpiringKeys;

  constructor(now: () => number) {
    this.#codes = new ExpiringKeys({ max: maxCodes, ttlMs: codeTtlMs, now });
    this.#sessions = new ExpiringKeys({ max: maxSessions, ttlMs: sessionTtlMs, now });
  }

  newCode(): string {
    const code = drawSecret();
    this.#codes.add(hashOf(code));
    return code;
  }

  /** A new session's id for a code that is still good, and the code is spent; else null. */
  redeem(code: string): string | null {
    if (!this.#codes.take(hashOf(code))) return null;
    const session = drawSecret();
    this.#sessions.add(hashOf(session));
    return session;
  }

  isSession(id: string): boolean {
    return this.#sessions.has(hashOf(id));
  }
}

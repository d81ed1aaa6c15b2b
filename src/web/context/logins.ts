// One-time links and the sessions that they begin. A session's id, which the cookie carries, states its expiry, the hash
// of its page key and its person, sealed with secrets of this home: sessions survive a restart, and another token ends
// all of them. The page key itself is handed out once, at login, and is stored nowhere on the server. A browser sends
// the cookie to every port of a host; the page key it keeps per origin, so a stolen cookie alone cannot act.

import { createHmac } from 'node:crypto';
import { drawSecret, hashOf, isSameSecret } from '../../base/index.js';
import type { Home } from '../../config/index.js';
import { EndedSessions } from './ended-sessions.js';
import { ExpiringKeys } from './expiring-keys.js';

const codeTtlMs = 10 * 60_000;
export const sessionTtlMs = 7 * 24 * 3_600_000;
const maxCodes = 100;
/** Expiry, hash of the page key, the person if it is not the owner's, and the seal. */
const sessionForm = /^((\d{1,15})\.([\w-]{20,100})(?:\.([\w-]{1,1100}))?)\.([\w-]{43})$/;

export interface LoginParts {
  readonly now: () => number;
  readonly home: Pick<Home, 'dir' | 'secret' | 'apiToken'>;
}

export interface LoginSession {
  readonly id: string;
  readonly until: number;
  /** The person that it is for; null: whoever owns the home. */
  readonly as: string | null;
  readonly keyHash: string;
}

export interface NewSession {
  readonly id: string;
  /** The second secret, which a request needs to change anything. */
  readonly pageKey: string;
}

export class Logins {
  readonly #codes: ExpiringKeys;
  readonly #parts: LoginParts;
  readonly #ended: EndedSessions;
  /** Who has something open for a session. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(parts: LoginParts) {
    this.#parts = parts;
    this.#codes = new ExpiringKeys({ max: maxCodes, ttlMs: codeTtlMs, now: parts.now });
    this.#ended = new EndedSessions(parts.home, parts.now);
  }

  /** What a link carries. `as`: the person that it is for; null: whoever owns the home. */
  newCode(as: string | null = null): string {
    const code = `${drawSecret()}${asPart(as)}`;
    this.#codes.add(hashOf(code));
    return code;
  }

  /** A new session for a code that is still good, and the code is spent; else null. */
  redeem(code: string): NewSession | null {
    if (!this.#codes.take(hashOf(code))) return null;
    const [, as] = code.split('.');
    return this.begin(nameIn(as));
  }

  /** For whoever has proved to be that person, or the owner. */
  begin(as: string | null = null): NewSession {
    const pageKey = drawSecret();
    const said = `${this.#parts.now() + sessionTtlMs}.${hashOf(pageKey)}${asPart(as)}`;
    return { id: `${said}.${this.#seal(said)}`, pageKey };
  }

  /** Null when it is none, or is over. */
  sessionOf(id: string): LoginSession | null {
    const session = this.#read(id);
    return session !== null && session.until > this.#parts.now() && !this.#ended.has(session) ? session : null;
  }

  /** From now on it is none any more, and what is open for it ends; throws where that cannot be kept on disk. */
  end(id: string): void {
    const session = this.sessionOf(id);
    if (session === null) return;
    const waiting = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const tell of waiting) tell();
    this.#ended.add(session);
  }

  /** Tells once when it is ended; what comes back stops that. */
  whenEnded(id: string, tell: () => void): () => void {
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting.add(tell));
    return () => {
      waiting.delete(tell);
      if (waiting.size === 0) this.#waiting.delete(id);
    };
  }

  #read(id: string): LoginSession | null {
    const [, said, until, keyHash, as, seal] = sessionForm.exec(id) ?? [];
    if (said === undefined || until === undefined || keyHash === undefined || seal === undefined) return null;
    return isSameSecret(seal, this.#seal(said)) ? { id, until: Number(until), as: nameIn(as), keyHash } : null;
  }

  #seal(said: string): string {
    const { secret, apiToken } = this.#parts.home;
    return createHmac('sha256', `web session ${secret} ${apiToken}`).update(said).digest('base64url');
  }
}

function asPart(as: string | null): string {
  return as === null ? '' : `.${Buffer.from(as, 'utf8').toString('base64url')}`;
}

function nameIn(part: string | undefined): string | null {
  return part === undefined ? null : Buffer.from(part, 'base64url').toString('utf8');
}

// One-time codes and stateless sessions. A cookie is sealed with the home's secrets: it survives restarts, and a new
// API token ends all. Browsers send cookies to every port but keep the page key per origin, and the server stores none,
// so a stolen cookie cannot act.

import { createHmac } from 'node:crypto';
import { drawSecret, hashOf, isSameSecret } from '../../base/index.js';
import type { Home } from '../../config/index.js';
import { EndedSessions } from './ended-sessions.js';
import { ExpiringKeys } from './expiring-keys.js';

const codeTtlMs = 10 * 60_000;
export const sessionTtlMs = 7 * 24 * 3_600_000;
const maxCodes = 100;
/** Expiry, page key's hash, person (absent: owner), seal. */
const sessionForm = /^((\d{1,15})\.([\w-]{20,100})(?:\.([\w-]{1,1100}))?)\.([\w-]{43})$/;

export interface LoginParts {
  readonly now: () => number;
  readonly home: Pick<Home, 'dir' | 'secret' | 'apiToken'>;
}

export interface LoginSession {
  readonly id: string;
  readonly until: number;
  readonly as: string | null;
  readonly keyHash: string;
}

export interface NewSession {
  readonly id: string;
  /** The second secret: required for every change. */
  readonly pageKey: string;
}

export class Logins {
  readonly #codes: ExpiringKeys;
  readonly #parts: LoginParts;
  readonly #ended: EndedSessions;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(parts: LoginParts) {
    this.#parts = parts;
    this.#codes = new ExpiringKeys({ max: maxCodes, ttlMs: codeTtlMs, now: parts.now });
    this.#ended = new EndedSessions(parts.home, parts.now);
  }

  /** `as` null: the owner. */
  newCode(as: string | null = null): string {
    const code = `${drawSecret()}${asPart(as)}`;
    this.#codes.add(hashOf(code));
    return code;
  }

  /** Works once; null: not valid. */
  redeem(code: string): NewSession | null {
    if (!this.#codes.take(hashOf(code))) return null;
    const [, as] = code.split('.');
    return this.begin(nameIn(as));
  }

  /** The caller must have authenticated the person, or the owner. */
  begin(as: string | null = null): NewSession {
    const pageKey = drawSecret();
    const said = `${this.#parts.now() + sessionTtlMs}.${hashOf(pageKey)}${asPart(as)}`;
    return { id: `${said}.${this.#seal(said)}`, pageKey };
  }

  /** Null: invalid, expired or ended. */
  sessionOf(id: string): LoginSession | null {
    const session = this.#read(id);
    return session !== null && session.until > this.#parts.now() && !this.#ended.has(session) ? session : null;
  }

  end(id: string): void {
    const session = this.sessionOf(id);
    if (session === null) return;
    const waiting = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const tell of waiting) tell();
    this.#ended.add(session);
  }

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

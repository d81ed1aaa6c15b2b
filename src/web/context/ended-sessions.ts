// A sealed session is valid by itself, so revocations survive restarts until it expires. When full, drops the oldest
// and revokes all sessions begun no later.

import { hashOf } from '../../base/index.js';
import { type Home, keepText, keptText } from '../../config/index.js';

const most = 100;
const file = 'web-sessions-ended';
const line = /^(\d{1,15}) ([0-9a-f]{32})$/;

export interface EndedSession {
  readonly id: string;
  /** All last equally long, so this is also their order. */
  readonly until: number;
}

export class EndedSessions {
  readonly #home: Pick<Home, 'dir'>;
  readonly #now: () => number;
  /** All sessions that expire by then are revoked. */
  #allUntil = 0;
  readonly #ended = new Map<string, number>();

  constructor(home: Pick<Home, 'dir'>, now: () => number) {
    this.#home = home;
    this.#now = now;
    this.#read(keptText(home, file) ?? '');
  }

  has({ id, until }: EndedSession): boolean {
    return until <= this.#allUntil || this.#ended.has(keyOf(id));
  }

  /** Throws if the revocation is not written to disk. */
  add({ id, until }: EndedSession): void {
    this.#ended.set(keyOf(id), until);
    const open = [...this.#ended].filter(([, end]) => end > this.#now()).sort(([, a], [, b]) => a - b);
    const over = open.slice(0, Math.max(0, open.length - most));
    this.#allUntil = Math.max(this.#allUntil, ...over.map(([, end]) => end));
    const kept = open.slice(over.length);
    this.#ended.clear();
    for (const [key, end] of kept) this.#ended.set(key, end);
    keepText(this.#home, file, [String(this.#allUntil), ...kept.map(([key, end]) => `${end} ${key}`), ''].join('\n'));
  }

  #read(text: string): void {
    const [first = '', ...rest] = text.split('\n');
    if (/^\d{1,15}$/.test(first)) this.#allUntil = Number(first);
    for (const one of rest.slice(0, most)) {
      const [, until = '', key = ''] = line.exec(one) ?? [];
      if (key !== '') this.#ended.set(key, Number(until));
    }
  }
}

function keyOf(id: string): string {
  return hashOf(id).slice(0, 32);
}

import { backoffMs, errnoOf, pause } from '../../../../base/index.js';
import { type Json, objectIn } from '../../shared/foreign-json.js';

/** An event may hold a whole file. */
const maxEventChars = 16 * 1024 * 1024;
const maxReplyChars = 1024 * 1024;
const user = 'opencode';

/** About three seconds in all. */
const subscribeTries = 6;
const subscribeBackoff = { firstMs: 100, mostMs: 1_000 };

export type ServeReply =
  | { readonly kind: 'done'; readonly body: Json | null }
  | { readonly kind: 'refused'; readonly status: number; readonly text: string }
  /** `isReset`: the server may not have seen the call. */
  | { readonly kind: 'failed'; readonly why: string; readonly isReset?: boolean };

export interface ServeAddress {
  readonly url: string;
  readonly password: string;
  /** Limit for a call, and between two events. */
  readonly patienceMs: number;
}

export class ServeClient {
  readonly #address: ServeAddress;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #over = new AbortController();

  constructor(address: ServeAddress) {
    this.#address = address;
    this.#headers = {
      authorization: `Basic ${Buffer.from(`${user}:${address.password}`).toString('base64')}`,
      'content-type': 'application/json',
    };
  }

  close(): void {
    this.#over.abort();
  }

  async call(method: 'POST' | 'PATCH', path: string, body: object): Promise<ServeReply> {
    const { url, patienceMs } = this.#address;
    try {
      const response = await fetch(new URL(path, url), {
        ...{ method, headers: this.#headers, body: JSON.stringify(body), redirect: 'error' },
        signal: AbortSignal.any([this.#over.signal, AbortSignal.timeout(patienceMs)]),
      });
      let text = '';
      for await (const piece of textOf(response)) {
        text += piece;
        if (text.length > maxReplyChars) return { kind: 'failed', why: 'its answer is too long' };
      }
      if (!response.ok) return { kind: 'refused', status: response.status, text };
      return { kind: 'done', body: objectIn(text) };
    } catch (error) {
      return { kind: 'failed', why: whyOf(error, patienceMs) };
    }
  }

  /** OpenCode prefers one port, so the first connections may reach a dying earlier server: retries a reset one. */
  async subscribe(listener: EventListener): Promise<ServeReply> {
    for (let tries = 1; ; tries++) {
      const reply = await this.#subscribeOnce(listener);
      if (reply.kind !== 'failed' || !reply.isReset || tries >= subscribeTries) return reply;
      await pause(backoffMs(tries, subscribeBackoff), this.#over.signal);
      if (this.#over.signal.aborted) return reply;
    }
  }

  async #subscribeOnce(listener: EventListener): Promise<ServeReply> {
    const { url, patienceMs } = this.#address;
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), patienceMs);
    try {
      const response = await fetch(new URL('/event', url), {
        ...{ headers: this.#headers, redirect: 'error' },
        signal: AbortSignal.any([this.#over.signal, silence.signal]),
      });
      const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
      if (!response.ok || !isStream) {
        clearTimeout(timer);
        await response.body?.cancel();
        return { kind: 'refused', status: response.status, text: isStream ? '' : 'it sends no events' };
      }
      const renew = () => {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), patienceMs);
      };
      void this.#follow(response, listener, renew).finally(() => clearTimeout(timer));
      return { kind: 'done', body: null };
    } catch (error) {
      clearTimeout(timer);
      if (silence.signal.aborted) return { kind: 'failed', why: silent(patienceMs) };
      return { kind: 'failed', why: whyOf(error, patienceMs), isReset: isReset(error) };
    }
  }

  async #follow(response: Response, listener: EventListener, renew: () => void): Promise<void> {
    const splitter = new EventSplitter();
    try {
      for await (const piece of textOf(response)) {
        renew();
        for (const data of splitter.push(piece)) {
          const event = objectIn(data);
          if (event === null) return this.#end(() => listener.broken('an event that is no JSON object'));
          if (this.#over.signal.aborted) return;
          listener.tell(event);
        }
        if (splitter.isOver) return this.#end(() => listener.broken('an event of more than 16 MB'));
      }
      this.#end(() => listener.ended('its stream of events ended'));
    } catch (error) {
      this.#end(() => listener.ended(`its stream of events broke off: ${whyOf(error, this.#address.patienceMs)}`));
    }
  }

  #end(tell: () => void): void {
    if (!this.#over.signal.aborted) tell();
  }
}

export interface EventListener {
  tell(event: Json): void;
  broken(why: string): void;
  ended(why: string): void;
}

export class EventSplitter {
  #rest = '';
  #data: string[] = [];
  #chars = 0;
  isOver = false;

  push(text: string): readonly string[] {
    const lines = text.split('\n');
    const events: string[] = [];
    lines[0] = this.#rest + (lines[0] ?? '');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
      this.#chars += bare.length;
      if (bare.startsWith('data:')) this.#data.push(bare.slice('data:'.length).trimStart());
      if (bare !== '') continue;
      if (this.#data.length > 0) events.push(this.#data.join('\n'));
      this.#data = [];
      this.#chars = 0;
    }
    this.isOver = this.#rest.length + this.#chars > maxEventChars;
    return events;
  }
}

async function* textOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) yield decoder.decode(chunk, { stream: true });
}

function whyOf(error: unknown, patienceMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return silent(patienceMs);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function isReset(error: unknown): boolean {
  return error instanceof Error && ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(errnoOf(error.cause));
}

const silent = (patienceMs: number) => `it was silent for ${patienceMs / 1000} s`;

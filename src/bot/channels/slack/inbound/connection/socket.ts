import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { SocketModeReceiver } from '@slack/bolt';
import { z } from 'zod';
import { BosunError, type Clock, pause } from '../../../../../base/index.js';
import { boundedFetch } from '../../../bounded-fetch.js';
import { openClient, type SlackPlace, silent } from '../../client.js';
import { BoltApp, type TakePayload } from './bolt-app.js';

export interface SocketParts {
  readonly appToken: string;
  readonly apiUrl: string | null;
  readonly take: TakePayload;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  /** A socket silent for this long counts as dead. */
  readonly deafAfterMs: number;
}

export interface Hello {
  readonly connections: number;
}

/** `asked`: Slack wants a reconnect; `off`: Socket Mode is off. */
export type SocketEnd = 'asked' | 'off' | 'deaf' | 'lost';

const openWithinMs = 30_000;
const closeWithinMs = 2_000;
const answerWithinMs = 20_000;
const looksPerDeafness = 10;
const pings = 'undici:websocket:ping';

const frame = z.looseObject({ type: z.string(), payload: z.unknown().optional() });
const hello = z.object({ num_connections: z.number().int().min(0).default(1) });
const withEvent = z.object({ event: z.object({ type: z.string() }) });
const ping = z.object({ websocket: z.object({ url: z.string() }) });

export class Socket {
  readonly ended: Promise<SocketEnd>;
  readonly #parts: SocketParts;
  readonly #receiver: SocketModeReceiver;
  readonly #hello: Promise<Hello>;
  readonly #gone: Promise<void>;
  #isClosed = false;
  #url: string | null = null;
  #signAt = 0;
  #cancelLook: (() => void) | null = null;
  #end: (how: SocketEnd) => void = () => undefined;
  #greet: (said: Hello) => void = () => undefined;
  #leave: () => void = () => undefined;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    const { appToken, apiUrl, take, log } = parts;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#hello = new Promise((resolve) => {
      this.#greet = resolve;
    });
    this.#gone = new Promise((resolve) => {
      this.#leave = resolve;
    });
    this.#receiver = new SocketModeReceiver({
      appToken,
      autoReconnectEnabled: false,
      clientPingTimeout: answerWithinMs,
      serverPingTimeout: parts.deafAfterMs,
      logger: silent,
      installerOptions: { clientOptions: socketOptions({ token: appToken, apiUrl }) },
    });
    this.#listen();
    // The receiver keeps a reference to the app.
    void new BoltApp({ receiver: this.#receiver, take, log });
  }

  async open(): Promise<Hello> {
    const { clock } = this.#parts;
    const stop = new AbortController();
    const late = pause(openWithinMs, stop.signal, clock).then(() => {
      throw new BosunError('not_now', 'Slack does not greet on the socket that it gave');
    });
    try {
      const opened = this.#receiver.start().then(() => this.#hello);
      const lost = this.#gone.then(() => {
        throw new BosunError('not_now', 'the socket was closed before Slack had greeted');
      });
      const said = await Promise.race([opened, lost, late]);
      this.#watch();
      return said;
    } finally {
      stop.abort();
      late.catch(() => undefined);
    }
  }

  /** Waits briefly for the reply. */
  async close(): Promise<void> {
    if (this.#isClosed) return this.#gone;
    this.#isClosed = true;
    this.#cancelLook?.();
    unsubscribe(pings, this.#onPing);
    const stop = new AbortController();
    this.#stop();
    await Promise.race([this.#gone, pause(closeWithinMs, stop.signal, this.#parts.clock)]);
    stop.abort();
    // The second stop cuts the connection.
    this.#stop();
    this.#leave();
  }

  #stop(): void {
    this.#receiver.stop().catch(() => undefined);
  }

  #listen(): void {
    const { client } = this.#receiver;
    const [own] = client.listeners('ws_message');
    client.removeAllListeners('ws_message');
    client.on('ws_message', (data: unknown, isBinary: unknown) => {
      this.#signAt = this.#parts.clock.now();
      if (isBinary !== true && typeof data === 'string' && this.#isReadable(data)) own?.(data, isBinary);
    });
    client.on('authenticated', ({ url }: { readonly url?: string }) => {
      this.#url = url ?? null;
    });
    client.on('connecting', () => {
      if (this.#isClosed) setImmediate(() => this.#stop());
    });
    client.on('disconnected', () => {
      this.#leave();
      this.#end('lost');
    });
    subscribe(pings, this.#onPing);
  }

  readonly #onPing = (message: unknown): void => {
    if (ping.safeParse(message).data?.websocket.url === this.#url) this.#signAt = this.#parts.clock.now();
  };

  #isReadable(data: string): boolean {
    const read = frame.safeParse(jsonOf(data)).data;
    if (read === undefined) return false;
    if (read.type === 'hello') this.#greet({ connections: hello.parse(read).num_connections });
    if (read.type === 'disconnect') this.#end(read['reason'] === 'link_disabled' ? 'off' : 'asked');
    return read.type !== 'events_api' || withEvent.safeParse(read.payload).success;
  }

  #watch(): void {
    const { clock, deafAfterMs } = this.#parts;
    this.#signAt = clock.now();
    const look = () => {
      if (this.#isClosed) return;
      if (clock.now() - this.#signAt > deafAfterMs) return this.#end('deaf');
      this.#cancelLook = clock.after(deafAfterMs / looksPerDeafness, look);
    };
    look();
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const callLimitMs = 10_000;

/** One try per call, and no output, which could hold a token. */
export function socketOptions(place: SlackPlace) {
  const { slackApiUrl } = openClient(place, callLimitMs);
  return {
    slackApiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: callLimitMs,
    fetch: boundedFetch,
  };
}

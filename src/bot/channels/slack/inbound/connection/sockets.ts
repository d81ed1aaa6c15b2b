// When Slack announces an end, the next socket opens before the old one closes. Failures back off.

import { pause } from '../../../../../base/index.js';
import { backOffMs } from '../../../../delivery/index.js';
import { whyOf } from '../../client.js';
import { troubleOf } from './call-failure.js';
import { Socket, type SocketEnd, type SocketParts } from './socket.js';

export interface SocketsParts extends SocketParts {
  readonly random: () => number;
  readonly tell: (problem: string | null) => void;
  /** Interval after a rival was seen. */
  readonly rivalLookMs: number;
  /** Slack tells its count of connections only in a hello. */
  readonly aloneLookMs: number;
}

/** Shorter connections count as failures. */
const shortMs = 30_000;
/** Short connections before it backs off. */
const quickTurns = 3;
/** Slack may count a closed connection for this long. */
const lingerMs = 10_000;
const offWaitMs = 60_000;
const maxRivalLookMs = 15 * 60_000;

const rivalText =
  'another process listens with this app token: Slack gives each message to one of them only. End it, or give it an app of its own; where it was an earlier Bosun, this passes.';
const offText =
  'Socket Mode is switched off for this app: switch it on at api.slack.com, or set channels.slack.mode to http';

export class Sockets {
  readonly #parts: SocketsParts;
  readonly #end = new AbortController();
  /** By socket, the time until Slack may count it; null: not closed yet. */
  readonly #own = new Map<Socket, number | null>();
  readonly #closing = new Set<Promise<void>>();
  #running: Promise<void> | null = null;
  #failures = 0;
  #rivalLookMs: number;
  rival: string | null = null;

  constructor(parts: SocketsParts) {
    this.#parts = parts;
    this.#rivalLookMs = parts.rivalLookMs;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#running;
    await Promise.all(this.#closing);
  }

  async #run(): Promise<void> {
    let last: Socket | null = null;
    while (!this.#end.signal.aborted) {
      const next = await this.#open();
      if (last !== null) this.#retire(last);
      last = next.socket;
      await pause(next.waitMs, this.#end.signal, this.#parts.clock);
    }
    if (last !== null) this.#retire(last);
  }

  /** A returned connection is open. */
  async #open(): Promise<{ readonly socket: Socket | null; readonly waitMs: number }> {
    const { clock, random, tell } = this.#parts;
    const now = clock.now();
    for (const [one, until] of this.#own) if (until !== null && until < now) this.#own.delete(one);
    const socket = new Socket(this.#parts);
    this.#own.set(socket, null);
    const stopped = once(this.#end.signal);
    const done = new AbortController();
    try {
      const greeted = await Promise.race([socket.open(), stopped]);
      if (greeted === null) return { socket, waitMs: 0 };
      const openedAt = clock.now();
      this.#count(greeted.connections);
      tell(null);
      const end = await Promise.race([socket.ended, this.#rivalLook(done.signal), stopped]);
      if (end === null) return { socket, waitMs: 0 };
      return { socket, waitMs: this.#waitAfter(end, clock.now() - openedAt) };
    } catch (error) {
      this.#retire(socket);
      if (this.#end.signal.aborted) return { socket: null, waitMs: 0 };
      this.#failures += 1;
      const trouble = troubleOf(error, 'app', this.#failures, random);
      tell(trouble.problem);
      return { socket: null, waitMs: trouble.ms };
    } finally {
      done.abort();
    }
  }

  #waitAfter(end: SocketEnd | 'look', lastedMs: number): number {
    const { tell, log, random } = this.#parts;
    if (end === 'off') {
      tell(offText);
      return offWaitMs;
    }
    if (end === 'lost') tell('the socket was closed; another one is opened');
    if (end === 'deaf') log('slack: nothing was heard of the socket for long; another one is opened');
    if (lastedMs >= shortMs || end === 'look') {
      this.#failures = 0;
      return 0;
    }
    this.#failures += 1;
    return this.#failures <= quickTurns ? 0 : backOffMs(this.#failures - quickTurns, random);
  }

  /** A higher count at Slack means another process. */
  #count(connections: number): void {
    const { log, rivalLookMs } = this.#parts;
    const before = this.rival;
    this.rival = connections > this.#own.size ? rivalText : null;
    if (this.rival === null) this.#rivalLookMs = rivalLookMs;
    if (this.rival !== before) log(`slack: ${this.rival ?? 'no other process listens any more'}`);
  }

  async #rivalLook(signal: AbortSignal): Promise<'look'> {
    const waitMs = this.rival === null ? this.#parts.aloneLookMs : this.#rivalLookMs;
    if (this.rival !== null) this.#rivalLookMs = Math.min(maxRivalLookMs, waitMs * 2);
    await pause(waitMs, signal, this.#parts.clock);
    return 'look';
  }

  #retire(socket: Socket): void {
    const closed = socket
      .close()
      .catch((error: unknown) => this.#parts.log(`slack: a socket was not closed: ${whyOf(error)}`))
      .finally(() => {
        this.#own.set(socket, this.#parts.clock.now() + lingerMs);
        this.#closing.delete(closed);
      });
    this.#closing.add(closed);
  }
}

function once(signal: AbortSignal): Promise<null> {
  if (signal.aborted) return Promise.resolve(null);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
}

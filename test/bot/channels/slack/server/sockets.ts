// Socket Mode: the connections of one app token, among which Slack splits what it has to tell.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../fixture/clock.js';
import { acceptUpgrade, FrameReader, frame, opcodes } from './frames.js';
import type { Attempt, Delivery, Way } from './outbox.js';
import { isRecord } from './params.js';

export type DisconnectReason = 'warning' | 'refresh_requested' | 'link_disabled';

export interface Connection {
  /** From 1, in the order in which they came. */
  readonly number: number;
  readonly openedAt: number;
  closedAt: number | null;
  /** Open, but nothing comes and nothing is answered. */
  isDeaf: boolean;
  /** The envelopes that went over it, in order. */
  readonly sent: string[];
  pingsSeen: number;
}

interface Line extends Connection {
  readonly stream: Duplex;
  stopPings: () => void;
}

type Settle = (failure: string | null, answer?: unknown) => void;

export interface SocketOptions {
  readonly clock: Clock;
  readonly pingEveryMs: number;
  readonly appId: string;
}

/** Slack opens ten connections of an app at most. */
const maxConnections = 10;

export class Sockets implements Way {
  readonly #options: SocketOptions;
  readonly #tickets = new Set<string>();
  readonly #lines: Line[] = [];
  readonly #waiting = new Map<string, Settle[]>();
  #ticketCount = 0;
  #turn = 0;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  /** All that ever were. */
  get connections(): readonly Connection[] {
    return this.#lines;
  }

  get open(): readonly Connection[] {
    return this.#openLines();
  }

  ticket(): string {
    this.#ticketCount += 1;
    const ticket = `ticket-${this.#ticketCount}`;
    this.#tickets.add(ticket);
    return ticket;
  }

  upgrade(request: IncomingMessage, stream: Duplex): void {
    const ticket = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams.get('ticket') ?? '';
    if (!this.#tickets.delete(ticket) || this.#openLines().length >= maxConnections) {
      stream.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    acceptUpgrade(request, stream);
    const line: Line = {
      number: this.#lines.length + 1,
      openedAt: this.#options.clock.now(),
      closedAt: null,
      isDeaf: false,
      sent: [],
      pingsSeen: 0,
      stream,
      stopPings: () => undefined,
    };
    this.#lines.push(line);
    this.#attend(line);
    this.#greet(line);
  }

  /** One try: over the next connection in turn. An answer is to all tries of an envelope: they have one id. */
  send(delivery: Delivery, attempt: Attempt, settle: Settle): () => void {
    const open = this.#openLines();
    const line = open[this.#turn % Math.max(1, open.length)];
    this.#turn += 1;
    if (!line) {
      settle('no_connection');
      return () => undefined;
    }
    Object.assign(attempt, { socket: line.number });
    this.#waiting.set(delivery.id, [...(this.#waiting.get(delivery.id) ?? []), settle]);
    line.sent.push(delivery.id);
    if (!line.isDeaf) write(line, opcodes.text, JSON.stringify(envelope(delivery, attempt.retry)));
    return () => undefined;
  }

  /** Says goodbye as Slack does; the app is to come again. Left out: on all. */
  disconnect(reason: DisconnectReason, connection?: Connection): void {
    for (const line of this.#meant(connection)) {
      write(line, opcodes.text, JSON.stringify({ type: 'disconnect', reason, debug_info: debugInfo }));
    }
  }

  /** The line is cut: no goodbye, no close frame. Left out: all. */
  drop(connection?: Connection): void {
    for (const line of this.#meant(connection)) line.stream.destroy();
  }

  deafen(connection?: Connection): void {
    for (const line of this.#meant(connection)) {
      line.isDeaf = true;
      line.stopPings();
    }
  }

  /** What no app should ever get, as it is. */
  sendRaw(text: string, connection?: Connection): void {
    for (const line of this.#meant(connection)) write(line, opcodes.text, text);
  }

  #meant(connection?: Connection): readonly Line[] {
    return this.#openLines().filter((one) => connection === undefined || one === connection);
  }

  #openLines(): readonly Line[] {
    return this.#lines.filter((one) => one.closedAt === null);
  }

  #greet(line: Line): void {
    const { appId } = this.#options;
    const hello = { type: 'hello', num_connections: this.#openLines().length, debug_info: debugInfo };
    write(line, opcodes.text, JSON.stringify({ ...hello, connection_info: { app_id: appId } }));
    this.#pingLater(line);
  }

  #pingLater(line: Line): void {
    const { clock, pingEveryMs } = this.#options;
    line.stopPings = clock.after(pingEveryMs, () => {
      if (line.closedAt !== null || line.isDeaf) return;
      write(line, opcodes.ping, `Ping from applink (${line.number})`);
      this.#pingLater(line);
    });
  }

  #attend(line: Line): void {
    const reader = new FrameReader();
    line.stream.on('data', (bytes: Buffer) => {
      if (line.isDeaf) return;
      try {
        for (const { opcode, payload } of reader.read(bytes)) this.#take(line, opcode, payload);
      } catch {
        line.stream.destroy();
      }
    });
    line.stream.on('error', () => line.stream.destroy());
    line.stream.on('close', () => {
      line.closedAt ??= this.#options.clock.now();
      line.stopPings();
    });
  }

  #take(line: Line, opcode: number, payload: Buffer): void {
    if (opcode === opcodes.ping) {
      line.pingsSeen += 1;
      line.stream.write(frame(opcodes.pong, payload));
    }
    if (opcode === opcodes.close) line.stream.end(frame(opcodes.close, payload.subarray(0, 2)));
    if (opcode === opcodes.text) this.#acknowledge(JSON.parse(payload.toString()));
  }

  #acknowledge(said: unknown): void {
    if (!isRecord(said) || typeof said['envelope_id'] !== 'string') return;
    const id = said['envelope_id'];
    const waiting = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const settle of waiting) settle(null, said['payload']);
  }
}

const debugInfo = { host: 'applink-127-0-0-1', build_number: 1, approximate_connection_time: 18_060 };

function write(line: Line, opcode: number, text: string): void {
  if (!line.stream.destroyed && line.stream.writable) line.stream.write(frame(opcode, Buffer.from(text)));
}

function envelope(delivery: Delivery, retry: number) {
  const { id, kind, payload } = delivery;
  const common = { envelope_id: id, payload, type: kind, accepts_response_payload: kind !== 'events_api' };
  if (kind !== 'events_api') return common;
  return { ...common, retry_attempt: retry, retry_reason: retry === 0 ? '' : 'timeout' };
}

// Security: silent unproven connections must not block a login, so the oldest closes. Proven ones never close here.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../../base/index.js';

export interface ConnectionLimits {
  /** From the start of the connection. */
  readonly headersMs: number;
  /** For the body of an unproven request. */
  readonly unprovenBodyMs: number;
  readonly unprovenPerAddress: number;
  readonly unproven: number;
  readonly connections: number;
}

export const usualLimits: ConnectionLimits = {
  ...{ headersMs: 5_000, unprovenBodyMs: 10_000 },
  ...{ unprovenPerAddress: 200, unproven: 600, connections: 1_000 },
};

const logEveryMs = 60_000;

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #unproven = new Map<Socket, string>();
  readonly #perAddress = new Map<string, number>();
  #closed = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(limits: ConnectionLimits, log: Log, now: () => number) {
    this.#limits = limits;
    this.#log = log;
    this.#now = now;
  }

  guard(server: Server): void {
    server.maxConnections = this.#limits.connections;
    server.on('connection', (socket) => this.#admit(socket));
    server.on('drop', (data) => this.#noteClosed(addressOf(data?.remoteAddress)));
    server.on('request', (request) => this.#limitBody(request));
  }

  prove(socket: Socket): void {
    const address = this.#unproven.get(socket);
    if (address === undefined) return;
    this.#unproven.delete(socket);
    const left = (this.#perAddress.get(address) ?? 1) - 1;
    if (left === 0) this.#perAddress.delete(address);
    else this.#perAddress.set(address, left);
  }

  #admit(socket: Socket): void {
    const address = addressOf(socket.remoteAddress);
    this.#unproven.set(socket, address);
    const fromThere = (this.#perAddress.get(address) ?? 0) + 1;
    this.#perAddress.set(address, fromThere);
    socket.once('close', () => this.prove(socket));
    if (fromThere > this.#limits.unprovenPerAddress) this.#closeOldest(address);
    else if (this.#unproven.size > this.#limits.unproven) this.#closeOldest(null);
  }

  #closeOldest(address: string | null): void {
    for (const [socket, from] of this.#unproven) {
      if (address !== null && from !== address) continue;
      this.prove(socket);
      socket.destroy();
      this.#noteClosed(from);
      return;
    }
  }

  #limitBody(request: IncomingMessage): void {
    const { socket } = request;
    if (!this.#unproven.has(socket)) return;
    const timer = setTimeout(() => {
      if (request.complete || !this.#unproven.has(socket)) return;
      socket.destroy();
      this.#noteClosed(addressOf(socket.remoteAddress));
    }, this.#limits.unprovenBodyMs).unref();
    request.once('close', () => clearTimeout(timer));
  }

  /** The first at once, then one line per minute. */
  #noteClosed(address: string): void {
    this.#closed += 1;
    const now = this.#now();
    if (now - this.#loggedAt < logEveryMs) return;
    const { unproven, connections } = this.#limits;
    const many = `${this.#closed} connection${this.#closed === 1 ? '' : 's'}`;
    this.#log(
      `web: closed ${many} that had shown no token, the last one from ${address}; at most ${unproven} such are kept open, ${connections} in all`,
      { level: 'warn' },
    );
    this.#loggedAt = now;
    this.#closed = 0;
  }
}

/** IPv4-mapped IPv6 counts as IPv4. */
function addressOf(remote: string | undefined): string {
  return (remote ?? 'unknown').replace(/^::ffff:/, '');
}

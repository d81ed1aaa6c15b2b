// One connection for commands, one for blocking reads.
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { QueueClock } from '../../../base/index.js';
import { type MessageWriter, messageWriter } from '../protocol/batched-messages.js';
import type { HomeMessage } from '../protocol/messages.js';
import type { Names } from '../protocol/redis-keys.js';
import { closeLink, connect, timeOf } from './connect.js';
import { leaveScript, writeHomeHeartbeat } from './home-heartbeat.js';

export interface RedisConnectionsOptions {
  readonly url: string;
  readonly home: string;
  readonly names: Names;
  readonly leaseMs: number;
  /** Null: workers are not told. */
  readonly disk: string | null;
  readonly clock: QueueClock;
  readonly onConnect: () => void;
  readonly onError: (error: unknown) => void;
}

const mostDownMessages = 5_000;
const downKeptMs = 3_600_000;
const instance = `${process.pid}-${randomBytes(6).toString('hex')}`;

export class RedisConnections {
  readonly #options: RedisConnectionsOptions;
  readonly redis: Redis;
  readonly reading: Redis;
  readonly #down: MessageWriter;
  /** Redis's clock minus the local steady clock. */
  #aheadMs = 0;

  constructor(options: RedisConnectionsOptions) {
    this.#options = options;
    const { url, home, leaseMs, onConnect, onError } = options;
    const name = `bosun-${home}`;
    this.redis = connect({ url, name, commandTimeoutMs: Math.max(300, leaseMs / 3), onError });
    this.reading = connect({ url, name: `${name} reads`, commandTimeoutMs: null, onError });
    this.#down = messageWriter({
      ...{ redis: this.redis, from: 'bosun', maxEntries: mostDownMessages, keptMs: downKeptMs },
    });
    for (const one of [this.redis, this.reading]) one.on('ready', () => this.isThere && onConnect());
  }

  get isThere(): boolean {
    return this.redis.status === 'ready' && this.reading.status === 'ready';
  }

  redisNow(): number {
    return this.#options.clock.steady() + this.#aheadMs;
  }

  /** Called repeatedly: either clock may be set. */
  setTime(redisNow: number): void {
    this.#aheadMs = redisNow - this.#options.clock.steady();
  }

  /** Rejects if Redis is unreachable, full or too slow. */
  async touch(): Promise<void> {
    const { names, leaseMs } = this.#options;
    await this.redis.set(names.alive, this.#word(), 'PX', Math.ceil(leaseMs * 2));
    this.setTime(await timeOf(this.redis));
    if (!this.isThere) throw new Error('Redis is unreachable');
  }

  say(session: string, down: HomeMessage): Promise<void> {
    return this.#down.write(this.#options.names.down(session), JSON.stringify(down));
  }

  /** Deletes the heartbeat at once. */
  async leave(): Promise<void> {
    await this.redis.eval(leaveScript, 1, this.#options.names.alive, this.#word());
  }

  #word(): string {
    const { leaseMs, disk } = this.#options;
    return writeHomeHeartbeat({ instance, leaseMs, disk });
  }

  close(): void {
    closeLink(this.reading);
    closeLink(this.redis);
  }
}

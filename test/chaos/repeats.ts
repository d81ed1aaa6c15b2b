// What a network does to messages: they come twice, late, or when nobody expects them any more.
import type { Redis } from 'ioredis';

interface Kept {
  readonly key: string;
  readonly field: string;
  readonly value: string;
}

const mostKept = 200;
const lookEveryMs = 40;
const looks = 60;

export class Repeats {
  readonly #redis: Redis;
  readonly #late = new Set<Promise<void>>();
  readonly #seen = new Map<string, Kept>();
  readonly #timer: NodeJS.Timeout;

  constructor(redis: Redis) {
    this.#redis = redis;
    // Results are gone as soon as Bosun has them: whoever wants to send one again has to be quick.
    this.#timer = setInterval(() => void this.#look().catch(() => undefined), lookEveryMs);
  }

  /** The last control messages of workers come once more, in another order. */
  async sayAgain(): Promise<boolean> {
    const [stream] = await this.#redis.keys('bosun-*:up');
    if (stream === undefined) return false;
    const last = await this.#redis.xrevrange(stream, '+', '-', 'COUNT', 30);
    for (const [, fields] of last) await this.#redis.xadd(stream, '*', ...fields);
    return last.length > 0;
  }

  /** Results that lie in Redis now are taken out, and come back later. */
  async delay(ms: number): Promise<boolean> {
    let taken: readonly Kept[] = [];
    // They are there for a moment each.
    for (let look = 0; look < looks && taken.length === 0; look += 1) {
      taken = await this.#look();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    if (taken.length === 0) return false;
    for (const { key, field } of taken) await this.#redis.hdel(key, field);
    const late = new Promise<void>((resolve) => setTimeout(resolve, ms)).then(() => this.#put(taken));
    this.#late.add(late);
    return true;
  }

  /** Results from long ago. */
  async bringBack(random: () => number): Promise<boolean> {
    const old = [...this.#seen.values()].filter(() => random() < 0.2).slice(0, 10);
    await this.#put(old);
    return old.length > 0;
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#late]);
  }

  async #look(): Promise<readonly Kept[]> {
    const found: Kept[] = [];
    for (const key of await this.#redis.keys('bosun-*:results')) {
      for (const [field, value] of Object.entries(await this.#redis.hgetall(key))) found.push({ key, field, value });
    }
    for (const one of found) this.#seen.set(one.field, one);
    for (const field of [...this.#seen.keys()].slice(0, Math.max(0, this.#seen.size - mostKept)))
      this.#seen.delete(field);
    return found;
  }

  async #put(results: readonly Kept[]): Promise<void> {
    for (const { key, field, value } of results) {
      const [id = '', session = ''] = field.split(' ');
      try {
        await this.#redis.hset(key, field, value);
        const stream = key.replace(/results$/, 'up');
        await this.#redis.xadd(stream, '*', 'from', session, 'm', JSON.stringify({ type: 'result', id }));
      } catch {
        // Redis is away: then it is lost.
      }
    }
  }
}

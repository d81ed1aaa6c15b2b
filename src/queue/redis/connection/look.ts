import type { Redis } from 'ioredis';

/** Bounds a scan with a broken cursor. */
const mostRounds = 10_000;

export function readyWithin(redis: Redis, withinMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('timed out')), withinMs);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
    redis.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

/** A key may come twice. */
export async function* scanKeys(redis: Redis, pattern: string): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  for (let round = 0; round < mostRounds; round += 1) {
    const [next, keys] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
    yield keys;
    cursor = next;
    if (cursor === '0') return;
  }
}

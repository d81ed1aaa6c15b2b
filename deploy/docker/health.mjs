// usage: node health.mjs up | worker [NAME]
// Exit 0: Bosun answers HTTP; or a worker of this name (without one: of this machine's) gave a sign in Redis lately.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

const limitMs = 4_000;
const signWithinMs = 60_000;
const mostRounds = 1_000;

const [what, name = hostname()] = process.argv.slice(2);
try {
  if (what === 'up') await answersHttp(process.env.BOSUN_HOME ?? '');
  else if (what === 'worker') await gaveASign(name, process.env.REDIS_URL ?? '');
  else throw new Error('usage: health.mjs up | worker [NAME]');
} catch (error) {
  process.stderr.write(`${error.cause?.message ?? error.message}\n`);
  process.exitCode = 1;
}

/** On the port that the home's lock names. */
async function answersHttp(home) {
  const { port } = JSON.parse(readFileSync(join(home, 'lock'), 'utf8'));
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(limitMs) });
  if (!answer.ok) throw new Error(`/healthz answers ${answer.status}`);
}

async function gaveASign(worker, url) {
  if (url === '') throw new Error('REDIS_URL is not set');
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, { maxRetriesPerRequest: 1, connectTimeout: limitMs, commandTimeout: limitMs });
  // What goes wrong with the connection fails the commands too, and is told by them.
  redis.on('error', () => undefined);
  try {
    const signs = await signsIn(redis);
    const last = Math.max(...signs.filter((one) => one.name === worker).map(({ at }) => at));
    if (Date.now() - last > signWithinMs)
      throw new Error(`the worker ${worker} gave no sign for ${signWithinMs / 1000} s`);
  } finally {
    redis.disconnect();
  }
}

/** Of the workers of every home: a worker's name is its machine's, and that of a container is its own. */
async function signsIn(redis) {
  const signs = [];
  let cursor = '0';
  for (let round = 0; round < mostRounds; round += 1) {
    const [next, keys] = await redis.scan(cursor, 'MATCH', 'bosun-*:worker:*', 'COUNT', 1_000);
    const rows = keys.length === 0 ? [] : await redis.mget(keys);
    signs.push(...rows.flatMap((row) => signOf(row)));
    cursor = next;
    if (cursor === '0') break;
  }
  return signs;
}

function signOf(row) {
  try {
    const { name: said, at } = JSON.parse(row ?? '');
    return typeof said === 'string' && typeof at === 'number' ? [{ name: said, at }] : [];
  } catch {
    // Gone between the two commands, or nothing that a worker wrote.
    return [];
  }
}

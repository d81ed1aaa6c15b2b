// usage: node health.mjs up | worker [NAME]
// Exit 0: Bosun answers HTTP, or waits as a standby; or a worker of this name (without one: of this machine's) gave a sign
// in Redis lately, or there is no Bosun yet that it could give one to.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

const limitMs = 4_000;
const leastMs = 60_000;
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
  const { port, pid } = JSON.parse(readFileSync(join(home, 'lock'), 'utf8'));
  if (port === null && isStandby(pid)) return;
  if (port === null) throw new Error('Bosun does not listen yet');
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(limitMs) });
  if (!answer.ok) throw new Error(`/healthz answers ${answer.status}`);
}

/** One that waits to take over opens no port. */
function isStandby(pid) {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes('--standby');
}

async function gaveASign(worker, url) {
  if (url === '') throw new Error('REDIS_URL is not set');
  const { Redis } = await import('ioredis');
  const redis = new Redis(url, { maxRetriesPerRequest: 1, connectTimeout: limitMs, commandTimeout: limitMs });
  // What goes wrong with the connection fails the commands too, and is told by them.
  redis.on('error', () => undefined);
  try {
    // Of the workers of every home: a worker's name is its machine's, and that of a container is its own.
    const signs = (await keysLike(redis, 'bosun-*:worker:*')).flatMap(({ key, row }) => signOf(key, row));
    const [last] = signs.filter((one) => one.name === worker).sort((one, other) => other.at - one.at);
    if (last === undefined && (await keysLike(redis, 'bosun-*:alive')).length === 0) return;
    const withinMs = last === undefined ? leastMs : await limitOf(redis, last);
    if (Date.now() - (last?.at ?? 0) > withinMs)
      throw new Error(`the worker ${worker} gave no sign for ${Math.round(withinMs / 1000)} s`);
  } finally {
    redis.disconnect();
  }
}

/** A sign is given six times in a lease and kept for eight of them; two may fail. */
async function limitOf(redis, { key, at }) {
  const leaseMs = ((await redis.pttl(key)) + Date.now() - at) / 8;
  return Math.max(leastMs, leaseMs / 3);
}

async function keysLike(redis, pattern) {
  const found = [];
  let cursor = '0';
  for (let round = 0; round < mostRounds; round += 1) {
    const [next, keys] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
    const rows = keys.length === 0 ? [] : await redis.mget(keys);
    found.push(...keys.map((key, at) => ({ key, row: rows[at] })));
    cursor = next;
    if (cursor === '0') break;
  }
  return found;
}

function signOf(key, row) {
  try {
    const { name: said, at } = JSON.parse(row ?? '');
    return typeof said === 'string' && typeof at === 'number' ? [{ key, name: said, at }] : [];
  } catch {
    // Gone between the two commands, or nothing that a worker wrote.
    return [];
  }
}

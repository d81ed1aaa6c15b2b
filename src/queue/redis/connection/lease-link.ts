// The active Bosun's lease. One atomic script per change; the whole text identifies a lease.

import type { Redis } from 'ioredis';
import { type Names, namesOf } from '../protocol/redis-keys.js';
import { closeLink, connect, placeOf } from './connect.js';
import { scanKeys } from './look.js';
import { problemsOf } from './problems.js';

export interface LeaseLook {
  readonly held: string | null;
  readonly leftMs: number;
  /** The highest epoch that Redis remembers, or ''. */
  readonly epoch: string;
}

export interface StoredLease {
  readonly isKept: boolean;
  readonly held: string | null;
  readonly epoch: string;
}

export interface LeaseLink {
  readonly problem: string | null;
  connected(withinMs: number): Promise<boolean>;
  look(): Promise<LeaseLook>;
  claim(text: string, over: string | null, lastsMs: number): Promise<StoredLease>;
  /**
   * Renews, or retakes after a loss. Fails if another holds the lease or Redis knows a newer `epoch` (by its leading
   * number).
   */
  keep(text: string, before: string, epoch: string, lastsMs: number): Promise<StoredLease>;
  clearJobs(): Promise<void>;
  release(text: string): Promise<void>;
  close(): void;
}

export function openLeaseLink(url: string, home: string, timeoutMs: number): LeaseLink {
  const names = namesOf(home);
  const keys = [names.lease, names.epoch] as const;
  const problems = problemsOf(placeOf(url), () => undefined);
  const redis = connect({ url, name: `bosun-${home}-lease`, commandTimeoutMs: timeoutMs, onError: problems.note });

  async function run(script: string, ...args: readonly (string | number)[]): Promise<unknown> {
    try {
      const answer = await redis.eval(script, keys.length, ...keys, ...args);
      problems.clear();
      return answer;
    } catch (error) {
      problems.note(error);
      throw error;
    }
  }

  return {
    get problem() {
      return problems.present;
    },
    connected: (withinMs) => connected(redis, withinMs),
    async look() {
      const [held, leftMs, epoch] = listOf(await run(lookScript));
      return { held: textOf(held), leftMs: Math.max(0, Number(leftMs)), epoch: textOf(epoch) ?? '' };
    },
    claim: async (text, over, lastsMs) => keptOf(await run(claimScript, text, over ?? '', lastsMs)),
    keep: async (text, before, epoch, lastsMs) => keptOf(await run(keepScript, text, before, epoch, lastsMs)),
    clearJobs: () => clearJobs(redis, names),
    release: async (text) => void (await run(releaseScript, text)),
    close: () => closeLink(redis),
  };
}

const lookScript = `
local held = redis.call('GET', KEYS[1])
return {held or '', redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[2]) or ''}`;

const claimScript = `
local held = redis.call('GET', KEYS[1])
local epoch = redis.call('GET', KEYS[2]) or ''
if held and held ~= ARGV[1] and held ~= ARGV[2] then return {0, held, epoch} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return {1, ARGV[1], epoch}`;

// PEXPIRE works even on a full Redis.
const keepScript = `
local held = redis.call('GET', KEYS[1])
local epoch = redis.call('GET', KEYS[2]) or ''
local function number(text) return tonumber(string.match(text, '^%d+') or '0') end
local isLast = epoch == ARGV[3] or number(epoch) < number(ARGV[3])
if (held and held ~= ARGV[1] and held ~= ARGV[2]) or not isLast then return {0, held or '', epoch} end
if held == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[4])
else redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[4]) end
if epoch ~= ARGV[3] then redis.call('SET', KEYS[2], ARGV[3]) end
return {1, ARGV[1], ARGV[3]}`;

const releaseScript = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return {}`;

async function clearJobs(redis: Redis, names: Names): Promise<void> {
  await redis.unlink(names.results, names.granted, names.up, names.told);
  for await (const found of scanKeys(redis, `${names.prefix}:${names.queue('*')}`)) {
    if (found.length > 0) await redis.unlink(...found);
  }
}

function connected(redis: Redis, withinMs: number): Promise<boolean> {
  if (redis.status === 'ready') return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = (is: boolean) => {
      clearTimeout(timer);
      redis.off('ready', onReady);
      redis.off('close', onClose);
      resolve(is);
    };
    const onReady = () => end(true);
    const onClose = () => end(false);
    const timer = setTimeout(onClose, withinMs);
    redis.once('ready', onReady);
    redis.once('close', onClose);
  });
}

function keptOf(answer: unknown): StoredLease {
  const [isKept, held, epoch] = listOf(answer);
  return { isKept: isKept === 1, held: textOf(held), epoch: textOf(epoch) ?? '' };
}

function listOf(answer: unknown): readonly unknown[] {
  return Array.isArray(answer) ? answer : [];
}

const maxChars = 4_000;

function textOf(answer: unknown): string | null {
  return typeof answer === 'string' && answer !== '' ? answer.slice(0, maxChars) : null;
}

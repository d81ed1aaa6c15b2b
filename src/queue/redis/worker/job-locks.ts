// BullMQ must never fail a stalled job: Bosun decides if a worker is dead. Works on a full Redis.
import type { Job as BullJob, Worker } from 'bullmq';
import type { Redis } from 'ioredis';

export interface LocksOptions {
  /** Must fail at once while Redis is unreachable. */
  readonly redis: Redis;
  readonly lockMs: number;
  readonly onError: (error: unknown) => void;
}

export interface Locks {
  keep(worker: Worker, job: BullJob, token: string): () => void;
  close(): void;
}

interface Lock {
  /** Its lock, the job, and BullMQ's set for stalled jobs. */
  readonly keys: readonly [string, string, string];
  readonly id: string;
  readonly token: string;
}

export function keepLocks({ redis, lockMs, onError }: LocksOptions): Locks {
  const kept = new Set<Lock>();

  function renew(): void {
    if (redis.status !== 'ready') return;
    for (const { keys, id, token } of kept) {
      redis.eval(keepScript, keys.length, ...keys, token, lockMs, id).catch(onError);
    }
  }

  const renewing = setInterval(renew, lockMs / 4).unref();
  redis.on('ready', renew);
  return {
    keep(worker, job, token) {
      const id = job.id ?? '';
      const keys = [worker.toKey(`${id}:lock`), worker.toKey(id), worker.toKey('stalled')] as const;
      const lock = { keys, id, token };
      kept.add(lock);
      return () => void kept.delete(lock);
    },
    close: () => clearInterval(renewing),
  };
}

// A full Redis rejects SET but accepts PEXPIRE.
const keepScript = `
local token = redis.call('GET', KEYS[1])
if token == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2])
elseif token or redis.call('EXISTS', KEYS[2]) == 0 then return 0
else redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
redis.call('SREM', KEYS[3], ARGV[3])
return 1`;

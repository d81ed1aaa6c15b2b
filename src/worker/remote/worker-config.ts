import { existsSync } from 'node:fs';
import { BosunError } from '../../base/index.js';
import { type Config, type Environment, redisAddress } from '../../config/index.js';

const variable = 'REDIS_URL';

/** `redisFor` reports an invalid REDIS_URL. */
export function workerConfig(config: Config, env: Environment): Config {
  const redis = isAsked(config, env) ? redisAddress.safeParse(env[variable]) : null;
  return redis?.success ? { ...config, queue: { ...config.queue, redis: redis.data } } : config;
}

export function redisFor(config: Config, env: Environment): string {
  const { queue, path } = config;
  if (queue.redis !== null) return queue.redis;
  const read = isAsked(config, env) ? redisAddress.safeParse(env[variable]) : null;
  if (read?.success) return read.data;
  if (read) {
    throw new BosunError('usage', `${variable} ${read.error.issues[0]?.message ?? 'is not usable'}`, {
      hint: 'Set it to redis://USER:PASSWORD@HOST:PORT/DATABASE; only the host is required.',
    });
  }
  if (queue.unset !== undefined) {
    throw new BosunError('bad_config', `queue.redis in ${path} comes from ${queue.unset}, which is not set here`, {
      hint: `Set ${queue.unset} in the worker's environment, as for Bosun itself.`,
    });
  }
  throw new BosunError('bad_config', `${path} sets no queue.redis, which a worker needs for its jobs`, {
    hint: 'Set queue.redis, for Bosun and for its workers; a worker without a config.yaml takes REDIS_URL. Without Redis "bosun up" does the work itself.',
  });
}

function isAsked({ queue, path }: Config, env: Environment): boolean {
  return queue.redis === null && (env[variable] ?? '').trim() !== '' && !existsSync(path);
}

// The config of a worker's own home, where it may have none: REDIS_URL is then all that it needs.
import { existsSync } from 'node:fs';
import type { Config, Environment } from '../home/index.js';

export function workerConfig(config: Config, env: Environment): Config {
  const redis = env['REDIS_URL'] ?? '';
  if (config.queue.redis !== null || redis === '' || existsSync(config.path)) return config;
  return { ...config, queue: { ...config.queue, redis } };
}

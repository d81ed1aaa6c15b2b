// Reports an unusable Redis, or jobs that no worker takes.
import type { Config, Environment } from '../../config/index.js';
import { lookAtRedis } from '../../queue/index.js';
import type { CommandContext } from '../command-context.js';

/** Null: usable. */
export async function queueTrouble(
  { home, shell }: CommandContext,
  config: Config,
  works: boolean,
): Promise<string | null> {
  const { redis } = config.queue;
  if (redis !== null) return (await lookAtRedis(redis, home.homeId)).problem;
  if (works) return null;
  const why = whyEmbedded(config, shell.env) ?? `${config.path} has no queue.redis`;
  return `--no-worker without Redis leaves no worker to run the steps: ${why}. Set queue.redis and start a "bosun worker", or start without --no-worker.`;
}

/** Explains the embedded queue if the environment hints at a Redis. */
export function whyEmbedded({ queue, path }: Config, env: Environment): string | null {
  if (queue.redis !== null) return null;
  if (queue.unset !== undefined) return `queue.redis comes from ${queue.unset}, which is not set here`;
  return (env['REDIS_URL'] ?? '').trim() === '' ? null : `REDIS_URL is set, but queue.redis in ${path} does not use it`;
}

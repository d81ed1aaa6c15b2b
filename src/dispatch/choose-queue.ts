// Which queue a room works with: the embedded one, unless the config names a Redis. Nothing of BullMQ is loaded before that
// is known.

import { type Config, drawnDiskMark, type Home } from '../config/index.js';
import { homeDisk, type NeedsOf } from '../jobs/index.js';
import type { OpenQueue } from '../queue/index.js';
import { type Limits, loadBullmq } from '../queue/index.js';
import { isAmid } from '../workspace/index.js';

/** Null: the embedded one. */
export async function redisQueue(
  { queue }: Config,
  home: Pick<Home, 'dir' | 'homeId'>,
  isActive: () => boolean = () => true,
): Promise<OpenQueue | null> {
  const { redis } = queue;
  if (redis === null) return null;
  const bullmqQueue = await loadBullmq();
  const disk = drawnDiskMark(home);
  return (parts) => bullmqQueue({ ...parts, redis, home: home.homeId, disk, isActive });
}

/** As the config says whenever it is asked. */
export function limitsOf(config: () => Config): Limits {
  return {
    ofProject: () => config().queue.perProject,
    ofKind: (kind) => config().queue.perKind[kind] ?? null,
  };
}

/** Without a remote that both reach, or amid a merge, a checkout cannot travel to a machine without the home's disk. */
export function needsBy(config: () => Config): NeedsOf {
  return ({ project, workdir, needs = [] }) => {
    const { git = null } = config().projects.find(({ name }) => name === project) ?? {};
    return git?.remote && !isAmid(workdir) ? needs : [...new Set([...needs, homeDisk])];
  };
}

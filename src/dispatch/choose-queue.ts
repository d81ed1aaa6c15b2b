import { type Config, drawnDiskMark, type Home, projectWithName } from '../config/index.js';
import { homeDisk, type NeedsOf } from '../jobs/index.js';
import type { OpenQueue } from '../queue/index.js';
import { type Limits, loadBullmq } from '../queue/index.js';
import { isAmid } from '../workspace/index.js';

/** Null: embedded. */
export async function redisQueue(
  { queue }: Config,
  home: Pick<Home, 'dir' | 'homeId' | 'agents'>,
  isActive: () => boolean = () => true,
): Promise<OpenQueue | null> {
  const { redis } = queue;
  if (redis === null) return null;
  const bullmqQueue = await loadBullmq();
  const disk = drawnDiskMark(home);
  const agentKinds = home.agents.map(({ kind }) => kind);
  return (parts) => bullmqQueue({ ...parts, redis, home: home.homeId, agentKinds, disk, isActive });
}

/** Read at each call, so that edits apply at once. */
export function limitsOf(config: () => Config): Limits {
  return {
    ofProject: () => config().queue.perProject,
    ofKind: (kind) => config().queue.perKind[kind] ?? null,
  };
}

/** Without a remote, or amid a merge, no bundle can be made: the job needs the home's disk. */
export function needsBy(config: () => Config): NeedsOf {
  return ({ project, workdir, needs = [] }) => {
    const { git = null } = projectWithName(config(), project) ?? {};
    return git?.remote && !isAmid(workdir) ? needs : [...new Set([...needs, homeDisk])];
  };
}

// Which queue a room works with: the embedded one, unless the config names a Redis. Nothing of BullMQ is loaded before that
// is known.
import { type Config, drawnDiskMark, type Home } from './home/index.js';
import {
  type BullmqQueue,
  homeDisk,
  type Limits,
  loadBullmq,
  type NeedsOf,
  type RecoverableQueue,
} from './queue/index.js';
import type { JobRows } from './store/index.js';
import { isAmid } from './workspace/index.js';

/** What a room works with; a crew and offers only where its workers may be elsewhere. */
export type RoomQueue = RecoverableQueue & Partial<Pick<BullmqQueue, 'crew' | 'onOffer' | 'problem'>>;

export interface QueueParts {
  readonly jobs: JobRows;
  readonly leaseMs: number;
  readonly limits?: Limits;
  /** Asked when a job is put on offer, and again as long as it lies there. */
  readonly needsOf?: NeedsOf;
  /** Told in a sentence when something is wrong with what it stands on, and null when it is right again. */
  readonly onProblem: (problem: string | null) => void;
  readonly onError: (error: unknown) => void;
}

export type OpenQueue = (parts: QueueParts) => RoomQueue;

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

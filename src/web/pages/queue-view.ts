// What pages need to know of the queue and of those who take from it. A room tells what it can; what it does not tell is
// made out from the attempts on record.
import type { AttemptRow, Room, WorkerSign } from '../../dispatch/index.js';
import type { Site } from '../site.js';

/** One attempt in the queue. Who it is for stands on record under its id. */
export interface QueuedWork {
  readonly attempt: string;
  /** What its worker must be able to do beyond what every worker can. */
  readonly needs: readonly string[];
  /** When it came to where it is: was made, was offered, began. */
  readonly since: number;
  /** It is not to begin before this; null: as soon as it can. */
  readonly notBefore: number | null;
  /** Who has it, or who has asked for it; null: nobody. */
  readonly worker: string | null;
}

/** How many there are, and the oldest of them, oldest first. */
export interface QueuePart {
  readonly count: number;
  readonly oldest: readonly QueuedWork[];
}

/** How many attempts of a project wait, or are on offer, with the same needs. */
export interface WaitingGroup {
  readonly project: string;
  readonly needs: readonly string[];
  readonly count: number;
}

type RedisState =
  /** The embedded queue: there is none. */
  { readonly kind: 'none' } | { readonly kind: 'fine' } | { readonly kind: 'away'; readonly problem: string };

export interface QueueView {
  readonly redis: RedisState;
  /** In Bosun's database, not to be taken yet: the checkout is taken, a limit holds it, its time has not come. */
  readonly waiting: QueuePart;
  /** In Redis, for any worker that can do it. Nothing with the embedded queue. */
  readonly offered: QueuePart;
  readonly running: QueuePart;
  /** Of those that wait or are on offer; the largest first. */
  readonly groups: readonly WaitingGroup[];
}

/** A room that can tell of its queue; each part and the groups have at most `limit` rows. */
interface QueueTeller {
  queueView?(limit: number): QueueView;
}

export function queueView({ desk }: Pick<Site, 'desk'>, limit: number): QueueView {
  const room: Room & QueueTeller = desk.room;
  return room.queueView?.(limit) ?? fromRecord(desk, limit);
}

function fromRecord({ config, room }: Site['desk'], limit: number): QueueView {
  const open = room.store.openAttempts();
  const isRunning = ({ attempt }: AttemptRow) => attempt.state === 'running';
  const waiting = open.filter((row) => !isRunning(row));
  const running = open.filter(isRunning);
  return {
    redis: { kind: config().queue.redis === null ? 'none' : 'fine' },
    waiting: partOf(waiting, limit),
    offered: { count: 0, oldest: [] },
    running: partOf(running, limit),
    groups: groupsOf(waiting, room.store).slice(0, limit),
  };
}

function partOf(rows: readonly AttemptRow[], limit: number): QueuePart {
  const oldest = rows
    .map(({ attempt }) => ({
      attempt: attempt.id,
      needs: [],
      since: attempt.startedAt ?? attempt.dispatchedAt,
      notBefore: attempt.notBefore,
      worker: attempt.worker,
    }))
    .sort((a, b) => a.since - b.since);
  return { count: rows.length, oldest: oldest.slice(0, limit) };
}

function groupsOf(rows: readonly AttemptRow[], store: Room['store']): readonly WaitingGroup[] {
  const projects = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const { run } of rows) {
    const project = projects.get(run) ?? store.run(run)?.project ?? '';
    projects.set(run, project);
    counts.set(project, (counts.get(project) ?? 0) + 1);
  }
  return [...counts].map(([project, count]) => ({ project, needs: [], count })).sort((a, b) => b.count - a.count);
}

/** A worker as pages show it. */
export interface WorkerShown extends WorkerSign {
  /** It may be dead: it was not heard of for longer than it takes to be late twice. */
  readonly isSilent: boolean;
}

/** What workers in Bosun's own process are called where they take a job. */
const ownMark = 'local-';

export function isOwn(worker: string): boolean {
  return worker === 'embedded' || worker.startsWith(ownMark);
}

const silentAfterLeases = 2;

/** Those who were heard of, by name; the silent ones last. */
export function workersShown({ desk, now }: Pick<Site, 'desk' | 'now'>): readonly WorkerShown[] {
  const silentSince = now() - silentAfterLeases * desk.config().queue.leaseMs;
  const shown = desk.room.workers().map((sign) => ({ ...sign, isSilent: sign.seenAt < silentSince }));
  return shown.sort((a, b) => Number(a.isSilent) - Number(b.isSilent) || a.name.localeCompare(b.name));
}

/** Needed where what is to be worked on lies on the home's disk alone. */
const homeDisk = 'home-disk';

/** What of this no present worker can do together with the rest; null: nobody is present. */
export function lacking(workers: readonly WorkerShown[], needs: readonly string[]): readonly string[] | null {
  const present = workers.filter(({ isSilent, self }) => !isSilent && self?.isForeign !== true);
  return present.map((worker) => missingOf(worker, needs)).sort((a, b) => a.length - b.length)[0] ?? null;
}

function missingOf({ self }: WorkerShown, needs: readonly string[]): readonly string[] {
  if (self === undefined) return [];
  return needs.filter((need) => !self.can.includes(need) && (need !== homeDisk || self.isAway));
}

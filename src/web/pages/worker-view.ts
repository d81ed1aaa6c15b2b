// Workers as pages show them, and what of the queue they can do.
import { homeDisk, type WorkerSign } from '../../dispatch/index.js';
import type { Site } from '../site.js';

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

/** What of this no present worker can do together with the rest; null: nobody is present. */
export function lacking(workers: readonly WorkerShown[], needs: readonly string[]): readonly string[] | null {
  const present = workers.filter(({ isSilent, self }) => !isSilent && self?.isForeign !== true);
  return present.map((worker) => missingOf(worker, needs)).sort((a, b) => a.length - b.length)[0] ?? null;
}

function missingOf({ self }: WorkerShown, needs: readonly string[]): readonly string[] {
  if (self === undefined) return [];
  return needs.filter((need) => !self.can.includes(need) && (need !== homeDisk || self.isAway));
}

export { homeDisk };

// Workers as pages show them, and what of the queue they can do.

import { isSilent, isTaking, lackingOf, type WorkerStatus } from '../../../dispatch/index.js';
import { homeDisk } from '../../../jobs/index.js';
import type { WebContext } from '../../context/web-context.js';

/** A worker as pages show it. */
export interface WorkerShown extends WorkerStatus {
  /** It may be dead: it was not heard of for a lease. */
  readonly isSilent: boolean;
  /** It would take a job now. */
  readonly isTaking: boolean;
}

/** What workers in Bosun's own process are called where they take a job. */
const ownMark = 'local-';

export function isOwn(worker: string): boolean {
  return worker === 'embedded' || worker.startsWith(ownMark);
}

/** Those who were heard of, by name; the silent ones last. */
export function workersShown({ services, now }: Pick<WebContext, 'services' | 'now'>): readonly WorkerShown[] {
  const watch = { at: now(), leaseMs: services.config().queue.leaseMs };
  const shown = services.runtime.workers().map((sign) => {
    const { seenAt, self } = sign;
    return { ...sign, isSilent: isSilent(seenAt, watch), isTaking: isTaking(seenAt, self, watch) };
  });
  return shown.sort((a, b) => Number(a.isSilent) - Number(b.isSilent) || a.name.localeCompare(b.name));
}

/** What of this no present worker can do together with the rest; null: nobody is present. */
export function lacking(workers: readonly WorkerShown[], needs: readonly string[]): readonly string[] | null {
  return lackingOf(
    workers.filter((worker) => worker.isTaking),
    needs,
  );
}

export { homeDisk };

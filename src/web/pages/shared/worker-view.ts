import { isSilent, isTaking, lackingOf, type WorkerStatus } from '../../../dispatch/index.js';
import type { WebContext } from '../../context/web-context.js';

export interface WorkerShown extends WorkerStatus {
  /** No heartbeat for a lease. */
  readonly isSilent: boolean;
  readonly isTaking: boolean;
}

const ownMark = 'local-';

export function isOwn(worker: string): boolean {
  return worker === 'embedded' || worker.startsWith(ownMark);
}

/** By name, silent ones last. */
export function workersShown({ services, now }: Pick<WebContext, 'services' | 'now'>): readonly WorkerShown[] {
  const watch = { at: now(), leaseMs: services.config().queue.leaseMs };
  const shown = services.runtime.workers().map((sign) => {
    const { seenAt, self } = sign;
    return { ...sign, isSilent: isSilent(seenAt, watch), isTaking: isTaking(seenAt, self, watch) };
  });
  return shown.sort((a, b) => Number(a.isSilent) - Number(b.isSilent) || a.name.localeCompare(b.name));
}

/** Needs that no single worker meets together with the rest; null: no workers. */
export function lacking(workers: readonly WorkerShown[], needs: readonly string[]): readonly string[] | null {
  return lackingOf(
    workers.filter((worker) => worker.isTaking),
    needs,
  );
}

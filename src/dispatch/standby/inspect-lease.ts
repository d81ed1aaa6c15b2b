// Keeps no connection, changes nothing.
import type { Config, Home } from '../../config/index.js';
import { openLeaseLink } from '../../queue/index.js';
import { lookAtCopy } from '../../store/index.js';
import { isBehind, numberOf } from './epoch.js';
import { toldOf } from './holder.js';

export interface LeaseSeen {
  /** Null: the lease is free. */
  readonly holder: string | null;
  readonly epoch: number;
  readonly ownEpoch: number;
  /** A later epoch was active. */
  readonly isBehind: boolean;
}

const answerWithinMs = 3_000;

/** Null: no Redis, or no answer. */
export async function lookAtLease({ queue }: Pick<Config, 'queue'>, home: Home): Promise<LeaseSeen | null> {
  if (queue.redis === null) return null;
  const link = await openLeaseLink(queue.redis, home.homeId, answerWithinMs);
  try {
    if (!(await link.connected(answerWithinMs))) return null;
    const { held, epoch } = await link.look();
    const own = lookAtCopy(home.dbPath)?.epoch ?? '';
    return {
      holder: held === null ? null : toldOf(held),
      ...{ epoch: numberOf(epoch), ownEpoch: numberOf(own), isBehind: isBehind(own, epoch) },
    };
  } catch {
    return null;
  } finally {
    link.close();
  }
}

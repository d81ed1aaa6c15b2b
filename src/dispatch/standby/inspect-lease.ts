// Reads the lease without changing it or keeping a connection.
import type { Config, Home } from '../../config/index.js';
import { openLeaseLink } from '../../queue/index.js';
import { lookAtCopy } from '../../store/index.js';
import { isBehind, numberOf } from './epoch.js';
import { toldOf } from './holder.js';

export interface LeaseSeen {
  /** Host, process and start time; null: the lease is free. */
  readonly holder: string | null;
  /** How often a Bosun of this home became active, according to Redis. */
  readonly epoch: number;
  /** The same, according to the local database. */
  readonly ownEpoch: number;
  /** Whether a later epoch was active than the local database's. */
  readonly isBehind: boolean;
}

const answerWithinMs = 3_000;

/** null: no Redis, or it does not answer. */
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
    // Redis errors are reported by another check.
    return null;
  } finally {
    link.close();
  }
}

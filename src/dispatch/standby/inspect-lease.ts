// A look at the lease from outside: nothing is kept open and nothing changed.
import type { Config, Home } from '../../config/index.js';
import { openLeaseLink } from '../../queue/index.js';
import { lookAtCopy } from '../../store/index.js';
import { isBehind, numberOf } from './epoch.js';
import { toldOf } from './holder.js';

export interface LeaseSeen {
  /** Host, process and since when; null: nobody has it. */
  readonly holder: string | null;
  /** How often a Bosun of this home became the active one. */
  readonly epoch: number;
  /** The same, as the database here has it. */
  readonly ownEpoch: number;
  /** Whether another was active since the database here was. */
  readonly isBehind: boolean;
}

const answerWithinMs = 3_000;

/** Null: there is no Redis, or it does not answer. */
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
    // What is wrong with Redis is another finding.
    return null;
  } finally {
    link.close();
  }
}

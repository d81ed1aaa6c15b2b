// Claims the lease, chooses the database, raises its epoch and publishes it.
import { statSync } from 'node:fs';
import { BosunError } from '../../base/index.js';
import { type Config, type Environment, type Home, keepText, keptText } from '../../config/index.js';
import { openLeaseLink } from '../../queue/index.js';
import { holdWriting, keepEpoch, lookAtCopy } from '../../store/index.js';
import { chooseDatabase, lagOf, requireNewest } from './choose-database.js';
import { type Claimed, claim } from './claim-lease.js';
import { isBehind, nextEpoch, sessionOf } from './epoch.js';
import { newHolder } from './holder.js';
import { Lease, presentMoment } from './lease.js';

export interface Taking {
  readonly home: Home;
  readonly config: Pick<Config, 'queue' | 'standby'>;
  readonly env: Environment;
  /** Wait while another is active, then fetch the replica. */
  readonly waits?: boolean;
  readonly takesOver?: boolean;
  readonly say?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** The last active session of the local database. */
const markFile = 'lease-session';

/** Null: no Redis, or aborted. Needs the home's lock. */
export async function takeLease(taking: Taking): Promise<Lease | null> {
  const { home, config, waits = false } = taking;
  const { redis } = config.queue;
  if (redis === null) return null;
  // Finds another container on the folder before Redis declares it inactive.
  const giveBack = waits ? () => undefined : holdWriting(home.dbPath);
  try {
    return await take(taking, redis);
  } finally {
    giveBack();
  }
}

async function take(taking: Taking, redis: string): Promise<Lease | null> {
  const { home, config, waits = false, signal = new AbortController().signal } = taking;
  const { leaseMs: lastsMs } = config.queue;
  const hasStandby = config.standby !== null;
  const link = await openLeaseLink(redis, home.homeId, Math.max(200, lastsMs / 3));
  const holder = newHolder(home.dir, hasStandby);
  const own = { link, holder, lastsMs, hasStandby, now: presentMoment };
  try {
    const ownEpoch = lookAtCopy(home.dbPath)?.epoch ?? '';
    const say = taking.say ?? (() => undefined);
    const claimed = await claim({ ...own, waits, ownEpoch, say, signal });
    if (claimed.kind === 'claimed') {
      const lease = new Lease({ ...own, epoch: claimed.epoch, renewedAt: claimed.at });
      return await activated(lease, taking, claimed, signal);
    }
    if (claimed.kind === 'away') {
      if (hasStandby) throw unsure(link.problem ?? 'Redis does not answer.');
      return new Lease({ ...own, epoch: ownEpoch, renewedAt: null });
    }
    link.close();
    return null;
  } catch (error) {
    link.close();
    throw error;
  }
}

async function activated(
  lease: Lease,
  { home, config, env, waits = false, takesOver = false, say = () => undefined }: Taking,
  { epoch: redisEpoch }: Extract<Claimed, { kind: 'claimed' }>,
  signal: AbortSignal,
): Promise<Lease | null> {
  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener('abort', end);
  void lease.lost.then(end);
  try {
    const restoreLine = config.standby?.restore ?? null;
    const choosing = { home, redisEpoch, restoreLine, env, signal: ending.signal };
    const isFetched = waits && (await chooseDatabase(choosing));
    const lag = isFetched ? lagOf(home, redisEpoch) : null;
    // Only reported: a predecessor may die before it replicates, and requiring a newer copy would block every takeover.
    if (lag !== null) say(`standby: ${lag}`);
    else if (!takesOver) requireNewest(home, redisEpoch);
    const before = lookAtCopy(home.dbPath)?.epoch ?? '';
    const epoch = nextEpoch(lease.session, before, redisEpoch);
    // A database from elsewhere may reuse job ids.
    const isFromElsewhere = before !== '' && markOf(home, sessionOf(before)) !== keptText(home, markFile);
    const isForeign = isFromElsewhere || isBehind(before, redisEpoch);
    // Race: after a pause another Bosun may be active, and its jobs must stay.
    if (!lease.isActive()) throw new BosunError('queue', `Bosun did not become active: ${await lease.lost}`);
    if (isForeign) await lease.clearJobs();
    if (!lease.isActive()) throw new BosunError('queue', `Bosun did not become active: ${await lease.lost}`);
    keepEpoch(home.dbPath, home.homeId, epoch);
    keepText(home, markFile, markOf(home, lease.session));
    await published(lease, epoch, config.standby !== null);
    return lease;
  } catch (error) {
    await lease.abandon();
    if (signal.aborted) return null;
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** The inode reveals a copied home. */
function markOf({ dir }: Home, session: string): string {
  return `${session} ${statSync(dir).ino}`;
}

/** Without a standby a later renewal suffices. */
async function published(lease: Lease, epoch: string, hasStandby: boolean): Promise<void> {
  try {
    if (await lease.publish(epoch)) return;
  } catch (error) {
    if (!hasStandby) return;
    throw unsure(String(error));
  }
  throw new BosunError('queue', `Bosun did not become active: ${await lease.lost}`);
}

function unsure(problem: string): BosunError {
  return new BosunError('queue', `Cannot find out whether another Bosun is active. ${problem}`, {
    hint: 'With "standby" in config.yaml Bosun needs Redis to start; "bosun up --standby" waits for it.',
  });
}

// Which database a Bosun that takes over goes on with: the one that is here, or the one that is fetched.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { BosunError } from '../../base/index.js';
import type { Home } from '../../config/index.js';
import { checkCopy, lookAtCopy } from '../../store/index.js';
import { isBehind, numberOf } from './epoch.js';
import { leftBehind } from './lease.js';
import { restore } from './restore.js';

export interface Choosing {
  readonly home: Pick<Home, 'dir' | 'dbPath' | 'homeId'>;
  /** The last one that Redis remembers; empty: none. */
  readonly redisEpoch: string;
  readonly restoreLine: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** A database lies in up to three files. */
const parts = ['', '-wal', '-shm'] as const;

/**
 * The copy here is the newest where no later epoch was ever active; else the fetched one takes its place, if it is newer.
 * True: one was fetched, so that there is none that has more than what is here now, although it may lack the last epoch.
 */
export async function chooseDatabase({ home, redisEpoch, restoreLine, env, signal }: Choosing): Promise<boolean> {
  const { dbPath } = home;
  const here = lookAtCopy(dbPath);
  let isFetched = false;
  const isNewest = here !== null && redisEpoch !== '' && !isBehind(here.epoch, redisEpoch);
  if (restoreLine !== null && !isNewest) {
    const fetched = `${dbPath}.restored`;
    remove(fetched);
    const own = { BOSUN_DB: fetched, BOSUN_HOME: home.dir, BOSUN_EPOCH: `${numberOf(redisEpoch)}` };
    await restore({ line: restoreLine, env: { ...env, ...own }, cwd: home.dir, signal });
    isFetched = existsSync(fetched);
    if (isFetched) await putInPlace(home, fetched, { ownEpoch: here?.epoch ?? null, signal });
  }
  requireOwn(home);
  return isFetched;
}

/** Null: it has the last epoch. Else what is lost, in words. */
export function lagOf({ dbPath }: Pick<Home, 'dbPath'>, redisEpoch: string): string | null {
  const own = lookAtCopy(dbPath)?.epoch ?? '';
  if (!isBehind(own, redisEpoch)) return null;
  return `the replica is of epoch ${numberOf(own)} and lacks what has happened since epoch ${numberOf(redisEpoch)} began: it is lost`;
}

/** Throws where another epoch was active since this copy was. */
export function requireNewest({ dbPath }: Pick<Home, 'dbPath'>, redisEpoch: string): void {
  const own = lookAtCopy(dbPath)?.epoch ?? '';
  if (!isBehind(own, redisEpoch)) return;
  throw new BosunError('bad_database', `${dbPath}: ${leftBehind(redisEpoch, own)}`, {
    hint: 'Start the Bosun that was active last, or fetch its database. "bosun up --take-over" goes on with this copy, and what happened since is lost.',
  });
}

async function putInPlace(
  { dbPath, homeId }: Choosing['home'],
  fetched: string,
  { ownEpoch, signal }: { readonly ownEpoch: string | null; readonly signal: AbortSignal },
): Promise<void> {
  const copy = await checkCopy(fetched, signal);
  if (copy.damage !== null) {
    throw new BosunError('bad_database', `What standby.restore fetched is damaged: ${copy.damage}`, {
      hint: `Look at the replica. The copy is ${fetched}; nothing else was changed.`,
    });
  }
  if (copy.homeId !== homeId) throw ofAnotherHome(fetched, copy.homeId, homeId);
  if (ownEpoch !== null && !isBehind(ownEpoch, copy.epoch)) {
    remove(fetched);
    return;
  }
  // What an earlier one left beside it would be played into this one when somebody opens it.
  if (existsSync(dbPath)) remove(`${dbPath}.before`);
  for (const part of parts)
    if (existsSync(`${dbPath}${part}`)) renameSync(`${dbPath}${part}`, `${dbPath}.before${part}`);
  for (const part of parts) if (existsSync(`${fetched}${part}`)) renameSync(`${fetched}${part}`, `${dbPath}${part}`);
}

/** The lease is the home's: with another secret two would be active at once. */
function requireOwn({ dbPath, homeId }: Choosing['home']): void {
  const found = lookAtCopy(dbPath)?.homeId ?? null;
  if (found !== null && found !== homeId) throw ofAnotherHome(dbPath, found, homeId);
}

function ofAnotherHome(path: string, found: string | null, homeId: string): BosunError {
  return new BosunError('bad_database', `${path} is of home ${found ?? 'none'}, and this home is ${homeId}`, {
    hint: 'A standby needs the same file "secret" in its home as the Bosun that it stands by for.',
  });
}

function remove(path: string): void {
  for (const part of parts) rmSync(`${path}${part}`, { force: true });
}

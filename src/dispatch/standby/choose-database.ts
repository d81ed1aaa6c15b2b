// Chooses the database for a takeover: the local one, or the replica's.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { BosunError } from '../../base/index.js';
import type { Home } from '../../config/index.js';
import { checkCopy, lookAtCopy } from '../../store/index.js';
import { isBehind, numberOf } from './epoch.js';
import { leftBehind } from './lease.js';
import { restore } from './restore.js';

export interface Choosing {
  readonly home: Pick<Home, 'dir' | 'dbPath' | 'homeId'>;
  /** '': unknown. */
  readonly redisEpoch: string;
  readonly restoreLine: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const parts = ['', '-wal', '-shm'] as const;

/**
 * Local unless a later epoch was active. True: fetched; no newer copy exists, although this one may lack the last
 * epoch.
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

/** Null: nothing is missing. */
export function lagOf({ dbPath }: Pick<Home, 'dbPath'>, redisEpoch: string): string | null {
  const own = lookAtCopy(dbPath)?.epoch ?? '';
  if (!isBehind(own, redisEpoch)) return null;
  return `the replica is from epoch ${numberOf(own)}; everything since the start of epoch ${numberOf(redisEpoch)} is lost`;
}

export function requireNewest({ dbPath }: Pick<Home, 'dbPath'>, redisEpoch: string): void {
  const own = lookAtCopy(dbPath)?.epoch ?? '';
  if (!isBehind(own, redisEpoch)) return;
  throw new BosunError('bad_database', `${dbPath}: ${leftBehind(redisEpoch, own)}`, {
    hint: 'Start the Bosun that was active last, or fetch its database. "bosun up --take-over" continues with this copy and loses everything since.',
  });
}

async function putInPlace(
  { dbPath, homeId }: Choosing['home'],
  fetched: string,
  { ownEpoch, signal }: { readonly ownEpoch: string | null; readonly signal: AbortSignal },
): Promise<void> {
  const copy = await checkCopy(fetched, signal);
  if (copy.damage !== null) {
    throw new BosunError('bad_database', `The database that standby.restore fetched is damaged: ${copy.damage}`, {
      hint: `Check the replica. The copy is ${fetched}; nothing else changed.`,
    });
  }
  if (copy.homeId !== homeId) throw ofAnotherHome(fetched, copy.homeId, homeId);
  if (ownEpoch !== null && !isBehind(ownEpoch, copy.epoch)) {
    remove(fetched);
    return;
  }
  // SQLite would apply a stale WAL to the backup, so remove all parts first.
  if (existsSync(dbPath)) remove(`${dbPath}.before`);
  for (const part of parts)
    if (existsSync(`${dbPath}${part}`)) renameSync(`${dbPath}${part}`, `${dbPath}.before${part}`);
  for (const part of parts) if (existsSync(`${fetched}${part}`)) renameSync(`${fetched}${part}`, `${dbPath}${part}`);
}

/** The secret keys the lease: with another one two Bosuns could be active. */
function requireOwn({ dbPath, homeId }: Choosing['home']): void {
  const found = lookAtCopy(dbPath)?.homeId ?? null;
  if (found !== null && found !== homeId) throw ofAnotherHome(dbPath, found, homeId);
}

function ofAnotherHome(path: string, found: string | null, homeId: string): BosunError {
  return new BosunError('bad_database', `${path} belongs to home ${found ?? 'none'}, but this home is ${homeId}`, {
    hint: 'A standby needs the same file "secret" in its home as the active Bosun.',
  });
}

function remove(path: string): void {
  for (const part of parts) rmSync(`${path}${part}`, { force: true });
}

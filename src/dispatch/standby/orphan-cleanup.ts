// A standby ends orphans before it waits, because the active Bosun has retried their attempts.
import { existsSync } from 'node:fs';
import { endProcessesOf } from '../../agents/index.js';
import { BosunError } from '../../base/index.js';
import type { Home } from '../../config/index.js';
import { attemptToken, parseWorker } from '../../jobs/index.js';
import { openStore } from '../../store/index.js';
import { endReplicationOf } from './index.js';

const graceMs = 1_500;

/** Workers in other processes end their own orphans. */
export async function endOrphans(home: Pick<Home, 'dir' | 'dbPath' | 'secret'>): Promise<void> {
  const tokens = begunHere(home).map((attempt) => attemptToken(home.secret, attempt));
  await Promise.all([endProcessesOf(tokens, graceMs), endReplicationOf(home.dir)]);
}

function begunHere({ dbPath }: Pick<Home, 'dbPath'>): readonly string[] {
  if (!existsSync(dbPath)) return [];
  try {
    const store = openStore(dbPath, { readonly: true, threads: [] });
    try {
      const own = store.jobs.leased().filter(({ worker }) => parseWorker(worker).kind === 'own');
      return own.map(({ id }) => id);
    } finally {
      store.close();
    }
  } catch (error) {
    // Of an older version or damaged: opening it for work reports that.
    if (error instanceof BosunError) return [];
    throw error;
  }
}

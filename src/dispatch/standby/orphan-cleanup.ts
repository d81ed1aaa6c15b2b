// What a Bosun that was killed left running on this machine. The next one ends it when it settles what was open; one that
// waits for another to end does so before it waits, because that other one has tried it again.
import { existsSync } from 'node:fs';
import { endProcessesOf } from '../../agents/index.js';
import { BosunError } from '../../base/index.js';
import type { Home } from '../../config/index.js';
import { attemptToken, ownWorkerPrefix } from '../../jobs/index.js';
import { openStore } from '../../store/index.js';
import { endReplicationOf } from './index.js';

const graceMs = 1_500;

/** Of workers in processes of their own nothing is ended: they look after theirs. */
export async function endOrphans(home: Pick<Home, 'dir' | 'dbPath' | 'secret'>): Promise<void> {
  const tokens = begunHere(home).map((attempt) => attemptToken(home.secret, attempt));
  await Promise.all([endProcessesOf(tokens, graceMs), endReplicationOf(home.dir)]);
}

function begunHere({ dbPath }: Pick<Home, 'dbPath'>): readonly string[] {
  if (!existsSync(dbPath)) return [];
  try {
    const store = openStore(dbPath, { readonly: true });
    try {
      const own = store.jobs.leased().filter(({ worker }) => worker.startsWith(ownWorkerPrefix));
      return own.map(({ id }) => id);
    } finally {
      store.close();
    }
  } catch (error) {
    // Of an older version, or damaged: whoever opens it to work with it says so.
    if (error instanceof BosunError) return [];
    throw error;
  }
}

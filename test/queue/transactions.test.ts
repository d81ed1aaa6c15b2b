import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Event, emptyEnvelope } from '../../src/engine/index.js';
import { embeddedQueue } from '../../src/queue/index.js';
import { job, recorder } from '../contract/queue-contract.js';
import { batchOf } from '../empty-batch.js';
import { openStore } from '../open-store.js';

const frameBytes = 4_120;

/** The WAL marks the last frame of each transaction. */
function transactionsIn(path: string): number {
  const wal = readFileSync(`${path}-wal`);
  let count = 0;
  for (let at = 32; at + frameBytes <= wal.length; at += frameBytes) if (wal.readUInt32BE(at + 4) > 0) count += 1;
  return count;
}

test('a job takes two transactions besides its insertion: the commit of its start and that of its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-queue-'));
  const path = join(folder, 'bosun.db');
  const store = openStore(path);
  const queue = embeddedQueue({ jobs: store.jobs });
  const seen = recorder();
  const event: Event = { type: 'pause', run: 'r1', chain: '', at: 1, by: 'ada' };
  const jobs = Array.from({ length: 20 }, (_, at) => job(`j${at}`, { checkout: '/x' }));
  onTestFinished(async () => {
    await queue.close();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  queue.listen({
    ...seen,
    async started() {
      store.commit(batchOf({ events: [event] }));
      return true;
    },
    async finished(id, envelope) {
      store.commit(batchOf({ events: [event] }));
      await seen.finished(id, envelope);
    },
  });
  queue.work({ name: 'w1', concurrency: 1, run: async () => emptyEnvelope });
  const before = transactionsIn(path);
  await queue.add(jobs);
  await seen.saw('finished j19');
  await expect.poll(() => store.jobs.known()).toEqual([]);
  // One inserted the jobs, and one wrote the last end.
  expect(transactionsIn(path) - before).toBe(2 * jobs.length + 2);
});

// A commit that writes nothing but what a test hands in.
import type { Batch } from '../src/store/store.js';

const nothing: Batch = {
  ...{ events: [], states: [], snapshots: [], jobs: [], cancels: [], extensions: [], messages: [], threads: [] },
  ...{ follows: [], inboxDone: [], records: [], spent: [], calls: [], wants: [], wantsDone: [], outage: null },
};

export function batchOf(patch: Partial<Batch> = {}): Batch {
  return { ...nothing, ...patch };
}

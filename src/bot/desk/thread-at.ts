import { placedThread, type Thread } from '../../dispatch/index.js';

/** The place that a thread's id names, where nothing was ever written down about it; the local channel's, if none. */
export function threadAt(id: string): Thread {
  return placedThread(id, null) ?? { id, channel: 'local', address: {}, project: null, quiet: false };
}

import { placedThread, type Thread } from '../../store/index.js';

/** The place that a thread's id names, where nothing was ever written down about it; the terminal's or the page's, if none. */
export function threadAt(id: string): Thread {
  const channel = /^web(-|$)/.test(id) ? 'web' : 'local';
  return placedThread(id, null) ?? { id, channel, address: {}, project: null, quiet: false };
}

import type { Entry } from '../connection/stream-reader.js';
import { parseTold, parseUp, type WorkerMessage } from '../protocol/messages.js';
import { isSession, type Names } from '../protocol/redis-keys.js';
import type { JobRegistry } from './job-registry.js';
import type { RemoteRequests } from './remote-requests.js';
import type { WorkerList } from './worker-list.js';

export interface HearingParts {
  readonly names: Names;
  readonly workerList: WorkerList;
  readonly hands: JobRegistry;
  readonly errands: RemoteRequests;
  readonly redisNow: () => number;
  readonly watch: (work: Promise<unknown>) => void;
}

/** Share of its patience after which a worker's question is expired. */
const stillAsking = 0.8;

export function hear(parts: HearingParts, entry: Entry): void {
  const { names, workerList, hands, redisNow } = parts;
  if (entry.stream === names.told) {
    const told = parseTold(entry.message);
    if (told !== null) hands.progress(told.id, entry.from, told.progress);
    return;
  }
  const up = isSession(entry.from) ? parseUp(entry.message) : null;
  if (up === null) return;
  workerList.hear(entry.from, up, Math.max(0, redisNow() - entry.at));
  act(parts, up, entry);
}

function act({ hands, errands, redisNow, watch }: HearingParts, up: WorkerMessage, { from, at }: Entry): void {
  if (up.type === 'beat') hands.hear(from, up);
  else if (up.type === 'bye') watch(hands.leave(from));
  else if (up.type === 'result') watch(hands.result({ id: up.id, session: from }, up.written));
  else if (up.type === 'ended') watch(hands.ended(up.id, from));
  else if (up.type === 'fetch' || up.type === 'call') watch(errands.hear(up, from));
  // Expired: the worker gave the job back and will ask again.
  else if (up.type === 'ask' && redisNow() - at < up.patienceMs * stillAsking) watch(hands.ask(up.id, from, up.name));
}

// What workers say, on its way to those whom it concerns.

import type { Entry } from '../connection/stream-reader.js';
import { parseTold, parseUp, type WorkerMessage } from '../protocol/messages.js';
import { isSession, type Names } from '../protocol/redis-keys.js';
import type { JobRegistry } from './job-registry.js';
import type { RemoteRequests } from './remote-requests.js';
import type { WorkerList } from './worker-list.js';

export interface HearingParts {
  readonly names: Names;
  readonly crew: WorkerList;
  readonly hands: JobRegistry;
  readonly errands: RemoteRequests;
  /** By the clock of Redis. */
  readonly redisNow: () => number;
  readonly watch: (work: Promise<unknown>) => void;
}

/** The part of a worker's patience after which its question counts as given up: the answer has a way to go, too. */
const stillAsking = 0.8;

export function hear(parts: HearingParts, entry: Entry): void {
  const { names, crew, hands, redisNow } = parts;
  if (entry.stream === names.told) {
    const told = parseTold(entry.message);
    if (told !== null) hands.progress(told.id, entry.from, told.progress);
    return;
  }
  const up = isSession(entry.from) ? parseUp(entry.message) : null;
  if (up === null) return;
  crew.hear(entry.from, up, Math.max(0, redisNow() - entry.at));
  act(parts, up, entry);
}

function act({ hands, errands, redisNow, watch }: HearingParts, up: WorkerMessage, { from, at }: Entry): void {
  if (up.type === 'beat') hands.hear(from, up);
  else if (up.type === 'result') watch(hands.result({ id: up.id, session: from }));
  else if (up.type === 'ended') watch(hands.ended(up.id, from));
  else if (up.type === 'fetch' || up.type === 'call') watch(errands.hear(up, from));
  // Told to begin now, one that has waited for too long would not: it has given the job back, and comes again.
  else if (up.type === 'ask' && redisNow() - at < up.patienceMs * stillAsking) watch(hands.ask(up.id, from, up.name));
}

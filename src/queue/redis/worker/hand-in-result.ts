// Stores the envelope in Redis, then sends a message. Retries for ten minutes.
import type { Redis } from 'ioredis';
import type { QueueClock } from '../../../base/index.js';
import type { Envelope } from '../../../engine/index.js';
import type { ClaimedJob } from '../../claimed-job.js';
import type { Problems } from '../connection/problems.js';
import { maxWrittenChars, type WorkerMessage } from '../protocol/messages.js';
import type { Names } from '../protocol/redis-keys.js';
import { fieldOf, writtenResult } from '../protocol/results.js';

export interface HandInOptions {
  readonly redis: Redis;
  readonly names: Names;
  readonly session: string;
  readonly clock: QueueClock;
  readonly problems: Problems;
  readonly say: (up: WorkerMessage) => Promise<void>;
  readonly isGone: () => boolean;
}

const keepTryingMs = 600_000;
const tryAgainMs = 500;

export async function handIn(options: HandInOptions, held: ClaimedJob, envelope: Envelope): Promise<void> {
  const { clock, problems, say, isGone } = options;
  const written = writtenResult(held.worker, envelope);
  const until = clock.steady() + keepTryingMs;
  for (;;) {
    try {
      // Settled elsewhere: only its cost counts, and that the checkout is free.
      if (held.isLost && envelope.costUsd === null) await say({ type: 'ended', id: held.id });
      else await putResult(options, held.id, written);
      return;
    } catch (error) {
      problems.note(error);
      if (isGone() || clock.steady() > until) return;
      await new Promise<void>((resolve) => clock.after(tryAgainMs, resolve));
    }
  }
}

async function putResult({ redis, names, session, say }: HandInOptions, id: string, written: string): Promise<void> {
  const put = redis.hset(names.results, fieldOf({ id, session }), written);
  // One connection keeps the order: result before message, both after earlier messages.
  const isSmall = written.length <= maxWrittenChars;
  await Promise.all([put, say({ type: 'result', id, ...(isSmall && { written }) })]);
}

import { isRunOver, type LiveAttempt } from '../../engine/index.js';
import type { Spine } from '../../store/index.js';
import { type Activity, awaitedBy } from '../plans/activity.js';

export type Health = 'running' | 'quiet' | 'waiting' | 'stalled' | 'idle';

export interface HealthParts {
  readonly at: number;
  readonly lastSign: (attempt: string) => Activity | null;
  readonly stallAfterMs: number;
}

const quietAfterMs = 60_000;
const unheardAfterMs = 5 * 60_000;

export function healthOf(spine: Spine | null, parts: HealthParts): Health {
  if (!spine || isRunOver(spine.run.status)) return 'idle';
  const { run, interactions } = spine;
  if (run.live.length > 0) {
    const awaited = new Set(interactions.map(awaitedBy));
    return worstOf(run.live.map((live) => (awaited.has(live.attempt) ? 'waiting' : healthOfAttempt(live, parts))));
  }
  if (run.ops.length > 0) return 'running';
  if (interactions.length > 0 || run.held || run.status === 'paused' || run.status === 'failed') return 'waiting';
  return run.status === 'draft' ? 'waiting' : 'stalled';
}

function healthOfAttempt({ attempt, startedAt }: LiveAttempt, { at, lastSign, stallAfterMs }: HealthParts): Health {
  if (startedAt === null) return 'waiting';
  const sign = lastSign(attempt);
  if (sign === null) return at - startedAt > unheardAfterMs ? 'quiet' : 'running';
  if (sign.silentMs >= stallAfterMs) return 'stalled';
  return sign.silentMs >= quietAfterMs ? 'quiet' : 'running';
}

function worstOf(all: readonly Health[]): Health {
  return (['stalled', 'running', 'quiet'] as const).find((one) => all.includes(one)) ?? 'waiting';
}

// An interrupted try's changes belong to the next one.
import type { AttemptRow, Store } from '../../store/index.js';
import { type Checkpoint, checkpointSchema } from '../../workspace/index.js';

/** From the first of the interrupted tries right before this one. */
export function checkpointBeforeInterruption(
  store: Pick<Store, 'attempt' | 'attempts'>,
  attempt: string,
): Checkpoint | null {
  const row = store.attempt(attempt);
  const tries = row ? store.attempts(row.run, row.node) : [];
  let first: string | null = null;
  const own = tries.findIndex((one) => one.attempt.id === attempt);
  for (const one of tries.slice(0, Math.max(0, own)).toReversed()) {
    if (!isInterrupted(one) || one.attempt.generation !== row?.attempt.generation) break;
    first = one.checkpoint ?? first;
  }
  return first === null ? null : checkpointSchema.parse(JSON.parse(first));
}

export function checkpointBefore(store: Pick<Store, 'attempt' | 'attempts'>, attempt: string): Checkpoint | null {
  const own = store.attempt(attempt)?.checkpoint ?? null;
  return (
    checkpointBeforeInterruption(store, attempt) ?? (own === null ? null : checkpointSchema.parse(JSON.parse(own)))
  );
}

export function isInterrupted({ attempt }: AttemptRow): boolean {
  return attempt.outcome === 'crashed' && attempt.reason === 'interrupted';
}

// A try is judged by the total: an earlier try's forbidden change counts until reverted.

import type { Store } from '../../store/index.js';
import type { EarlierTries } from '../../worker/index.js';
import { checkpointSchema } from '../../workspace/index.js';

const maxTries = 100;

/** Null: a first try, or no earlier changes. */
export function earlierTries(store: Pick<Store, 'attempt' | 'attempts'>, attempt: string): EarlierTries | null {
  const row = store.attempt(attempt);
  if (!row) return null;
  const all = store.attempts(row.run, row.node);
  const own = all.findIndex((one) => one.attempt.id === attempt);
  const tries = all
    .slice(Math.max(0, own - maxTries), Math.max(0, own))
    .filter((one) => one.attempt.generation === row.attempt.generation);
  const first = tries.find((one) => one.checkpoint !== null)?.checkpoint ?? null;
  const files = [...new Set(tries.flatMap((one) => one.attempt.filesChanged))];
  if (first === null || files.length === 0) return null;
  return { before: checkpointSchema.parse(JSON.parse(first)), files };
}

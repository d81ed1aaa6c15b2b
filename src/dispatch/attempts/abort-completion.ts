// A run that was aborted while workers in other processes were at work for it: their agents end once they hear of it, and
// only then nothing runs.
import { ownWorkerPrefix } from '../../jobs/index.js';
import type { AttemptRow, NewMessage, Store } from '../../store/index.js';
import type { PlanContext } from '../plans/plan.js';
import type { Presenter } from '../plans/presenter.js';
import { isExternal } from './external-attempts.js';

/** Workers in other processes that are at work for a run. */
export function remoteWorkersOf(store: Pick<Store, 'openAttempts'>, run: string): readonly string[] {
  const rows = store.openAttempts().filter((row) => row.run === run && isAfar(row));
  return [...new Set(rows.flatMap(({ attempt }) => attempt.worker ?? []))].sort();
}

/** To be told when this attempt has ended; nothing, unless it was the last one of an aborted run. */
export function abortCompleted(
  now: PlanContext,
  row: AttemptRow,
  isLost: boolean,
  present: Pick<Presenter, 'abortHeard'>,
): readonly NewMessage[] {
  const { run, attempt } = row;
  const spine = isAfar(row) ? now.spine(run) : null;
  if (spine?.run.status !== 'cancelled') return [];
  const others = now.store.openAttempts().filter((one) => one.run === run && one.attempt.id !== attempt.id);
  const chain = now.chain(run, '');
  if (chain === null || others.some(isAfar)) return [];
  const worker = attempt.worker ?? '';
  return present.abortHeard({ state: { ...spine, chain }, worker, isLost, followers: now.followers(run), at: now.at });
}

function isAfar(row: AttemptRow): boolean {
  const { state, worker } = row.attempt;
  return state === 'running' && worker !== null && !worker.startsWith(ownWorkerPrefix) && !isExternal(row);
}

// Reports that an aborted run has stopped, once its last remote worker confirms.
import { parseWorker } from '../../jobs/index.js';
import type { AttemptRow, NewMessage, Store } from '../../store/index.js';
import type { PlanContext } from '../plans/plan.js';
import type { Presenter } from '../plans/presenter.js';
import { CardsOfRun } from '../plans/run-cards.js';

export function remoteWorkersOf(store: Pick<Store, 'openAttempts'>, run: string): readonly string[] {
  const rows = store.openAttempts().filter((row) => row.run === run && isAfar(row));
  return [...new Set(rows.flatMap(({ attempt }) => attempt.worker ?? []))].sort();
}

/** Empty unless this was the last remote attempt of an aborted run. */
export function abortCompleted(
  now: PlanContext,
  row: AttemptRow,
  isLost: boolean,
  present: Pick<Presenter, 'abortHeard'>,
): readonly NewMessage[] {
  const { run, attempt } = row;
  const spine = isAfar(row) ? now.spine(run) : null;
  if (spine?.run.status !== 'cancelled') return [];
  const others = now.reader.openAttempts().filter((one) => one.run === run && one.attempt.id !== attempt.id);
  const chain = now.chain(run, '');
  if (chain === null || others.some(isAfar)) return [];
  const worker = attempt.worker ?? '';
  const heard = { worker, isLost, followers: now.followers(run), cards: new CardsOfRun(now, spine.run), at: now.at };
  return present.abortHeard({ ...heard, state: { ...spine, chain } });
}

function isAfar(row: AttemptRow): boolean {
  const { state, worker } = row.attempt;
  return state === 'running' && worker !== null && parseWorker(worker).kind === 'remote';
}

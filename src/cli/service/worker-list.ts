import { isSilent, type LivenessCheck } from '../../dispatch/index.js';
import type { RedisLook, SeenWorker } from '../../queue/index.js';

export interface WorkerJson {
  readonly name: string;
  readonly host: string;
  readonly away: boolean;
  readonly running: number;
  readonly slots: number;
  readonly seen_at: string;
  /** No heartbeat within a lease: it may be dead. */
  readonly silent: boolean;
  readonly draining: boolean;
}

export function workersJson({ workers }: RedisLook, watch: LivenessCheck): readonly WorkerJson[] {
  return inOrder(workers).map(({ name, host, isAway, runs, slots, at, isDraining }) => ({
    ...{ name, host, away: isAway, running: runs, slots },
    seen_at: new Date(at).toISOString(),
    silent: isSilent(at, watch),
    draining: isDraining,
  }));
}

export function workersText({ workers }: RedisLook, watch: LivenessCheck): string {
  if (workers.length === 0) return 'Workers: none running';
  return ['Workers', ...inOrder(workers).map((one) => `  ${workerLine(one, watch)}`)].join('\n');
}

export function workerLine(worker: SeenWorker, watch: LivenessCheck): string {
  const { name, host, isAway, runs, slots, at, bosun, isForeign, isDraining } = worker;
  const where = host === '' || host === name ? '' : ` on ${host}`;
  const version = bosun === '' ? 'another version' : `version ${bosun}`;
  const odd = `${isAway ? ", without access to the home's disk" : ''}${isForeign ? `, of ${version}` : ''}`;
  const silentS = agoS(watch.at - at);
  const sign = isSilent(at, watch) ? `no heartbeat for ${silentS} s` : `heartbeat ${silentS} s ago`;
  return `${name}${where}${odd}: ${runs} of ${slots} slots busy${isDraining ? ', shutting down' : ''}, ${sign}`;
}

function inOrder(workers: readonly SeenWorker[]): readonly SeenWorker[] {
  return workers.toSorted((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1));
}

function agoS(ms: number): number {
  return Math.max(0, Math.round(ms / 1_000));
}

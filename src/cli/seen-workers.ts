// The workers that gave a sign in Redis lately, as commands name them.
import type { RedisLook, SeenWorker } from '../dispatch/index.js';

export interface WorkerJson {
  readonly name: string;
  /** The machine that it is on; empty: it does not tell. */
  readonly host: string;
  /** It has not the disk of the home. */
  readonly away: boolean;
  readonly running: number;
  readonly slots: number;
  readonly seen_at: string;
}

export function workersJson({ workers }: RedisLook): readonly WorkerJson[] {
  return inOrder(workers).map(({ name, host, isAway, runs, slots, at }) => ({
    ...{ name, host, away: isAway, running: runs, slots },
    seen_at: new Date(at).toISOString(),
  }));
}

export function workersText({ workers }: RedisLook, now: number): string {
  if (workers.length === 0) return 'Workers: none gave a sign lately';
  return ['Workers', ...inOrder(workers).map((one) => `  ${workerLine(one, now)}`)].join('\n');
}

export function workerLine({ name, host, isAway, runs, slots, at, bosun, isForeign }: SeenWorker, now: number): string {
  const where = host === '' || host === name ? '' : ` on ${host}`;
  const version = bosun === '' ? 'another version' : `version ${bosun}`;
  const odd = `${isAway ? ', without the disk of the home' : ''}${isForeign ? `, of ${version}` : ''}`;
  return `${name}${where}${odd}: ${runs} of ${slots} at work, ${agoS(now - at)} s ago`;
}

function inOrder(workers: readonly SeenWorker[]): readonly SeenWorker[] {
  return workers.toSorted((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1));
}

function agoS(ms: number): number {
  return Math.max(0, Math.round(ms / 1_000));
}

import type { Envelope } from '../../engine/index.js';
import { homeDisk } from '../../jobs/index.js';
import type { ListedWorker } from '../../queue/index.js';

export interface WorkerStatus {
  readonly name: string;
  readonly seenAt: number;
  readonly load?: { readonly running: number; readonly slots: number };
  /** Absent for Bosun's own worker without Redis. */
  readonly self?: WorkerInfo;
}

export interface WorkerInfo {
  readonly host: string;
  readonly isAway: boolean;
  readonly can: readonly string[];
  readonly version: string;
  readonly isForeign: boolean;
  readonly isDraining: boolean;
  readonly runs: readonly string[];
}

export interface LivenessCheck {
  readonly at: number;
  readonly leaseMs: number;
}

/** No heartbeat within a lease: its jobs go to others. */
export function isSilent(seenAt: number, { at, leaseMs }: LivenessCheck): boolean {
  return at - seenAt > leaseMs;
}

/** `self` absent: only heartbeats are known. */
export function isTaking(
  seenAt: number,
  self: Pick<WorkerInfo, 'isForeign' | 'isDraining'> | undefined,
  watch: LivenessCheck,
): boolean {
  return !isSilent(seenAt, watch) && self?.isForeign !== true && self?.isDraining !== true;
}

/** Of the worker that lacks the fewest; null: no workers. */
export function lackingOf(
  taking: readonly Pick<WorkerStatus, 'self'>[],
  needs: readonly string[],
): readonly string[] | null {
  return taking.map(({ self }) => missingOf(self, needs)).sort((a, b) => a.length - b.length)[0] ?? null;
}

function missingOf(self: WorkerInfo | undefined, needs: readonly string[]): readonly string[] {
  if (self === undefined) return [];
  return needs.filter((need) => !self.can.includes(need) && (need !== homeDisk || self.isAway));
}

/** Equal names get their session. */
export function workerStatuses(workers: readonly ListedWorker[]): readonly WorkerStatus[] {
  const isAlone = (name: string) => workers.filter((one) => one.name === name).length === 1;
  return workers.map(({ name, session, heardAt, runs, slots, host, isAway, can, bosun, isForeign, isDraining }) => ({
    name: isAlone(name) ? name : `${name} (${session.slice(-4)})`,
    seenAt: heardAt,
    load: { running: runs.length, slots },
    self: { host, isAway, can, version: bosun, isForeign, isDraining, runs },
  }));
}

/** A silent worker, or one that is alive but lost the job. */
export function lossWords(
  worker: string,
  workers: readonly ListedWorker[],
  { at, leaseMs }: { readonly at: number; readonly leaseMs: number },
): string {
  const sessions = workers.filter(({ name }) => name === worker);
  const silentMs = at - Math.max(0, ...sessions.map(({ heardAt }) => heardAt));
  if (sessions.length === 0) return `It was interrupted: its worker ${worker} stopped sending heartbeats.`;
  if (silentMs < leaseMs) return `It was interrupted: Redis or its worker ${worker} lost the job.`;
  return `It was interrupted: its worker ${worker} sent no heartbeat for ${Math.round(silentMs / 1_000)} s.`;
}

/** An old worker may not name itself. */
export function withWorker(envelope: Envelope, worker: string | null, workers: readonly ListedWorker[]): Envelope {
  const { fault } = envelope;
  if (fault === null || worker === null || !unread.has(fault.code)) return envelope;
  const hosts = workers.flatMap(({ name, host }) => (name === worker && host !== '' && host !== name ? [host] : []));
  const where = hosts[0] === undefined ? '' : ` on ${hosts[0]}`;
  return { ...envelope, fault: { ...fault, message: `${fault.message} The worker is ${worker}${where}.` } };
}

const unread: ReadonlySet<string> = new Set(['worker_version', 'worker_job']);

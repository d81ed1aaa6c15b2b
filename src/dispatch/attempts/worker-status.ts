// Worker status: identity, heartbeat, liveness and capabilities.

import type { Envelope } from '../../engine/index.js';
import { homeDisk } from '../../jobs/index.js';
import type { ListedWorker } from '../../queue/index.js';

export interface WorkerStatus {
  readonly name: string;
  readonly seenAt: number;
  /** Running jobs and capacity; absent: not known. */
  readonly load?: { readonly running: number; readonly slots: number };
  /** The worker's self-description; absent for the worker in Bosun's own process without Redis. */
  readonly self?: WorkerInfo;
}

export interface WorkerInfo {
  /** Host name; empty: not reported. */
  readonly host: string;
  /** It has no access to the home's disk. */
  readonly isAway: boolean;
  readonly can: readonly string[];
  /** Bosun's version on the worker; empty: not reported. */
  readonly version: string;
  /** It speaks another protocol version, so jobs that it takes are refused. */
  readonly isForeign: boolean;
  /** It is shutting down: it finishes its jobs and takes no more. */
  readonly isDraining: boolean;
  readonly runs: readonly string[];
}

/** The present time, and the age at which a heartbeat is stale. */
export interface LivenessCheck {
  readonly at: number;
  readonly leaseMs: number;
}

/** Possibly dead: its last heartbeat is older than a lease, so its jobs are given to others. */
export function isSilent(seenAt: number, { at, leaseMs }: LivenessCheck): boolean {
  return at - seenAt > leaseMs;
}

/** Whether it would take a job now. `self`: absent if only its heartbeats are known. */
export function isTaking(
  seenAt: number,
  self: Pick<WorkerInfo, 'isForeign' | 'isDraining'> | undefined,
  watch: LivenessCheck,
): boolean {
  return !isSilent(seenAt, watch) && self?.isForeign !== true && self?.isDraining !== true;
}

/** The fewest needs that any one worker lacks; null: there are no workers. */
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

/** Workers of the same name are distinguished by session. */
export function workerStatuses(workers: readonly ListedWorker[]): readonly WorkerStatus[] {
  const isAlone = (name: string) => workers.filter((one) => one.name === name).length === 1;
  return workers.map(({ name, session, heardAt, runs, slots, host, isAway, can, bosun, isForeign, isDraining }) => ({
    name: isAlone(name) ? name : `${name} (${session.slice(-4)})`,
    seenAt: heardAt,
    load: { running: runs.length, slots },
    self: { host, isAway, can, version: bosun, isForeign, isDraining, runs },
  }));
}

/** Why an attempt was lost: its worker went silent, or it is alive but no longer holds the job. */
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

/** Names the worker in errors of unreadable jobs, because an old worker may not name itself. */
export function withWorker(envelope: Envelope, worker: string | null, workers: readonly ListedWorker[]): Envelope {
  const { fault } = envelope;
  if (fault === null || worker === null || !unread.has(fault.code)) return envelope;
  const hosts = workers.flatMap(({ name, host }) => (name === worker && host !== '' && host !== name ? [host] : []));
  const where = hosts[0] === undefined ? '' : ` on ${hosts[0]}`;
  return { ...envelope, fault: { ...fault, message: `${fault.message} The worker is ${worker}${where}.` } };
}

const unread: ReadonlySet<string> = new Set(['worker_version', 'worker_job']);

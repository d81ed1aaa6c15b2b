// Workers as others see them: who they are, when they last gave a sign, from when on that is too long ago, and what they
// can do.

import type { Envelope } from '../../engine/index.js';
import { homeDisk } from '../../jobs/index.js';
import type { ListedWorker } from '../../queue/index.js';

/** A worker, and when it was last known to be alive. */
export interface WorkerStatus {
  readonly name: string;
  readonly seenAt: number;
  /** What it has, and how much it would take; left out: not known. */
  readonly load?: { readonly running: number; readonly slots: number };
  /** What a worker tells of itself; left out for the one in Bosun's own process without Redis. */
  readonly self?: WorkerInfo;
}

export interface WorkerInfo {
  /** The machine that it is on; empty: it does not tell. */
  readonly host: string;
  /** It has not the home's disk. */
  readonly isAway: boolean;
  readonly can: readonly string[];
  /** Of the program; empty: it does not tell. */
  readonly version: string;
  /** It speaks another version of the protocol: what it takes is refused. */
  readonly isForeign: boolean;
  /** It takes no more, and ends when what it runs has. */
  readonly isDraining: boolean;
  /** The attempts that it runs. */
  readonly runs: readonly string[];
}

/** When one looks, and after how long a worker without a sign counts as dead. */
export interface LivenessCheck {
  readonly at: number;
  readonly leaseMs: number;
}

/** It may be dead: a lease has passed since its last sign, and what it was at is given to others. */
export function isSilent(seenAt: number, { at, leaseMs }: LivenessCheck): boolean {
  return at - seenAt > leaseMs;
}

/** Whether it would take a job now; `self`: left out where nothing is known of it but its signs. */
export function isTaking(
  seenAt: number,
  self: Pick<WorkerInfo, 'isForeign' | 'isDraining'> | undefined,
  watch: LivenessCheck,
): boolean {
  return !isSilent(seenAt, watch) && self?.isForeign !== true && self?.isDraining !== true;
}

/** What of this none of them can do together with the rest; null: there is nobody. */
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

/** Those of one name are told apart by their sessions. */
export function signsOf(crew: readonly ListedWorker[]): readonly WorkerStatus[] {
  const isAlone = (name: string) => crew.filter((one) => one.name === name).length === 1;
  return crew.map(({ name, session, heardAt, runs, slots, host, isAway, can, bosun, isForeign, isDraining }) => ({
    name: isAlone(name) ? name : `${name} (${session.slice(-4)})`,
    seenAt: heardAt,
    load: { running: runs.length, slots },
    self: { host, isAway, can, version: bosun, isForeign, isDraining, runs },
  }));
}

// Which worker had an attempt, in what people are told of its end.
/** Why an attempt is lost: its worker was silent, or only had nothing of it any more. */
export function lossWords(
  worker: string,
  crew: readonly ListedWorker[],
  { at, leaseMs }: { readonly at: number; readonly leaseMs: number },
): string {
  const heard = crew.filter(({ name }) => name === worker);
  const silentMs = at - Math.max(0, ...heard.map(({ heardAt }) => heardAt));
  if (heard.length === 0) return `It was interrupted: its worker ${worker} gives no sign any more.`;
  if (silentMs < leaseMs) return `It was interrupted: Redis or its worker ${worker} had lost it.`;
  return `It was interrupted: its worker ${worker} gave no sign for ${Math.round(silentMs / 1_000)} s.`;
}

/** A worker that could not read a job may be too old to name itself. */
export function withWorker(envelope: Envelope, worker: string | null, crew: readonly ListedWorker[]): Envelope {
  const { fault } = envelope;
  if (fault === null || worker === null || !unread.has(fault.code)) return envelope;
  const hosts = crew.flatMap(({ name, host }) => (name === worker && host !== '' && host !== name ? [host] : []));
  const where = hosts[0] === undefined ? '' : ` on ${hosts[0]}`;
  return { ...envelope, fault: { ...fault, message: `${fault.message} It was the worker ${worker}${where}.` } };
}

const unread: ReadonlySet<string> = new Set(['worker_version', 'worker_job']);

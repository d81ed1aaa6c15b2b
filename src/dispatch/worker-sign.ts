import type { CrewMember } from './queue/index.js';

/** A worker, and when it was last known to be alive. */
export interface WorkerSign {
  readonly name: string;
  readonly seenAt: number;
  /** What it has, and how much it would take; left out: not known. */
  readonly load?: { readonly running: number; readonly slots: number };
  /** What a worker tells of itself; left out for the one in Bosun's own process without Redis. */
  readonly self?: WorkerSelf;
}

export interface WorkerSelf {
  /** The machine that it is on; empty: it does not tell. */
  readonly host: string;
  /** It has not the home's disk. */
  readonly isAway: boolean;
  readonly can: readonly string[];
  /** Of the program; empty: it does not tell. */
  readonly version: string;
  /** It speaks another version of the protocol: what it takes is refused. */
  readonly isForeign: boolean;
  /** The attempts that it runs. */
  readonly runs: readonly string[];
}

/** Those of one name are told apart by their sessions. */
export function signsOf(crew: readonly CrewMember[]): readonly WorkerSign[] {
  const isAlone = (name: string) => crew.filter((one) => one.name === name).length === 1;
  return crew.map(({ name, session, heardAt, runs, slots, host, isAway, can, bosun, isForeign }) => ({
    name: isAlone(name) ? name : `${name} (${session.slice(-4)})`,
    seenAt: heardAt,
    load: { running: runs.length, slots },
    self: { host, isAway, can, version: bosun, isForeign, runs },
  }));
}

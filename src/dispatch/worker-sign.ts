import type { CrewMember } from './queue/index.js';

/** A worker, and when it was last known to be alive. */
export interface WorkerSign {
  readonly name: string;
  readonly seenAt: number;
  /** What it has, and how much it would take; left out: not known. */
  readonly load?: { readonly running: number; readonly slots: number };
}

/** Those of one name are told apart by their sessions. */
export function signsOf(crew: readonly CrewMember[]): readonly WorkerSign[] {
  const isAlone = (name: string) => crew.filter((one) => one.name === name).length === 1;
  return crew.map(({ name, session, heardAt, runs, slots }) => ({
    name: isAlone(name) ? name : `${name} (${session.slice(-4)})`,
    seenAt: heardAt,
    load: { running: runs.length, slots },
  }));
}

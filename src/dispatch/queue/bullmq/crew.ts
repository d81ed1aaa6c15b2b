// Workers, as far as they are heard: who they are, what they can do, what they have, and when they last gave a sign.
import { protocolVersion, type Up } from './messages.js';

export interface CrewMember {
  readonly session: string;
  readonly name: string;
  readonly can: readonly string[];
  readonly slots: number;
  readonly runs: readonly string[];
  /** The machine that it is on, and whether it lacks the home's disk. */
  readonly host: string;
  readonly isAway: boolean;
  /** The version of the program. */
  readonly bosun: string;
  /** It speaks another version of the protocol: jobs that it takes are refused. */
  readonly isForeign: boolean;
  readonly heardAt: number;
}

/** Silent ones are shown that many leases long. */
const shownForLeases = 8;
const most = 1_000;

export class Crew {
  readonly #members = new Map<string, CrewMember>();
  readonly #now: () => number;
  readonly #leaseMs: number;

  constructor(now: () => number, leaseMs: number) {
    this.#now = now;
    this.#leaseMs = leaseMs;
  }

  hear(session: string, up: Up): void {
    if (up.type === 'bye') this.#members.delete(session);
    if (up.type !== 'beat' || (this.#members.size >= most && !this.#members.has(session))) return;
    const { type: _, version, ...said } = up;
    const isForeign = version !== protocolVersion;
    this.#members.set(session, { session, ...said, isForeign, heardAt: this.#now() });
  }

  present(): readonly CrewMember[] {
    const since = this.#now() - this.#leaseMs * shownForLeases;
    for (const [session, { heardAt }] of this.#members) if (heardAt < since) this.#members.delete(session);
    return [...this.#members.values()];
  }
}

// Names of keys in Redis. All of them begin with the home's id, so that several homes can share a server.
import { randomBytes } from 'node:crypto';

export interface Names {
  /** BullMQ's prefix for its queue names. */
  readonly prefix: string;
  /** Control messages from workers. */
  readonly up: string;
  /** Progress from workers; its oldest entries may be dropped. */
  readonly told: string;
  /** Envelopes that Bosun has not committed yet, by attempt and session. */
  readonly results: string;
  /** All sets of needs seen so far, from which workers learn the queues. */
  readonly needs: string;
  readonly alive: string;
  /** The active Bosun; expires unless renewed. */
  readonly lease: string;
  /** The highest epoch ever used. */
  readonly epoch: string;
  /** A worker's description, kept while its heartbeats arrive. */
  worker(session: string): string;
  /** Messages to one worker. */
  down(session: string): string;
  queue(needs: string): string;
}

export function namesOf(home: string): Names {
  const base = `bosun-${home}`;
  return {
    prefix: 'bull',
    up: `${base}:up`,
    told: `${base}:told`,
    results: `${base}:results`,
    needs: `${base}:needs`,
    alive: `${base}:alive`,
    lease: `${base}:lease`,
    epoch: `${base}:epoch`,
    worker: (session) => `${base}:worker:${session}`,
    down: (session) => `${base}:down:${session}`,
    queue: (needs) => `${base}-${needs === '' ? anyNeeds : needs}`,
  };
}

/** A worker name that is unique to one instance. */
export function newSession(): string {
  return `w-${randomBytes(8).toString('hex')}`;
}

export function isSession(said: string): boolean {
  return /^w-[\w-]{1,60}$/.test(said);
}

/** The name of the empty set of needs. */
export const anyNeeds = 'any';

/** Eight for an executor's needs, one for the home's disk. */
const mostNeeds = 9;
const maxNeedChars = 40;

/** A key for a set of needs, independent of order; empty if any worker will do. */
export function needsKey(needs: readonly string[]): string {
  return [...new Set(needs.map(asTag))].sort().slice(0, mostNeeds).join('+');
}

/** Replaces characters that a Redis name cannot hold by dashes: a job that no worker can do must not block others. */
export function asTag(need: string): string {
  const tag = need.toLowerCase().replace(/[^a-z0-9._-]/g, '-');
  return tag === '' ? '-' : tag.slice(0, maxNeedChars);
}

export function canServe(key: string, can: ReadonlySet<string>): boolean {
  return key === '' || key.split('+').every((one) => can.has(one));
}

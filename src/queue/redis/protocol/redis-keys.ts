// What things are called in Redis. All of one home begins alike, so that several homes may share a server.
import { randomBytes } from 'node:crypto';

export interface Names {
  /** What BullMQ puts before the names of its queues. */
  readonly prefix: string;
  /** Control messages of workers. */
  readonly up: string;
  /** What workers tell while they work; the oldest of it may be dropped. */
  readonly told: string;
  /** Envelopes that Bosun has not committed yet, by attempt and session. */
  readonly results: string;
  /** Sets of needs that jobs have had, for workers to know which queues there are. */
  readonly needs: string;
  /** Set for as long as a Bosun lives. */
  readonly alive: string;
  /** Who is the active Bosun, for as long as it says so. */
  readonly lease: string;
  /** The highest epoch that ever was. */
  readonly epoch: string;
  /** What a worker is and has, kept for as long as it gives signs. */
  worker(session: string): string;
  /** Messages for one worker. */
  down(session: string): string;
  /** BullMQ's queue for jobs with these needs. */
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

/** A worker's name for one life of it. */
export function newSession(): string {
  return `w-${randomBytes(8).toString('hex')}`;
}

export function isSession(said: string): boolean {
  return /^w-[\w-]{1,60}$/.test(said);
}

/** How the set of no needs is called. */
export const anyNeeds = 'any';

/** Those that an executor may have, and the home's disk. */
const mostNeeds = 9;
const maxNeedChars = 40;

/** One word for a set of needs, the same whatever their order; empty: any worker will do. */
export function needsKey(needs: readonly string[]): string {
  return [...new Set(needs.map(asTag))].sort().slice(0, mostNeeds).join('+');
}

/** What could not be part of a name in Redis becomes a dash: a job that nobody can do must not be in others' way. */
export function asTag(need: string): string {
  const tag = need.toLowerCase().replace(/[^a-z0-9._-]/g, '-');
  return tag === '' ? '-' : tag.slice(0, maxNeedChars);
}

export function canServe(key: string, can: ReadonlySet<string>): boolean {
  return key === '' || key.split('+').every((one) => can.has(one));
}

// All begin with the home's id, because homes may share a server.
import { randomBytes } from 'node:crypto';

export interface Names {
  readonly prefix: string;
  readonly up: string;
  /** Redis may drop its oldest entries. */
  readonly told: string;
  /** Envelopes not yet committed, by attempt and session. */
  readonly results: string;
  /** Jobs that a worker got directly. */
  readonly granted: string;
  /** All sets of needs seen: workers find the queues by them. */
  readonly needs: string;
  readonly alive: string;
  readonly lease: string;
  readonly epoch: string;
  worker(session: string): string;
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
    granted: `${base}:granted`,
    needs: `${base}:needs`,
    alive: `${base}:alive`,
    lease: `${base}:lease`,
    epoch: `${base}:epoch`,
    worker: (session) => `${base}:worker:${session}`,
    down: (session) => `${base}:down:${session}`,
    queue: (needs) => `${base}-${needs === '' ? anyNeeds : needs}`,
  };
}

export function newSession(): string {
  return `w-${randomBytes(8).toString('hex')}`;
}

export function isSession(said: string): boolean {
  return /^w-[\w-]{1,60}$/.test(said);
}

export const anyNeeds = 'any';

/** Eight for an executor's needs, one for the home's disk. */
const mostNeeds = 9;
const maxNeedChars = 40;

/** Independent of order; '': any worker. */
export function needsKey(needs: readonly string[]): string {
  return [...new Set(needs.map(asTag))].sort().slice(0, mostNeeds).join('+');
}

/** Dashes replace characters that Redis names cannot hold, so such a job blocks no others. */
export function asTag(need: string): string {
  const tag = need.toLowerCase().replace(/[^a-z0-9._-]/g, '-');
  return tag === '' ? '-' : tag.slice(0, maxNeedChars);
}

export function canServe(key: string, can: ReadonlySet<string>): boolean {
  return key === '' || key.split('+').every((one) => can.has(one));
}

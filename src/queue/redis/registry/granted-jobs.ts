// Jobs that go to a worker which has not asked for them.
import type { JobRows } from '../../../jobs/index.js';
import { pack } from '../offers/job-payload.js';
import type { Grants } from '../protocol/grants.js';
import { maxGrantChars } from '../protocol/messages.js';
import type { HeldJob } from './held-jobs.js';

export interface GrantedJobsOptions {
  readonly carried: ReadonlyMap<string, HeldJob>;
  readonly jobs: Pick<JobRows, 'written'>;
  readonly grants: Grants;
  readonly leaseMs: number;
  readonly disk: string | null;
  readonly onRedisError: (error: unknown) => void;
}

export class GrantedJobs {
  readonly #options: GrantedJobsOptions;

  constructor(options: GrantedJobsOptions) {
    this.#options = options;
  }

  /** How many jobs each session has, by any way. */
  heldBy(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { session } of this.#options.carried.values()) {
      if (session !== null) counts.set(session, (counts.get(session) ?? 0) + 1);
    }
    return counts;
  }

  /** Its start must be on disk. */
  async send(one: HeldJob, body: string): Promise<void> {
    const { leaseMs, disk, grants, onRedisError } = this.#options;
    const { session, job } = one;
    if (session === null) return;
    const withinMs = Math.floor(leaseMs / 2);
    try {
      const grant = { type: 'grant', id: job.id, withinMs, disk, payload: pack(body) } as const;
      if (await grants.send(session, grant)) one.grant = 'sent';
    } catch (error) {
      onRedisError(error);
    }
  }

  /** Those that Redis did not take, or that an earlier Bosun may not have sent. A worker begins each once. */
  sendAgain(): void {
    for (const one of this.#options.carried.values()) {
      if (one.grant !== 'unsent' || one.phase !== 'running') continue;
      const body = this.#options.jobs.written(one.job.id)?.body ?? '';
      // A larger one is in BullMQ.
      if (body === '' || body.length > maxGrantChars) one.grant = null;
      else void this.send(one, body);
    }
  }

  drop(one: HeldJob): void {
    if (one.grant !== null) this.#options.grants.drop(one.job.id);
  }
}

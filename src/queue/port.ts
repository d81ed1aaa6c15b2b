// The port between the dispatcher and a queue. The embedded queue keeps jobs as rows; others may keep them elsewhere.
import type { Envelope } from '../engine/index.js';
import type { AgentCall, AgentReply, CheckoutBundle, Claim, Job, Progress, RunAttempt } from '../jobs/index.js';

export interface QueueEvents {
  /**
   * A worker took the job. Awaited before its handler runs, so that the start is on disk first; false drops the job.
   */
  started(id: string, worker: string): Promise<boolean>;
  progress(id: string, progress: Progress): void;
  /** Awaited: the job leaves the queue only once this has resolved. */
  finished(id: string, envelope: Envelope): Promise<void>;
  /** An envelope for a job that is over: no step changes, but its cost counts. */
  late?(id: string, envelope: Envelope): Promise<void>;
  /** A worker without the home's disk asks for the job's checkout; may be called again for the same job. */
  fetch?(id: string): Promise<CheckoutBundle>;
  /** A call from an agent of such a worker to Bosun. */
  call?(id: string, call: AgentCall): Promise<AgentReply>;
  /** The lease of the worker that held it has expired. Awaited like `finished`. */
  lost(id: string, worker: string): Promise<void>;
}

/** Messages from a worker with an empty or longer name are not understood. */
export const maxWorkerName = 200;

export interface WorkerOptions {
  readonly name: string;
  readonly concurrency: number;
  readonly run: RunAttempt;
}

export interface QueueWorker {
  /** Takes no new jobs, aborts running ones with 'interrupted', and resolves when all handlers have ended. */
  close(): Promise<void>;
}

export interface QueueCounts {
  readonly queued: number;
  readonly running: number;
}

export interface JobQueue {
  listen(events: QueueEvents): void;
  /**
   * Adding an id that is known or finished changes nothing. A job with `notBefore` does not begin before that time and
   * blocks no others until then.
   */
  add(jobs: readonly Job[]): Promise<void>;
  /** `removed`: it had not started and never will. `signalled`: its handler was aborted and will finish. */
  cancel(id: string): Promise<'removed' | 'signalled' | 'unknown'>;
  extend(id: string, byMs: number): Promise<boolean>;
  /** Tells a running handler whether it is waiting for a person; false if the job does not run here. */
  wait(id: string, isWaiting: boolean): Promise<boolean>;
  work(options: WorkerOptions): QueueWorker;
  counts(project?: string): Promise<QueueCounts>;
  /** Ids of unfinished jobs. */
  known(): Promise<readonly string[]>;
  /** Ends jobs that were settled elsewhere, even held ones: no event follows, and adding them again changes nothing. */
  forget(ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** A queue whose jobs survive a restart. */
export interface RecoverableQueue extends JobQueue {
  /** Jobs that were claimed when an earlier process ended. */
  abandoned(): Promise<readonly Claim[]>;
  /** Requeues abandoned jobs whose handler had not started. */
  requeue(ids: readonly string[]): Promise<void>;
  /** Abandoned jobs whose worker may still run them elsewhere; if omitted, there are none. */
  outliving?(): Promise<readonly string[]>;
}

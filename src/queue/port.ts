import type { Envelope } from '../engine/index.js';
import type { AgentCall, AgentReply, CheckoutBundle, Claim, Job, Progress, RunAttempt } from '../jobs/index.js';

export interface QueueEvents {
  /** Awaited before the handler runs, so that the start is on disk first; false drops the job. */
  started(id: string, worker: string): Promise<boolean>;
  progress(id: string, progress: Progress): void;
  /** Awaited: the job leaves the queue only once this resolves. */
  finished(id: string, envelope: Envelope): Promise<void>;
  /** For a job that is over: no step changes, but its cost counts. */
  late?(id: string, envelope: Envelope): Promise<void>;
  /** A worker without the home's disk asks for the job's checkout; may repeat. */
  fetch?(id: string): Promise<CheckoutBundle>;
  /** From an agent of such a worker to Bosun. */
  call?(id: string, call: AgentCall): Promise<AgentReply>;
  /** The holder's lease expired. Awaited like `finished`. */
  lost(id: string, worker: string): Promise<void>;
}

/** Messages with an empty or longer name are rejected. */
export const maxWorkerName = 200;

export interface WorkerOptions {
  readonly name: string;
  readonly concurrency: number;
  readonly run: RunAttempt;
}

export interface QueueWorker {
  /** Takes no new jobs, aborts running ones with 'interrupted', and waits for all handlers. */
  close(): Promise<void>;
}

export interface QueueCounts {
  readonly queued: number;
  readonly running: number;
}

export interface JobQueue {
  listen(events: QueueEvents): void;
  /** Idempotent by id, also for finished jobs. Until `notBefore` a job does not begin and blocks no others. */
  add(jobs: readonly Job[]): Promise<void>;
  cancel(id: string): Promise<'removed' | 'signalled' | 'unknown'>;
  extend(id: string, byMs: number): Promise<boolean>;
  /** Whether a running handler waits for a person; false: the job does not run here. */
  wait(id: string, isWaiting: boolean): Promise<boolean>;
  work(options: WorkerOptions): QueueWorker;
  counts(project?: string): Promise<QueueCounts>;
  known(): Promise<readonly string[]>;
  /** Drops jobs settled elsewhere, even held ones: no event follows, and adding them again changes nothing. */
  forget(ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Its jobs survive a restart. */
export interface RecoverableQueue extends JobQueue {
  /** Claimed when an earlier process ended. */
  abandoned(): Promise<readonly Claim[]>;
  /** Only jobs whose handler had not started. */
  requeue(ids: readonly string[]): Promise<void>;
  /** Abandoned jobs whose worker may still run them; absent: none. */
  outliving?(): Promise<readonly string[]>;
}

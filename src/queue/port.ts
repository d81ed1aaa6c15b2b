import type { Envelope } from '../engine/index.js';
import type { AgentCall, AgentReply, CheckoutBundle, Claim, Job, Progress, RunAttempt } from '../jobs/index.js';

export interface QueueEvents {
  /** Awaited before the handler runs, so the start is on disk first. False drops the job. */
  started(id: string, worker: string): Promise<boolean>;
  progress(id: string, progress: Progress): void;
  /** The job leaves the queue once this resolves. */
  finished(id: string, envelope: Envelope): Promise<void>;
  /** The job is over: no step changes, but its cost counts. */
  late?(id: string, envelope: Envelope): Promise<void>;
  /** A worker without the home's disk asks for the checkout; it may repeat. */
  fetch?(id: string): Promise<CheckoutBundle>;
  call?(id: string, call: AgentCall): Promise<AgentReply>;
  /** The lease expired. Awaited like `finished`. */
  lost(id: string, worker: string): Promise<void>;
}

/** A longer or empty name is rejected. */
export const maxWorkerName = 200;

export interface WorkerOptions {
  readonly name: string;
  readonly concurrency: number;
  readonly run: RunAttempt;
}

export interface QueueWorker {
  /** Takes no new jobs, aborts running ones with 'interrupted' and waits for their handlers. */
  close(): Promise<void>;
}

export interface QueueCounts {
  readonly queued: number;
  readonly running: number;
}

export interface JobQueue {
  listen(events: QueueEvents): void;
  /** Idempotent by id, even for finished jobs. A job with `notBefore` blocks no others until then. */
  add(jobs: readonly Job[]): Promise<void>;
  cancel(id: string): Promise<'removed' | 'signalled' | 'unknown'>;
  extend(id: string, byMs: number): Promise<boolean>;
  /** Pauses the handler's time limit while a person is awaited. False: the job does not run here. */
  wait(id: string, isWaiting: boolean): Promise<boolean>;
  work(options: WorkerOptions): QueueWorker;
  counts(project?: string): Promise<QueueCounts>;
  known(): Promise<readonly string[]>;
  /** For jobs settled elsewhere, even held ones: no event follows, and adding them again changes nothing. */
  forget(ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface RecoverableQueue extends JobQueue {
  abandoned(): Promise<readonly Claim[]>;
  requeue(ids: readonly string[]): Promise<void>;
  /** Abandoned jobs whose worker may still run them. */
  outliving?(): Promise<readonly string[]>;
}

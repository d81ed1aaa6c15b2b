// What the dispatcher needs of a queue. The embedded one keeps jobs as rows; another may keep them elsewhere.
import type { Envelope } from '../engine/index.js';
import type { AgentCall, AgentReply, CheckoutBundle, Claim, Job, Progress, RunAttempt } from '../jobs/index.js';

export interface QueueEvents {
  /** A worker took the job. Awaited before its handler runs, so that the start is on disk first; false: drop it. */
  started(id: string, worker: string): Promise<boolean>;
  progress(id: string, progress: Progress): void;
  /** Awaited; the job leaves the queue only after this resolved. */
  finished(id: string, envelope: Envelope): Promise<void>;
  /** An attempt whose job is over came back after all: no step changes, but what it cost counts. */
  late?(id: string, envelope: Envelope): Promise<void>;
  /** A worker that has not the home's disk asks what to work on; asked again, it is answered again. */
  fetch?(id: string): Promise<CheckoutBundle>;
  /** What the agent of such a worker says to Bosun. */
  call?(id: string, call: AgentCall): Promise<AgentReply>;
  /** The worker that held it is dead: its lease ran out. Awaited like finished. */
  lost(id: string, worker: string): Promise<void>;
}

/** What is longer, or empty, is no name: nothing that such a worker says is understood. */
export const maxWorkerName = 200;

export interface WorkerOptions {
  readonly name: string;
  readonly concurrency: number;
  readonly run: RunAttempt;
}

export interface QueueWorker {
  /** Takes no more jobs, aborts what runs with 'interrupted', and resolves when all handlers have ended. */
  close(): Promise<void>;
}

export interface QueueCounts {
  readonly queued: number;
  readonly running: number;
}

export interface JobQueue {
  listen(events: QueueEvents): void;
  /**
   * Adding an id that is known, or was already finished, changes nothing. A job with `notBefore` is not begun before
   * that time of day, and stands in nobody's way until then.
   */
  add(jobs: readonly Job[]): Promise<void>;
  /** `removed`: it had not started and never will. `signalled`: its handler was aborted and will finish. */
  cancel(id: string): Promise<'removed' | 'signalled' | 'unknown'>;
  extend(id: string, byMs: number): Promise<boolean>;
  /** Tells the handler of a job that runs whether a person is awaited; false: it does not run here. */
  wait(id: string, isWaiting: boolean): Promise<boolean>;
  work(options: WorkerOptions): QueueWorker;
  counts(project?: string): Promise<QueueCounts>;
  /** Ids that the queue knows and has not finished. */
  known(): Promise<readonly string[]>;
  /** Ends jobs that were settled elsewhere, whoever holds them: no event follows, and adding them again changes nothing. */
  forget(ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** A queue whose jobs outlive the process that made them. */
export interface RecoverableQueue extends JobQueue {
  /** Jobs that had been claimed when an earlier process ended. */
  abandoned(): Promise<readonly Claim[]>;
  /** Lets abandoned jobs wait again: for those whose handler had not started. */
  requeue(ids: readonly string[]): Promise<void>;
  /** Those of them whose worker may still be at it, elsewhere; left out: none is. */
  outliving?(): Promise<readonly string[]>;
}

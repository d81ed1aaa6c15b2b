// The runtime as bot, web and cli see it: every read or change of runs goes through it. open-runtime.ts composes it.

import type { CodingAgent } from '../agents/index.js';
import type { BosunError, Log } from '../base/index.js';
import type { Config, Home } from '../config/index.js';
import type { State } from '../engine/index.js';
import type { OpenQueue } from '../queue/index.js';
import type { Message, OpenChannelRequest, SqliteStore, Store } from '../store/index.js';
import type { AgentQuestion, AgentQuestionAnswer } from './attempts/agent-questions.js';
import type { ClaimRequest } from './attempts/external-attempts.js';
import type { ManualReport, ManualReportFiles } from './attempts/manual-report.js';
import type { WorkerStatus } from './attempts/worker-status.js';
import type { Activity } from './plans/activity.js';
import type { CommitListener } from './plans/commit-listener.js';
import type { MakePlan, Submitted } from './plans/plan.js';
import type { Presenter } from './plans/presenter.js';
import type { QueueState, QueueView } from './status/queue-view.js';

export interface RuntimeParts {
  readonly home: Home<CodingAgent>;
  readonly config: () => Config;
  readonly present: Presenter;
  readonly now: () => number;
  readonly url: () => string;
  readonly log: Log;
  /** How long a job without a heartbeat counts as running. */
  readonly leaseMs: number;
  /** False once another Bosun may have taken over, after which nothing is written. */
  readonly isActive: () => boolean;
  /** null: the embedded queue. */
  readonly queue: OpenQueue | null;
}

export interface WriteState {
  /** Why the database refuses writes at present; null: it accepts them. */
  readonly problem: string | null;
  /** The number of results held in memory meanwhile. */
  readonly waiting: number;
}

export interface Runtime {
  readonly store: Store & Pick<SqliteStore, 'deliveries' | 'checkFile'>;
  /** Retries for some seconds while the database is locked; rejects if it cannot be written. */
  submit(work: MakePlan): Promise<Submitted>;
  /** Retries until committed: for results that exist only in memory. */
  keep(work: MakePlan): Promise<Submitted>;
  /** For any other write: retries for some seconds while the database is locked. */
  patient<T>(act: () => T): Promise<T>;
  readonly writeState: WriteState;
  /**
   * Resolves if the database is deleted, replaced or damaged. Nothing is written afterwards, and the process must end.
   */
  readonly broken: Promise<BosunError>;
  /** Settles what an earlier process left open. Call once, before work starts. */
  recover(): Promise<void>;
  startWorker(concurrency: number): void;
  readonly isWorking: boolean;
  /** All workers that Bosun knows of, with their latest heartbeat. */
  workers(): readonly WorkerStatus[];
  /** How many jobs are offered in Redis, and its present problem (null: none). */
  queueState(): QueueState;
  /** Waiting, offered and running jobs, at most `limit` of each. */
  queueView(limit: number): QueueView;
  /** Resolves to true once idle, to false on timeout. */
  whenAtRest(project: string | null, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  onMessages(listen: (messages: readonly Message[]) => void): () => void;
  /** Listens to commits, for metrics and traces; a listener's errors are logged. */
  onCommits(listen: CommitListener): () => void;
  /** Listens to stored requests that only a channel can fulfil; open ones are delivered at once. */
  onWants(listen: (want: OpenChannelRequest) => void): () => void;
  /** The latest activity of a live attempt, from memory only. */
  lastSign(attempt: string): Activity | null;
  /** Completes the sentence "waits for …"; null: not waiting, or the reason is unknown. */
  waitsFor(attempt: string): string | null;
  /** Gathers the evidence for a report of a manually started agent on the ready step. */
  readHandReport(state: State, node: string, given: ManualReportFiles): Promise<ManualReport>;
  /** Claims the next due step for an external agent. */
  claimOutside(wanted: ClaimRequest): Promise<void>;
  /** Settles an external agent's claim with its report. */
  settleOutside(token: string, said: { readonly report: string } | { readonly error: string }): Promise<void>;
  /** A running agent's question to a person; returns the answer or `waiting`. The key makes it idempotent. */
  askPerson(asking: AgentQuestion): Promise<AgentQuestionAnswer>;
  noteProgress(token: string, text: string): void;
  /** Redacts the home's secrets in text from outside. */
  redact(text: string): string;
  close(): Promise<void>;
}

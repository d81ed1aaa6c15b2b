// The runtime as bot, web and cli see it: every read or change of runs goes through it. open-runtime.ts composes it.

import type { CodingAgent } from '../agents/index.js';
import type { BosunError, Log } from '../base/index.js';
import type { Config, Home } from '../config/index.js';
import type { State } from '../engine/index.js';
import type { OpenQueue } from '../queue/index.js';
import type {
  DeliveryEndRows,
  DeliveryRows,
  HomeReader,
  InboxRows,
  Message,
  OpenChannelRequest,
  SqliteStore,
} from '../store/index.js';
import type { AgentQuestion, AgentQuestionAnswer } from './attempts/agent-questions.js';
import type { ClaimRequest } from './attempts/external-attempts.js';
import type { ManualReport, ManualReportFiles } from './attempts/manual-report.js';
import type { WorkerStatus } from './attempts/worker-status.js';
import type { WordsCall, WordsReply } from './people/agent-words.js';
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

/** Where plans go. */
export interface Submitter {
  /** Retries for some seconds while the database is locked; rejects if it cannot be written. */
  submit(work: MakePlan): Promise<Submitted>;
  /** Retries until committed: for results that exist only in memory. */
  keep(work: MakePlan): Promise<Submitted>;
  /** For any other write: retries for some seconds while the database is locked. */
  patient<T>(act: () => T): Promise<T>;
}

/** What happens, as it happens; each function returns the one that ends it. */
export interface RuntimeEvents {
  onMessages(listen: (messages: readonly Message[]) => void): () => void;
  /** Listens to commits, for metrics and traces; a listener's errors are logged. */
  onCommits(listen: CommitListener): () => void;
  /** Listens to stored requests that only a channel can fulfil; open ones are delivered at once. */
  onWants(listen: (want: OpenChannelRequest) => void): () => void;
}

/** What is under way now: from memory, never from the database. */
export interface LiveView {
  readonly writeState: WriteState;
  readonly isWorking: boolean;
  /** All workers that Bosun knows of, with their latest heartbeat. */
  workers(): readonly WorkerStatus[];
  /** How many jobs are offered in Redis, and its present problem (null: none). */
  queueState(): QueueState;
  /** Waiting, offered and running jobs, at most `limit` of each. */
  queueView(limit: number): QueueView;
  /** Resolves to true once idle, to false on timeout. */
  whenAtRest(project: string | null, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  /** The latest activity of a live attempt. */
  lastSign(attempt: string): Activity | null;
  /** Completes the sentence "waits for …"; null: not waiting, or the reason is unknown. */
  waitsFor(attempt: string): string | null;
}

/** What a running agent asks and tells. */
export interface AgentCalls {
  /** A question to a person; returns the answer or `waiting`. The key makes it idempotent. */
  askPerson(asking: AgentQuestion): Promise<AgentQuestionAnswer>;
  noteProgress(token: string, text: string): void;
  /** The next words of a person to this running agent, or `waiting`. */
  nextWords(call: WordsCall): Promise<WordsReply>;
}

/** The work of agents that Bosun does not start. */
export interface ExternalWork {
  /** Gathers the evidence for a report of a manually started agent on the ready step. */
  readHandReport(state: State, node: string, given: ManualReportFiles): Promise<ManualReport>;
  /** Claims the next due step for an external agent. */
  claimOutside(wanted: ClaimRequest): Promise<void>;
  /** Settles an external agent's claim with its report. */
  settleOutside(token: string, said: { readonly report: string } | { readonly error: string }): Promise<void>;
}

/** What the home keeps, as far as others than dispatch may read and change it. */
export interface KeptRows {
  readonly reader: HomeReader;
  readonly inbox: InboxRows;
  readonly deliveries: DeliveryRows & DeliveryEndRows;
  /** False once another Bosun may have taken over; then writes throw. */
  isActive(): boolean;
  /** Throws once the database file is deleted, replaced or damaged. */
  checkFile(): void;
  /** Redacts the home's secrets in text from outside. */
  redact(text: string): string;
}

export interface Lifecycle {
  /**
   * Resolves if the database is deleted, replaced or damaged. Nothing is written afterwards, and the process must end.
   */
  readonly broken: Promise<BosunError>;
  /** Settles what an earlier process left open. Call once, before work starts. */
  recover(): Promise<void>;
  startWorker(concurrency: number): void;
  close(): Promise<void>;
}

/** All of it, for the program that composes Bosun; bot and web name the ports that they take. */
export interface Runtime extends Submitter, RuntimeEvents, LiveView, AgentCalls, ExternalWork, KeptRows, Lifecycle {
  readonly store: SqliteStore;
}

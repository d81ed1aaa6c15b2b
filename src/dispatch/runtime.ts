// Bot, web and cli read and change runs through this port.

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
  /** A job without a heartbeat for this long counts as lost. */
  readonly leaseMs: number;
  /** False: another Bosun may be active, so write nothing. */
  readonly isActive: () => boolean;
  /** Null: embedded. */
  readonly queue: OpenQueue | null;
}

export interface WriteState {
  /** Null: writes work. */
  readonly problem: string | null;
  readonly waiting: number;
}

export interface Submitter {
  /** Retries for some seconds while the database is locked. */
  submit(work: MakePlan): Promise<Submitted>;
  /** Retries until committed, for results that exist only in memory. */
  keep(work: MakePlan): Promise<Submitted>;
  /** Retries like `submit`. */
  patient<T>(act: () => T): Promise<T>;
}

export interface RuntimeEvents {
  onMessages(listen: (messages: readonly Message[]) => void): () => void;
  onCommits(listen: CommitListener): () => void;
  onWants(listen: (want: OpenChannelRequest) => void): () => void;
}

/** Reads memory, never the database. */
export interface LiveView {
  readonly writeState: WriteState;
  readonly isWorking: boolean;
  workers(): readonly WorkerStatus[];
  queueState(): QueueState;
  queueView(limit: number): QueueView;
  /** False: timeout. */
  whenAtRest(project: string | null, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  lastSign(attempt: string): Activity | null;
  /** Completes "waits for …"; null: not waiting, or unknown. */
  waitsFor(attempt: string): string | null;
}

export interface AgentCalls {
  askPerson(asking: AgentQuestion): Promise<AgentQuestionAnswer>;
  noteProgress(token: string, text: string): void;
  nextWords(call: WordsCall): Promise<WordsReply>;
}

/** For agents that Bosun does not start. */
export interface ExternalWork {
  readHandReport(state: State, node: string, given: ManualReportFiles): Promise<ManualReport>;
  claimOutside(wanted: ClaimRequest): Promise<void>;
  settleOutside(token: string, said: { readonly report: string } | { readonly error: string }): Promise<void>;
}

export interface KeptRows {
  readonly reader: HomeReader;
  readonly inbox: InboxRows;
  readonly deliveries: DeliveryRows & DeliveryEndRows;
  /** False: another Bosun may be active, and writes throw. */
  isActive(): boolean;
  checkFile(): void;
  redact(text: string): string;
}

export interface Lifecycle {
  /** Resolves if the database is deleted, replaced or damaged: the process must end. */
  readonly broken: Promise<BosunError>;
  recover(): Promise<void>;
  startWorker(concurrency: number): void;
  close(): Promise<void>;
}

/** For the program that composes Bosun; others name smaller ports. */
export interface Runtime extends Submitter, RuntimeEvents, LiveView, AgentCalls, ExternalWork, KeptRows, Lifecycle {
  readonly store: SqliteStore;
}

// The room, as bot, web and cli see it: whatever is done or read of runs goes through it. What it is made of, open-room.ts
// knows.

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
  readonly home: Home;
  readonly config: () => Config;
  readonly present: Presenter;
  readonly now?: () => number;
  readonly url?: () => string;
  readonly log?: Log;
  readonly leaseMs?: number;
  /** False once another Bosun may have taken over: nothing is written then. Left out: there is no other. */
  readonly isActive?: () => boolean;
  /** Left out: the embedded queue. */
  readonly queue?: OpenQueue;
}

/** Whether the database takes writes. */
export interface WriteState {
  /** Why it takes none at present; null: it does. */
  readonly problem: string | null;
  /** Results that wait in memory until it does. */
  readonly waiting: number;
}

export interface Runtime {
  readonly store: Store & Pick<SqliteStore, 'deliveries' | 'checkFile'>;
  /** Waits some seconds for a database that is locked, and rejects when it cannot be written. */
  submit(work: MakePlan): Promise<Submitted>;
  /** Retries until it is on disk: for what is known only here and would be lost. */
  keep(work: MakePlan): Promise<Submitted>;
  /** Any other write: waits some seconds for a database that is locked. */
  patient<T>(act: () => T): Promise<T>;
  readonly writeState: WriteState;
  /** Resolves once the database is deleted, replaced or damaged: nothing is written any more, and the process has to end. */
  readonly broken: Promise<BosunError>;
  /** Settles what an earlier process left open. To be called once, before work starts. */
  recover(): Promise<void>;
  startWorker(concurrency: number): void;
  readonly isWorking: boolean;
  /** All that take jobs of this Bosun, as far as it knows of them. */
  workers(): readonly WorkerStatus[];
  /** How many are on offer in Redis, and what is wrong with it; null: nothing. */
  queueState(): QueueState;
  /** What waits, what is on offer, what is at work: of each at most `limit`. */
  queueView(limit: number): QueueView;
  /** True once nothing is under way, false when the time is up. */
  whenAtRest(project: string | null, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  onMessages(listen: (messages: readonly Message[]) => void): () => void;
  /** Each commit, for those who count or trace what happens; what they throw is logged. */
  onCommits(listen: CommitListener): () => void;
  /** What only a channel can do, once it is on disk that somebody wants it; what waits already comes at once. */
  onWants(listen: (want: OpenChannelRequest) => void): () => void;
  /** What live attempts did last, by attempt; memory only. */
  lastSign(attempt: string): Activity | null;
  /** Why an attempt has not begun, in words behind "waits for"; null: it does not wait, or nobody knows why. */
  waitsFor(attempt: string): string | null;
  /** What an agent that a person started by hand has to show for the step that is ready. */
  readHandReport(state: State, node: string, given: ManualReportFiles): Promise<ManualReport>;
  /** Gives the next step that is due to an agent that nobody here starts. */
  claimOutside(wanted: ClaimRequest): Promise<void>;
  /** Takes that agent's report. */
  settleOutside(token: string, said: { readonly report: string } | { readonly error: string }): Promise<void>;
  /** An agent at work asks a person: the answer, or that there is none yet; the same key asks the same again. */
  askPerson(asking: AgentQuestion): Promise<AgentQuestionAnswer>;
  /** An agent at work tells what it is doing. */
  noteProgress(token: string, text: string): void;
  /** Words from outside, without what this home keeps secret. */
  redact(text: string): string;
  close(): Promise<void>;
}

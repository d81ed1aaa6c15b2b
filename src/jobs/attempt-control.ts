// How a running attempt reports progress and is stopped.

import type { Envelope } from '../engine/index.js';
import type { AttemptSpec } from './attempt-spec.js';
import type { AgentCall, AgentReply, CheckoutBundle } from './remote-calls.js';

/** Progress reports from a worker. They are hints, never evidence. */
export type Progress =
  | { readonly type: 'started'; readonly pid: number | null; readonly baseSha: string | null }
  | { readonly type: 'output'; readonly line: string }
  | { readonly type: 'phase'; readonly phase: 'agent' | 'check' | 'tests' }
  /** `action` summarises what the agent is doing; `text` quotes the agent. */
  | { readonly type: 'action'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'usage'; readonly costUsd: number | null; readonly tokensIn: number; readonly tokensOut: number }
  | { readonly type: 'expiring'; readonly inMs: number };

/** How the dispatcher side controls a running attempt. */
export interface JobControl {
  /** Aborted with the reason 'cancel' or 'interrupted'. */
  readonly signal: AbortSignal;
  onExtend(listen: (byMs: number) => void): void;
  /** Pauses the time limit while a question waits for a person. */
  onWait?(listen: (isWaiting: boolean) => void): void;
  report(progress: Progress): void;
  /** Connection to Bosun for a worker without access to the home's disk; absent when the disk is shared. */
  readonly connection?: BosunConnection;
}

/** A remote worker's connection to the Bosun that owns its job. Both calls wait while that Bosun is unreachable. */
export interface BosunConnection {
  /** Where to fetch the attempt's checkout; rejects with an error that a person can fix. */
  fetch(): Promise<CheckoutBundle>;
  /** Forwards an agent's HTTP call to Bosun. */
  call(call: AgentCall): Promise<AgentReply>;
}

export type RunAttempt = (job: AttemptSpec, control: JobControl) => Promise<Envelope>;

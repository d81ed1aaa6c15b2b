// How a running attempt reports progress and is stopped.

import type { Envelope } from '../engine/index.js';
import type { AttemptSpec } from './attempt-spec.js';
import type { AgentCall, AgentReply, CheckoutBundle } from './remote-calls.js';

/** What a worker tells while it works. None of it is evidence. */
export type Progress =
  | { readonly type: 'started'; readonly pid: number | null; readonly baseSha: string | null }
  | { readonly type: 'output'; readonly line: string }
  | { readonly type: 'phase'; readonly phase: 'agent' | 'check' | 'tests' }
  /** What the agent is doing, in few words; `text`: what it says itself. */
  | { readonly type: 'action'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'usage'; readonly costUsd: number | null; readonly tokensIn: number; readonly tokensOut: number }
  | { readonly type: 'expiring'; readonly inMs: number };

/** How the one who started a worker talks back to it. */
export interface JobControl {
  /** Aborted with the reason 'cancel' or 'interrupted'. */
  readonly signal: AbortSignal;
  onExtend(listen: (byMs: number) => void): void;
  /** The time limit stands still while a person is awaited. */
  onWait?(listen: (isWaiting: boolean) => void): void;
  report(progress: Progress): void;
  /** What a worker needs that has not the home's disk; left out: it has. */
  readonly afar?: BosunConnection;
}

/** The way from a worker elsewhere to the Bosun whose job it runs. Both wait for a Bosun that is away. */
export interface BosunConnection {
  /** Where the checkout lies that the attempt works in; rejects with what a person can mend. */
  fetch(): Promise<CheckoutBundle>;
  /** What its agent says to Bosun over HTTP. */
  call(call: AgentCall): Promise<AgentReply>;
}

export type RunAttempt = (job: AttemptSpec, control: JobControl) => Promise<Envelope>;

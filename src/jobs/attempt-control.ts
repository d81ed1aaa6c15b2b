import type { Envelope } from '../engine/index.js';
import type { AttemptSpec } from './attempt-spec.js';
import type { AgentCall, AgentReply, CheckoutBundle } from './remote-calls.js';

/** Hints, never evidence. */
export type Progress =
  | { readonly type: 'started'; readonly pid: number | null; readonly baseSha: string | null }
  | { readonly type: 'output'; readonly line: string }
  | { readonly type: 'phase'; readonly phase: 'agent' | 'check' | 'tests' }
  /** `action`: a tool call; `text`: the agent's words. */
  | { readonly type: 'action'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'usage'; readonly costUsd: number | null; readonly tokensIn: number; readonly tokensOut: number }
  | { readonly type: 'expiring'; readonly inMs: number };

export interface JobControl {
  readonly signal: AbortSignal;
  onExtend(listen: (byMs: number) => void): void;
  /** Pauses the time limit while the agent waits for a person. */
  onWait?(listen: (isWaiting: boolean) => void): void;
  report(progress: Progress): void;
  /** For a worker without the home's disk. */
  readonly connection?: BosunConnection;
}

/** A remote worker's line to Bosun. Calls wait out an outage. */
export interface BosunConnection {
  fetch(): Promise<CheckoutBundle>;
  call(call: AgentCall): Promise<AgentReply>;
}

export type RunAttempt = (job: AttemptSpec, control: JobControl) => Promise<Envelope>;

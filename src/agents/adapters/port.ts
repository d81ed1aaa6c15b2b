// The port of a coding agent: how to start its program, and a reader for its output.
import type { Ask } from '../../engine/index.js';
import type { AgentConfig } from '../../jobs/index.js';
import type { Seat } from '../processes/environment.js';
import type { Fault } from '../processes/run-process.js';

/** A seat whose executor is a coding agent, with its role's settings already merged in. */
export interface AgentSeat extends Omit<Seat, 'executor'> {
  readonly executor: AgentConfig;
}

export interface AgentAdapter {
  readonly kind: AgentConfig['kind'];
  /** The signal after which the program still reports what it spent. */
  readonly stopSignal: NodeJS.Signals;
  launch(seat: AgentSeat, around: AdapterContext): AgentLaunch;
  reader(seat: AgentSeat, around: AdapterContext): AgentReader;
}

export interface AdapterContext {
  /** Path of the script that started Bosun; agents use it to start the MCP server. null: none. */
  readonly entry: string | null;
  /** The rest of the budget; null: no limit. */
  readonly leftUsd: number | null;
  /** Wall-clock time in ms. */
  readonly clock: () => number;
}

export interface AgentLaunch {
  /** Arguments after the program name. */
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
}

export type AgentEvent =
  | { readonly type: 'started'; readonly session: string | null; readonly program: string }
  | { readonly type: 'action'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  /** Goes only to the log. */
  | { readonly type: 'note'; readonly text: string }
  /** The running total. */
  | ({ readonly type: 'usage' } & Usage)
  | { readonly type: 'question'; readonly text: string; readonly options: readonly string[] }
  /** The program would retry forever unless stopped. */
  | { readonly type: 'stuck'; readonly fault: Fault }
  | { readonly type: 'completed' };

export interface Usage {
  readonly costUsd: number | null;
  /** Includes tokens read from a cache, counted once. */
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface AgentReader {
  /** Handles a line of standard output; null: not understood. Never throws. */
  read(line: string): readonly AgentEvent[] | null;
  /** Handles a line of standard error. */
  hear(line: string): readonly AgentEvent[];
  /** Called when the process has ended; `errors` is the tail of its standard error. */
  end(exit: number | null, errors: string): AgentOutcome;
}

export interface AgentOutcome {
  readonly finalText: string;
  /** As stored: `claude:<id>`. */
  readonly session: string | null;
  readonly program: string | null;
  readonly usage: Usage | null;
  readonly fault: Fault | null;
  readonly asks: readonly Ask[];
  readonly warnings: readonly string[];
}

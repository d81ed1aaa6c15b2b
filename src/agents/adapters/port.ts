// What Bosun asks of an adapter: how to start the program, and somebody who understands what it prints.
import type { Ask } from '../../engine/index.js';
import type { AgentConfig } from '../../jobs/index.js';
import type { Seat } from '../processes/environment.js';
import type { Fault } from '../processes/run-process.js';

/** A seat that a coding agent takes, with its role's own settings already in its executor. */
export interface AgentSeat extends Omit<Seat, 'executor'> {
  readonly executor: AgentConfig;
}

export interface AgentAdapter {
  readonly kind: AgentConfig['kind'];
  /** Asked to end with this, it still tells what it spent. */
  readonly stopSignal: NodeJS.Signals;
  launch(seat: AgentSeat, around: AdapterContext): AgentLaunch;
  reader(seat: AgentSeat, around: AdapterContext): AgentReader;
}

export interface AdapterContext {
  /** The script that started Bosun, by which its MCP server is started; null: there is none to start. */
  readonly entry: string | null;
  /** What is left of what it may spend; null: no limit. */
  readonly leftUsd: number | null;
  /** The time of day, in ms. */
  readonly clock: () => number;
}

export interface AgentLaunch {
  /** What comes after the program. */
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
}

export type AgentEvent =
  | { readonly type: 'started'; readonly session: string | null; readonly program: string }
  | { readonly type: 'action'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  /** For the log alone. */
  | { readonly type: 'note'; readonly text: string }
  /** The sum until now. */
  | ({ readonly type: 'usage' } & Usage)
  | { readonly type: 'question'; readonly text: string; readonly options: readonly string[] }
  /** It would go on trying for as long as it is let. */
  | { readonly type: 'stuck'; readonly fault: Fault }
  | { readonly type: 'completed' };

export interface Usage {
  readonly costUsd: number | null;
  /** With what came from a cache, counted once. */
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface AgentReader {
  /** A line of standard output; null: not understood. Never throws. */
  read(line: string): readonly AgentEvent[] | null;
  /** A line of standard error. */
  hear(line: string): readonly AgentEvent[];
  /** It has ended; `errors` is the end of its standard error. */
  end(exit: number | null, errors: string): AgentOutcome;
}

export interface AgentOutcome {
  readonly finalText: string;
  /** As it is stored: `claude:<id>`. */
  readonly session: string | null;
  readonly program: string | null;
  readonly usage: Usage | null;
  readonly fault: Fault | null;
  readonly asks: readonly Ask[];
  readonly warnings: readonly string[];
}

// The port of a coding agent: how to start its program, a reader for its output, and what doctor and `hook install`
// need to know.
import type { Environment } from '../../base/index.js';
import type { Ask } from '../../engine/index.js';
import type { AgentConfig, AgentKind } from '../../jobs/index.js';
import type { Seat } from '../processes/environment.js';
import type { Fault } from '../processes/run-process.js';

/** A seat whose executor is a coding agent, with its role's settings already merged in. */
export interface AgentSeat extends Omit<Seat, 'executor'> {
  readonly executor: AgentConfig;
}

/** What its faults name. */
export interface AgentIdentity extends AgentKind {
  /** How to log in, for people. */
  readonly login: string;
  /** The command that installs it. */
  readonly install: string;
}

/** One row of the registry. */
export interface CodingAgent extends AgentIdentity {
  readonly adapter: AgentAdapter;
  /** Whether it reports what a turn cost; otherwise a budget needs `prices`. */
  readonly reportsCost: 'always' | 'sometimes' | 'never';
  /** For doctor: whether the program is there, and which version. */
  probe(agent: AgentConfig, parent: Environment, folder: string): Promise<AgentVersion>;
  /** null: sessions that people run by hand cannot report to Bosun. */
  readonly hook: HookInstaller | null;
}

export type AgentVersion =
  | { readonly kind: 'there'; readonly version: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'broken'; readonly why: string };

export interface HookInstaller {
  /** The file that holds the hook, relative to the project's folder. */
  readonly path: string;
  /** Adds, replaces or removes the hook in the file's text; null: no file. Throws if the file must not be changed. */
  edit(before: string | null, change: HookChange): string | null;
  /** Printed after an installation. */
  readonly notes: readonly string[];
}

export interface HookChange {
  readonly project: string;
  /** null: remove the hook. */
  readonly call: HookCall | null;
}

/** The command that reports the end of a session, with absolute paths. */
export interface HookCall {
  readonly argv: readonly string[];
}

export interface AgentAdapter {
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

// The port of a coding agent: a conversation with its program (events come out, requests go to a person, answers go
// back), and what doctor and `hook install` need to know.
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
  probe(agent: AgentConfig, parent: Environment, folder: string, how: Probe): Promise<AgentVersion>;
  /** null: sessions that people run by hand cannot report to Bosun. */
  readonly hook: HookInstaller | null;
  /** How a person continues one of its sessions in a terminal; null: they cannot. */
  readonly terminal: ((session: TerminalSession) => TerminalLaunch) | null;
}

export interface TerminalSession {
  readonly id: string;
  /** Called at the end of each turn; null: nothing is reported. */
  readonly hook: HookCall | null;
  /** Where the files of the launch will be, while the session lasts. */
  readonly folder: string;
}

export interface TerminalLaunch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** By name, to be written before the start. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Probe {
  /** Bosun's home. */
  readonly home: string;
  /** Whether it may call a model to see how the program behaves. */
  readonly tries: boolean;
}

export type AgentVersion =
  | { readonly kind: 'there'; readonly version: string }
  /** It runs, but something that Bosun or a setting counts on is not there. */
  | { readonly kind: 'limited'; readonly version: string; readonly why: string; readonly hint: string }
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

export type AgentAdapter = OneShotAdapter | SessionAdapter;

/** One prompt on standard input, one answer, and no way to ask in between. */
export interface OneShotAdapter {
  /** The signal after which the program still reports what it spent. */
  readonly stopSignal: NodeJS.Signals;
  launch(seat: AgentSeat, context: AdapterContext): AgentLaunch;
  reader(seat: AgentSeat, context: AdapterContext): AgentReader;
}

export interface SessionAdapter {
  /** null: the seat's settings want the fallback. */
  open(seat: AgentSeat, context: AdapterContext): AgentSession | null;
  /** Runs in the same attempt if the session ends with the fault `cannot_converse`; null: there is no other way. */
  readonly fallback: OneShotAdapter | null;
  /** Before the first attempt: whether the program keeps to `permission`. Absent: its protocol makes it. */
  readonly trial?: (seat: AgentSeat, parts: TrialParts) => Promise<TrialResult>;
}

export interface TrialParts {
  readonly environment: Environment;
  /** Bosun's home, where verdicts are kept; null: nowhere. */
  readonly home: string | null;
  readonly killGraceMs: number;
  readonly now: () => number;
  readonly clock: () => number;
  readonly signal: AbortSignal;
}

export interface TrialResult {
  /** null: the attempt may begin. */
  readonly fault: Fault | null;
  readonly usage: Usage | null;
  /** For the log. */
  readonly words: string | null;
}

/** A conversation with one process. It reads lines, but may also emit what it hears elsewhere, such as over HTTP. */
export interface AgentSession extends AgentReader {
  readonly stopSignal: NodeJS.Signals;
  /** Arguments and environment of the process. */
  readonly launch: Pick<AgentLaunch, 'args' | 'env'>;
  /** The process runs: open the session and send the prompt. */
  begin(host: SessionHost): void;
  /** Answers a request once. A request that the program has withdrawn meanwhile is left alone. */
  answer(id: string, answer: RequestAnswer): void;
  /** Ends the running turn, then the program. false: it can only be stopped by its signal. */
  interrupt(): boolean;
  /**
   * Gives a person's words to the running turn; false: it was over. Absent: the program takes none. Called only after the
   * session has emitted `listens`.
   */
  steer?(text: string): Promise<boolean>;
}

export interface SessionHost {
  /** Writes to the program's standard input. */
  send(text: string): void;
  /** Closes standard input; a program that does not exit in time is ended. null: no limit. */
  close(exitWithinMs: number | null): void;
  emit(events: readonly AgentEvent[]): void;
}

/** A request that the program waits for. It is bound to this session and to one turn of it. */
export type AgentRequest =
  | ({
      readonly kind: 'permission';
      readonly tool: string;
      /** What a grant is bound to, to the character: command, folder, patch. */
      readonly input: Readonly<Record<string, unknown>>;
      /** The agent's own words, which a grant is not bound to. */
      readonly reason: string | null;
    } & RequestPlace)
  | ({ readonly kind: 'question'; readonly text: string; readonly options: readonly string[] } & RequestPlace);

interface RequestPlace {
  /** Unique in the session. */
  readonly id: string;
  readonly turn: string;
}

export type RequestAnswer =
  /** Bosun itself keeps what is allowed for the run and answers the next such request, so the agent hears no more. */
  | { readonly kind: 'allowed' }
  /** null: without a reason. */
  | { readonly kind: 'denied'; readonly why: string | null }
  /** `said`: the person's own words; `text` also names them. */
  | { readonly kind: 'answered'; readonly text: string; readonly said: string }
  /** No person answered in time, or none could be asked. */
  | { readonly kind: 'expired'; readonly why: string };

export interface AdapterContext {
  /** Path of the script that started Bosun; agents use it to start the MCP server. null: none. */
  readonly entry: string | null;
  /** The rest of the budget; null: no limit. */
  readonly leftUsd: number | null;
  /** Wall-clock time in ms. */
  readonly clock: () => number;
  /** Bosun's own. */
  readonly environment: Environment;
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
  /** The program waits for an answer. */
  | { readonly type: 'request'; readonly request: AgentRequest }
  /** The program no longer waits for it. */
  | { readonly type: 'withdrawn'; readonly id: string }
  /** The agent's `report_progress`. */
  | { readonly type: 'progress'; readonly text: string }
  /** The program would go on forever unless stopped, or breaks its protocol. */
  | { readonly type: 'stuck'; readonly fault: Fault }
  /** From now on its turn takes words. */
  | { readonly type: 'listens' }
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
  /** The turn is complete, although the program exits otherwise. */
  readonly exit?: 0;
}

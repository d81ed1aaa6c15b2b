// Events come out of an agent, requests go to a person, answers go back.
import type { Environment } from '../../base/index.js';
import type { Ask } from '../../engine/index.js';
import type { AgentConfig, AgentKind } from '../../jobs/index.js';
import type { Seat } from '../processes/environment.js';
import type { Fault } from '../processes/run-process.js';

export interface AgentSeat extends Omit<Seat, 'executor'> {
  readonly executor: AgentConfig;
}

export interface AgentIdentity extends AgentKind {
  readonly login: string;
  readonly install: string;
}

export interface CodingAgent extends AgentIdentity {
  readonly adapter: AgentAdapter;
  readonly reportsCost: 'always' | 'sometimes' | 'never';
  probe(agent: AgentConfig, parent: Environment, folder: string, how: Probe): Promise<AgentVersion>;
  /** Null: sessions that people run cannot report. */
  readonly hook: HookInstaller | null;
  /** Null: no terminal can continue a session. */
  readonly terminal: ((session: TerminalSession) => TerminalLaunch) | null;
}

export interface TerminalSession {
  readonly id: string;
  /** Called after each turn; null: nothing is reported. */
  readonly hook: HookCall | null;
  readonly folder: string;
}

export interface TerminalLaunch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}

export interface Probe {
  readonly home: string;
  readonly tries: boolean;
}

export type AgentVersion =
  | { readonly kind: 'there'; readonly version: string }
  /** It runs, but lacks something that Bosun or a setting needs. */
  | { readonly kind: 'limited'; readonly version: string; readonly why: string; readonly hint: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'broken'; readonly why: string };

export interface HookInstaller {
  readonly path: string;
  /** Null: no file. Throws if the file must not change. */
  edit(before: string | null, change: HookChange): string | null;
  readonly notes: readonly string[];
}

export interface HookChange {
  readonly project: string;
  readonly call: HookCall | null;
}

export interface HookCall {
  readonly argv: readonly string[];
}

export type AgentAdapter = OneShotAdapter | SessionAdapter;

export interface OneShotAdapter {
  /** The program must still report its spending after this. */
  readonly stopSignal: NodeJS.Signals;
  launch(seat: AgentSeat, context: AdapterContext): AgentLaunch;
  reader(seat: AgentSeat, context: AdapterContext): AgentReader;
}

export interface SessionAdapter {
  /** Null: the settings want the fallback. */
  open(seat: AgentSeat, context: AdapterContext): AgentSession | null;
  readonly fallback: OneShotAdapter | null;
  /** Checks before the first attempt that the program obeys `permission`. Absent: its protocol guarantees it. */
  readonly trial?: (seat: AgentSeat, parts: TrialParts) => Promise<TrialResult>;
}

export interface TrialParts {
  readonly environment: Environment;
  /** Keeps verdicts; null: none are kept. */
  readonly home: string | null;
  readonly killGraceMs: number;
  readonly now: () => number;
  readonly clock: () => number;
  readonly signal: AbortSignal;
}

export interface TrialResult {
  /** Null: the attempt may begin. */
  readonly fault: Fault | null;
  readonly usage: Usage | null;
  readonly words: string | null;
}

/** A conversation with one process, by lines or another way such as HTTP. */
export interface AgentSession extends AgentReader {
  readonly stopSignal: NodeJS.Signals;
  readonly launch: Pick<AgentLaunch, 'args' | 'env'>;
  begin(host: SessionHost): void;
  /** Once per request. Withdrawn requests are left alone. */
  answer(id: string, answer: RequestAnswer): void;
  /** Ends the turn, then the program. False: only a signal stops it. */
  interrupt(): boolean;
  /** False: the turn was over. Absent: the program takes no words. Only after `listens`. */
  steer?(text: string): Promise<boolean>;
}

export interface SessionHost {
  send(text: string): void;
  /** Closes standard input and ends a program that outstays the limit; null: no limit. */
  close(exitWithinMs: number | null): void;
  emit(events: readonly AgentEvent[]): void;
}

/** Bound to this session and one turn of it. */
export type AgentRequest =
  | ({
      readonly kind: 'permission';
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
      /** The agent's own words; no grant is bound to them. */
      readonly reason: string | null;
    } & RequestPlace)
  | ({ readonly kind: 'question'; readonly text: string; readonly options: readonly string[] } & RequestPlace);

interface RequestPlace {
  readonly id: string;
  readonly turn: string;
}

export type RequestAnswer =
  /** Bosun keeps grants for the run, so the agent hears no more. */
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly why: string | null }
  /** `said`: the words alone; `text` names the person too. */
  | { readonly kind: 'answered'; readonly text: string; readonly said: string }
  /** No answer in time, or no one to ask. */
  | { readonly kind: 'expired'; readonly why: string };

export interface AdapterContext {
  /** Bosun's script that starts the MCP server. */
  readonly entry: string | null;
  readonly leftUsd: number | null;
  readonly clock: () => number;
  readonly environment: Environment;
}

export interface AgentLaunch {
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
}

export type AgentEvent =
  | { readonly type: 'started'; readonly session: string | null; readonly program: string }
  | { readonly type: 'action'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'printed'; readonly text: string }
  | ({ readonly type: 'usage' } & Usage)
  | { readonly type: 'question'; readonly text: string; readonly options: readonly string[] }
  /** The program waits for an answer. */
  | { readonly type: 'request'; readonly request: AgentRequest }
  /** The program no longer waits. */
  | { readonly type: 'withdrawn'; readonly id: string }
  | { readonly type: 'progress'; readonly text: string }
  /** It would go on forever, or breaks its protocol. */
  | { readonly type: 'stuck'; readonly fault: Fault }
  /** Its turn takes words from now on. */
  | { readonly type: 'listens' }
  | { readonly type: 'completed' };

export interface Usage {
  readonly costUsd: number | null;
  /** Includes cached tokens, once. */
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** The report is in the `text` events that it returns. */
export interface AgentReader {
  /** Null: not understood. Never throws. */
  read(line: string): readonly AgentEvent[] | null;
  hear(line: string): readonly AgentEvent[];
  /** `errors`: the end of standard error. */
  end(exit: number | null, errors: string): AgentOutcome;
}

export interface AgentOutcome {
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

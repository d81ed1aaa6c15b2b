// The port of a coding agent: events come out, requests go to a person, answers go back.
import type { Environment } from '../../base/index.js';
import type { Ask } from '../../engine/index.js';
import type { AgentConfig, AgentKind } from '../../jobs/index.js';
import type { Seat } from '../processes/environment.js';
import type { Fault } from '../processes/run-process.js';

/** With its role's settings merged in. */
export interface AgentSeat extends Omit<Seat, 'executor'> {
  readonly executor: AgentConfig;
}

export interface AgentIdentity extends AgentKind {
  readonly login: string;
  readonly install: string;
}

/** One row of the registry. */
export interface CodingAgent extends AgentIdentity {
  readonly adapter: AgentAdapter;
  readonly reportsCost: 'always' | 'sometimes' | 'never';
  probe(agent: AgentConfig, parent: Environment, folder: string, how: Probe): Promise<AgentVersion>;
  /** Null: sessions that people run cannot report. */
  readonly hook: HookInstaller | null;
  /** Continues a session in a terminal; null: impossible. */
  readonly terminal: ((session: TerminalSession) => TerminalLaunch) | null;
}

export interface TerminalSession {
  readonly id: string;
  /** Called after each turn; null: nothing is reported. */
  readonly hook: HookCall | null;
  /** Lasts as long as the session. */
  readonly folder: string;
}

export interface TerminalLaunch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** By name, written before the start. */
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
  /** Relative to the project folder. */
  readonly path: string;
  /** Changes the file's text; null: no file. Throws if the file must not change. */
  edit(before: string | null, change: HookChange): string | null;
  readonly notes: readonly string[];
}

export interface HookChange {
  readonly project: string;
  readonly call: HookCall | null;
}

/** Reports a session's end; absolute paths. */
export interface HookCall {
  readonly argv: readonly string[];
}

export type AgentAdapter = OneShotAdapter | SessionAdapter;

/** One prompt, one answer, no questions. */
export interface OneShotAdapter {
  /** After it the program still reports its spending. */
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
  /** For verdicts; null: none are kept. */
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

/** A conversation with one process, by lines or other ways such as HTTP. */
export interface AgentSession extends AgentReader {
  readonly stopSignal: NodeJS.Signals;
  readonly launch: Pick<AgentLaunch, 'args' | 'env'>;
  /** Once the process runs: opens the session and sends the prompt. */
  begin(host: SessionHost): void;
  /** Once; withdrawn requests are left alone. */
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
  /** Null: no reason. */
  | { readonly kind: 'denied'; readonly why: string | null }
  /** `said`: the words alone; `text` names the person too. */
  | { readonly kind: 'answered'; readonly text: string; readonly said: string }
  /** No answer in time, or no one to ask. */
  | { readonly kind: 'expired'; readonly why: string };

export interface AdapterContext {
  /** Bosun's script, for starting the MCP server. Null: none. */
  readonly entry: string | null;
  readonly leftUsd: number | null;
  /** Wall clock, ms. */
  readonly clock: () => number;
  /** Bosun's own environment. */
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
  /** A command's output, for the log only. */
  | { readonly type: 'printed'; readonly text: string }
  /** A running total of usage. */
  | ({ readonly type: 'usage' } & Usage)
  | { readonly type: 'question'; readonly text: string; readonly options: readonly string[] }
  /** The program waits for an answer. */
  | { readonly type: 'request'; readonly request: AgentRequest }
  /** The program no longer waits for it. */
  | { readonly type: 'withdrawn'; readonly id: string }
  | { readonly type: 'progress'; readonly text: string }
  /** It would go on for ever, or breaks its protocol. */
  | { readonly type: 'stuck'; readonly fault: Fault }
  /** From now on its turn takes words. */
  | { readonly type: 'listens' }
  | { readonly type: 'completed' };

export interface Usage {
  readonly costUsd: number | null;
  /** With cached tokens, counted once. */
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface AgentReader {
  /** Null: not understood. Never throws. */
  read(line: string): readonly AgentEvent[] | null;
  hear(line: string): readonly AgentEvent[];
  /** After exit; `errors`: the end of standard error. */
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
  /** Complete, although the program exits otherwise. */
  readonly exit?: 0;
}

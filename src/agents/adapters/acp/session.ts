// One ACP session. Invariants:
// 1. Each request gets exactly one answer, and none is granted after its turn.
// 2. A malformed message ends the attempt with a fault: it is never taken for consent.
// 3. The handshake has a time limit; the turn has the attempt's.
import type {
  AdapterContext,
  AgentEvent,
  AgentOutcome,
  AgentSeat,
  AgentSession,
  RequestAnswer,
  SessionHost,
} from '../port.js';
import { type Json, objectAt, objectOf, objectsAt, textAt, valueAt } from '../shared/foreign-json.js';
import { type Incoming, JsonRpc, type RpcId } from '../shared/json-rpc.js';
import { openQuestion } from '../shared/open-question.js';
import { unaskedCommands } from '../shared/own-rules.js';
import { commandLimits, printSession, promptFor, resumedSession } from '../shared/seat.js';
import { ClientRequests, type Unfit } from './client-requests.js';
import { AcpFaults } from './faults.js';
import { greeting, modelChoice, newSession, runOf } from './handshake.js';
import { identity } from './identity.js';
import { AcpRequests, invalidRequest } from './open-requests.js';
import { sessionIn } from './permissions.js';
import { Terminals } from './terminals.js';
import { ToolCalls } from './tool-calls.js';
import { Updates } from './updates.js';

const usualPatienceMs = 60_000;
const usualExitMs = 5_000;
const maxWarnings = 10;
const usualFollowUps = 20;

export interface AcpOptions {
  readonly patienceMs?: number;
  readonly exitWithinMs?: number;
  /** Handshake only, which costs nothing. */
  readonly isGreeting?: boolean;
  readonly maxFollowUps?: number;
}

export function openAcp(seat: AgentSeat, context: AdapterContext, options: AcpOptions = {}): AcpSession {
  return new AcpSession(seat, context, options);
}

type Phase = 'new' | 'handshake' | 'turn' | 'cancelling' | 'over';

export class AcpSession implements AgentSession {
  readonly stopSignal = 'SIGTERM';
  readonly launch: AgentSession['launch'];
  readonly #context: AdapterContext;
  readonly #options: AcpOptions;
  readonly #client: ClientRequests;
  readonly #updates: Updates;
  readonly #faults: AcpFaults;
  readonly #open: AcpRequests;
  readonly #warnings = new Set<string>();
  /** `resume` is dropped if the agent no longer has that session. */
  #seat: AgentSeat;
  #host: SessionHost | null = null;
  #rpc: JsonRpc | null = null;
  #phase: Phase = 'new';
  #isGreeted = false;
  #timer: NodeJS.Timeout | undefined;
  #session: string | null = null;
  #program: string | null = null;
  #turn = 0;
  #understood = 0;
  #isCompleted = false;

  constructor(seat: AgentSeat, context: AdapterContext, options: AcpOptions) {
    const terminals = new Terminals();
    const calls = new ToolCalls(seat.workdir, terminals);
    const hasHands = seat.executor.wrap.length === 0;
    this.#seat = seat;
    this.#context = context;
    this.#options = options;
    this.#client = new ClientRequests({ seat, environment: context.environment, calls, terminals, hasHands });
    this.#updates = new Updates(calls, seat.executor.prices);
    this.#faults = new AcpFaults(seat, context.clock);
    this.#open = new AcpRequests({
      rpc: () => this.#rpc,
      permission: seat.executor.permission,
      warn: (text) => this.#warn(text),
    });
    this.launch = { args: [...runOf(seat.executor).slice(1), ...seat.executor.args], env: {} };
  }

  get program(): string | null {
    return this.#program;
  }

  hasAsked(words: string): boolean {
    return this.#open.hasAsked(words);
  }

  begin(host: SessionHost): void {
    this.#host = host;
    this.#rpc = new JsonRpc((line) => host.send(line), '2.0');
    this.#phase = 'handshake';
    this.#call('initialize', greeting(this.#seat));
  }

  read(line: string): readonly AgentEvent[] | null {
    // Programs print notices before they begin.
    const isNoise = line.trim() === '' || (!this.#isGreeted && !line.startsWith('{'));
    if (this.#rpc === null || isNoise) return null;
    const said = this.#rpc.take(line);
    if (said.kind !== 'broken') this.#understood += 1;
    return this.#take(said);
  }

  hear(): readonly AgentEvent[] {
    return [];
  }

  answer(id: string, answer: RequestAnswer): void {
    this.#open.answer(id, answer);
  }

  interrupt(): boolean {
    if (this.#phase !== 'turn') return false;
    this.#phase = 'cancelling';
    this.#host?.emit(this.#open.cancelAll());
    this.#rpc?.notify('session/cancel', { sessionId: this.#session });
    return true;
  }

  end(exit: number | null, errors: string): AgentOutcome {
    clearTimeout(this.#timer);
    this.#client.close();
    this.#updates.flush();
    const { finalText, usage } = this.#updates;
    const fault = this.#isCompleted ? null : this.#faults.atEnd({ exit, errors, understood: this.#understood });
    const open = this.#isCompleted ? openQuestion(finalText) : null;
    const isGone = this.#session === null || fault?.code === 'session_gone';
    return {
      session: isGone ? null : printSession(identity.kind, this.#session ?? ''),
      program: this.#program,
      usage,
      fault,
      asks: open === null ? [] : [{ kind: 'question', ...open, permission: null }],
      warnings: [...this.#warnings],
    };
  }

  #take(said: Incoming): readonly AgentEvent[] {
    switch (said.kind) {
      case 'broken':
        return this.#fail('bad_protocol', `it sent ${said.why}`);
      case 'result':
        return this.#proceed(said.to, said.result);
      case 'error':
        return this.#refused(said.to, said);
      case 'request':
        return this.#request(said.id, said.method, said.params);
      case 'notification':
        return this.#notified(said.method, said.params);
    }
  }

  #proceed(to: string, result: unknown): readonly AgentEvent[] {
    if (this.#phase === 'over') return [];
    clearTimeout(this.#timer);
    switch (to) {
      case 'initialize':
        return this.#greeted(objectOf(result));
      case 'session/new':
      case 'session/load':
      case 'session/resume':
        return this.#sessionOpen(to, objectOf(result));
      case 'session/set_config_option':
        return this.#firstPrompt();
      case 'session/prompt':
        return this.#turnOver(objectOf(result));
      default:
        return [];
    }
  }

  #greeted(result: Json | null): readonly AgentEvent[] {
    const version = valueAt(result, 'protocolVersion');
    if (version !== 1) return this.#fail('bad_protocol', `it speaks version ${JSON.stringify(version)} of ACP, not 1`);
    this.#isGreeted = true;
    const info = objectAt(result, 'agentInfo');
    const words = [textAt(info, 'name') ?? runOf(this.#seat.executor)[0], textAt(info, 'version')];
    this.#program = words
      .filter((word) => word !== null)
      .join(' ')
      .slice(0, 100);
    this.#faults.authMethods = objectsAt(result, 'authMethods').flatMap((one) => textAt(one, 'name') ?? []);
    if (this.#options.isGreeting === true) return this.#completed();
    const opening = newSession(this.#seat, this.#context, objectAt(result, 'agentCapabilities'));
    if (opening.method === 'session/new') this.#seat = { ...this.#seat, resume: null };
    this.#call(opening.method, opening.params);
    return [];
  }

  #sessionOpen(to: string, result: Json | null): readonly AgentEvent[] {
    this.#session = to === 'session/new' ? textAt(result, 'sessionId') : resumedSession(this.#seat);
    if (this.#session === null) return this.#fail('bad_protocol', `it answered ${to} without a session`);
    const started: AgentEvent = {
      type: 'started',
      session: printSession(identity.kind, this.#session),
      program: this.#program ?? identity.kind,
    };
    const choice = modelChoice(this.#seat.executor, result);
    if (choice.kind === 'unknown') return [started, ...this.#fail('bad_arguments', choice.why)];
    if (choice.kind === 'none') return [started, ...this.#firstPrompt()];
    this.#call('session/set_config_option', { sessionId: this.#session, ...choice.params });
    return [started];
  }

  #firstPrompt(): readonly AgentEvent[] {
    const limits = commandLimits(this.#seat, unaskedCommands(this.#seat));
    return this.#prompt(promptFor(this.#seat, this.#context.entry, limits));
  }

  #prompt(text: string): readonly AgentEvent[] {
    clearTimeout(this.#timer);
    this.#phase = 'turn';
    this.#turn += 1;
    this.#rpc?.call('session/prompt', { sessionId: this.#session, prompt: [{ type: 'text', text }] });
    return [];
  }

  #turnOver(result: Json | null): readonly AgentEvent[] {
    const events = [...this.#updates.turnOver(result), ...this.#open.cancelAll()];
    const reason = textAt(result, 'stopReason');
    if (reason !== 'end_turn' || this.#phase === 'cancelling') {
      this.#faults.stopped(reason);
      return [...events, ...this.#close()];
    }
    // Some agents end their turn at a refusal without a word.
    const told = this.#turn > (this.#options.maxFollowUps ?? usualFollowUps) ? null : this.#open.takeUntold();
    if (told === null) return [...events, ...this.#completed()];
    return [
      ...events,
      { type: 'note', text: '[bosun] its turn ended at a refusal: another follows' },
      ...this.#prompt(told),
    ];
  }

  #completed(): readonly AgentEvent[] {
    this.#isCompleted = true;
    return [{ type: 'completed' }, ...this.#close()];
  }

  #refused(to: string, error: { readonly code: number; readonly message: string }): readonly AgentEvent[] {
    if (this.#phase === 'over') return [{ type: 'note', text: `[error] ${to}: ${error.message}` }];
    this.#faults.refused(to, error);
    return [{ type: 'note', text: `[error] ${to}: ${error.message}` }, ...this.#updates.flush(), ...this.#close()];
  }

  #request(to: RpcId, method: string, params: unknown): readonly AgentEvent[] {
    const isOwn =
      sessionIn(params) === this.#session || (method.startsWith('elicitation/') && sessionIn(params) === null);
    if (this.#phase !== 'turn' || !isOwn) {
      this.#rpc?.refuse(to, 'There is no such turn.', invalidRequest);
      return [{ type: 'note', text: `[refused] a request outside its turn: ${method.slice(0, 100)}` }];
    }
    const read = this.#client.read(method, params);
    switch (read.kind) {
      case 'reply':
        this.#rpc?.answer(to, read.result);
        return [];
      case 'later':
        void read.result.then((result) => this.#rpc?.answer(to, result));
        return [];
      case 'error':
        this.#rpc?.refuse(to, read.why, invalidRequest);
        return [{ type: 'note', text: `[refused] ${read.why}` }];
      case 'unfit':
        return this.#decline(to, read);
      case 'asking':
        return this.#open.decide(to, read, `p${this.#turn}`);
    }
  }

  #decline(to: RpcId, { why, result, code }: Unfit): readonly AgentEvent[] {
    if (result === undefined) this.#rpc?.refuse(to, why, code);
    else this.#rpc?.answer(to, result);
    this.#warn(why);
    return [{ type: 'note', text: `[refused] ${why}` }];
  }

  #notified(method: string, params: unknown): readonly AgentEvent[] {
    if (method === '$/cancel_request') return this.#open.cancel(valueAt(objectOf(params), 'requestId'));
    if (method !== 'session/update') return [];
    const update = objectAt(objectOf(params), 'update');
    if (this.#phase === 'handshake') this.#updates.replay(update);
    const isPast = this.#turn === 0 || this.#phase === 'over';
    if (this.#session === null || sessionIn(params) !== this.#session || isPast) return [];
    const kind = textAt(update, 'sessionUpdate');
    if (kind === 'agent_message_chunk' || kind === 'tool_call') this.#open.forgetUntold();
    return this.#updates.take(update);
  }

  #warn(text: string): void {
    if (this.#warnings.size < maxWarnings) this.#warnings.add(`${identity.kind}: ${text}`);
  }

  #close(): readonly AgentEvent[] {
    const events = this.#open.cancelAll();
    this.#phase = 'over';
    clearTimeout(this.#timer);
    this.#client.close();
    this.#host?.close(this.#options.exitWithinMs ?? usualExitMs);
    return events;
  }

  #fail(code: string, message: string): readonly AgentEvent[] {
    if (this.#phase === 'over') return [{ type: 'note', text: `[error] ${message}` }];
    const fault = this.#faults.own(code, message);
    return [...this.#close(), { type: 'stuck', fault }];
  }

  #call(method: string, params: object): void {
    this.#rpc?.call(method, params);
    clearTimeout(this.#timer);
    const patienceMs = this.#options.patienceMs ?? usualPatienceMs;
    const silent = () => {
      this.#host?.emit(this.#fail('agent_silent', `it did not answer ${method} within ${patienceMs / 1000} s`));
    };
    this.#timer = setTimeout(silent, patienceMs);
  }
}

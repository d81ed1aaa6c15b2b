// One thread and turn of `codex app-server`. Invariants:
// 1. Each request gets exactly one answer, and none after its turn.
// 2. A malformed message ends the attempt with a fault: it is never taken for consent.
// 3. The handshake has a time limit; the turn has the attempt's.
import { z } from 'zod';
import type {
  AdapterContext,
  AgentEvent,
  AgentOutcome,
  AgentSeat,
  AgentSession,
  RequestAnswer,
  SessionHost,
} from '../../port.js';
import { cannotConverse, failed } from '../../shared/faults.js';
import { type Json, objectAt, objectOf, textAt, valueAt } from '../../shared/foreign-json.js';
import { type Incoming, JsonRpc } from '../../shared/json-rpc.js';
import { openQuestion } from '../../shared/open-question.js';
import { printSession, resumedSession } from '../../shared/seat.js';
import { Complaints } from '../complaints.js';
import { codexEnv, serverArgs } from '../exec.js';
import { programOf } from '../exec-reader.js';
import { identity } from '../identity.js';
import { CodexItems } from '../items.js';
import { type OpenRequest, OpenRequests } from './open-requests.js';
import { ownTools } from './own-tools.js';
import { firstInput, inputOf, serverLaunch, threadSettings } from './thread-settings.js';
import { ThreadTokens } from './thread-tokens.js';

const usualPatienceMs = 30_000;
const exitWithinMs = 5_000;
const maxWarnings = 10;
const lacksAppServer = /unrecognized subcommand|unexpected argument|unexpected value|stdin is not a terminal/i;

export function openAppServer(seat: AgentSeat, context: AdapterContext, patienceMs = usualPatienceMs): AgentSession {
  return new AppServer(seat, context, patienceMs);
}

type Phase = 'new' | 'handshake' | 'turn' | 'over';

const threadReply = z.looseObject({ thread: z.looseObject({ id: z.string().regex(/^[A-Za-z0-9][\w-]{0,99}$/) }) });
const turnReply = z.looseObject({ turn: z.looseObject({ id: z.string().min(1).max(200) }) });

class AppServer implements AgentSession {
  readonly stopSignal = 'SIGTERM';
  readonly launch: AgentSession['launch'];
  readonly #seat: AgentSeat;
  readonly #patienceMs: number;
  readonly #complaints: Complaints;
  readonly #items: CodexItems;
  readonly #tokens: ThreadTokens;
  readonly #warnings = new Set<string>();
  #host: SessionHost | null = null;
  #rpc: JsonRpc | null = null;
  #requests: OpenRequests | null = null;
  #phase: Phase = 'new';
  #isGreeted = false;
  #timer: NodeJS.Timeout | undefined;
  #thread: string | null = null;
  #turn: string | null = null;
  #understood = 0;
  #isCompleted = false;
  readonly #steers = new Map<number, (isHeard: boolean) => void>();

  constructor(seat: AgentSeat, context: AdapterContext, patienceMs: number) {
    this.#seat = seat;
    this.#patienceMs = patienceMs;
    this.#complaints = new Complaints(context.clock);
    this.#items = new CodexItems(seat.workdir);
    this.#tokens = new ThreadTokens(seat);
    this.launch = {
      args: serverLaunch(seat, this.#tokens.hasTools ? [] : serverArgs(seat, context)),
      env: codexEnv(seat),
    };
  }

  begin(host: SessionHost): void {
    this.#host = host;
    const rpc = new JsonRpc((line) => host.send(line));
    this.#rpc = rpc;
    this.#requests = new OpenRequests({
      ...{ seat: this.#seat, rpc },
      isOver: (request) => this.#phase === 'over' || (this.#turn !== null && this.#isOver(request)),
      warn: (text) => {
        if (this.#warnings.size < maxWarnings) this.#warnings.add(text);
      },
    });
    this.#phase = 'handshake';
    this.#call('initialize', {
      clientInfo: { name: 'bosun', title: 'Bosun', version: '1' },
      // Client tools are experimental.
      capabilities: { experimentalApi: true, requestAttestation: false },
    });
  }

  read(line: string): readonly AgentEvent[] | null {
    // A wrapper may print before Codex begins.
    const isNoise = line.trim() === '' || (!this.#isGreeted && !line.startsWith('{'));
    if (this.#rpc === null || isNoise) return null;
    const said = this.#rpc.take(line);
    if (said.kind !== 'broken') this.#understood += 1;
    return this.#take(said);
  }

  hear(line: string): readonly AgentEvent[] {
    return this.#complaints.hear(line);
  }

  answer(id: string, answer: RequestAnswer): void {
    const request = this.#requests?.answer(id, answer);
    if (request?.ask.kind === 'permission' && answer.kind !== 'allowed') this.#tellWhy(request, answer);
  }

  interrupt(): boolean {
    const [threadId, turnId] = [this.#thread, this.#turn];
    if (this.#phase !== 'turn' || threadId === null || turnId === null) return false;
    this.#host?.emit(this.#withdraw());
    this.#rpc?.call('turn/interrupt', { threadId, turnId });
    return true;
  }

  steer(text: string): Promise<boolean> {
    const [rpc, threadId, turnId] = [this.#rpc, this.#thread, this.#turn];
    if (this.#phase !== 'turn' || rpc === null || threadId === null || turnId === null) return Promise.resolve(false);
    const id = rpc.call('turn/steer', steering(threadId, turnId, text));
    return new Promise((resolve) => this.#steers.set(id, resolve));
  }

  end(exit: number | null, errors: string): AgentOutcome {
    clearTimeout(this.#timer);
    this.#loseSteers();
    const thread = this.#thread;
    if (thread !== null) this.#tokens.store(thread);
    const fault = this.#fault(exit, errors);
    const open = fault === null && this.#isCompleted ? openQuestion(this.#items.finalText) : null;
    return {
      session: thread === null || fault?.code === 'session_gone' ? null : printSession(identity.kind, thread),
      program: programOf(this.#seat),
      usage: this.#tokens.usage,
      fault,
      asks: open === null ? [] : [{ kind: 'question', ...open, permission: null }],
      warnings: [...this.#warnings],
    };
  }

  #fault(exit: number | null, errors: string): AgentOutcome['fault'] {
    const isRefused = !this.#isGreeted && exit !== null && exit !== 0;
    if (isRefused && lacksAppServer.test(errors)) {
      const said = failed('codex', errors).message;
      const message = `${said} (Bosun needs codex app-server: use Codex 0.169 or newer, and only \`-c\` in \`args\`)`;
      return { code: cannotConverse, message, remedy: 'ask' };
    }
    return this.#complaints.fault({ exit, errors, isCompleted: this.#isCompleted, understood: this.#understood });
  }

  #take(said: Incoming): readonly AgentEvent[] {
    switch (said.kind) {
      case 'broken':
        return this.#fail('bad_protocol', `codex app-server sent ${said.why}`);
      case 'result':
        this.#steered(said.id, true);
        return this.#proceed(said.to, said.result);
      case 'error':
        this.#steered(said.id, false);
        return this.#refused(said.to, said.message);
      case 'request':
        return this.#requests?.take(said.id, said.method, said.params) ?? [];
      case 'notification':
        return this.#notified(said.method, objectOf(said.params));
    }
  }

  #proceed(to: string, result: unknown): readonly AgentEvent[] {
    if (this.#phase !== 'handshake') return [];
    clearTimeout(this.#timer);
    switch (to) {
      case 'initialize':
        this.#isGreeted = true;
        this.#rpc?.notify('initialized');
        this.#openThread();
        return [];
      case 'thread/start':
      case 'thread/resume': {
        const id = threadReply.safeParse(result).data?.thread.id;
        return id === undefined
          ? this.#fail('bad_protocol', `codex answered ${to} without a thread`)
          : this.#started(id);
      }
      case 'turn/start': {
        const id = turnReply.safeParse(result).data?.turn.id;
        if (id === undefined) return this.#fail('bad_protocol', 'codex answered turn/start without a turn');
        this.#turn = id;
        this.#phase = 'turn';
        return [{ type: 'listens' }];
      }
      default:
        return [];
    }
  }

  #openThread(): void {
    const { url } = this.#seat;
    const resumed = resumedSession(this.#seat);
    const settings = threadSettings(this.#seat);
    if (resumed !== null) this.#call('thread/resume', { ...settings, threadId: resumed, excludeTurns: true });
    else this.#call('thread/start', { ...settings, ...(url === '' ? {} : { dynamicTools: ownTools(this.#seat) }) });
  }

  #started(thread: string): readonly AgentEvent[] {
    this.#thread = thread;
    this.#tokens.started(thread);
    this.#call('turn/start', { threadId: thread, input: firstInput(this.#seat) });
    return [{ type: 'started', session: printSession(identity.kind, thread), program: programOf(this.#seat) }];
  }

  #refused(to: string, message: string): readonly AgentEvent[] {
    if (this.#phase !== 'handshake') return [{ type: 'note', text: `[error] ${to}: ${message}` }];
    const events = this.#complaints.error(message, false);
    return [...events, ...this.#close()];
  }

  /** A helper agent's turns are unknown until they ask. */
  #isOver({ thread, ask }: Pick<OpenRequest, 'thread' | 'ask'>): boolean {
    return thread === this.#thread && ask.turn !== '' && ask.turn !== this.#turn;
  }

  /** The protocol's refusal has no reason, so words to the running turn carry it. */
  #tellWhy({ thread, ask }: OpenRequest, answer: RequestAnswer): void {
    if (!('why' in answer) || answer.why === null || thread !== this.#thread || this.#phase !== 'turn') return;
    const text = `The permission was not granted. ${answer.why}`;
    this.#rpc?.call('turn/steer', steering(thread, ask.turn, text));
  }

  #steered(id: number, isHeard: boolean): void {
    this.#steers.get(id)?.(isHeard);
    this.#steers.delete(id);
  }

  /** The turn is over: no answer, or a refusal, follows. */
  #loseSteers(): void {
    for (const id of [...this.#steers.keys()]) this.#steered(id, false);
  }

  #notified(method: string, params: Json | null): readonly AgentEvent[] {
    const isHelpers = textAt(params, 'threadId') !== this.#thread;
    switch (method) {
      case 'item/started':
      case 'item/completed':
        return this.#item(objectAt(params, 'item'), method === 'item/completed', isHelpers);
      case 'thread/tokenUsage/updated':
        return this.#tokens.count(params);
      case 'turn/completed':
        return this.#turnOver(objectAt(params, 'turn'), isHelpers);
      case 'serverRequest/resolved':
        // Interrupted, or answered by another client.
        return this.#withdraw(({ to }) => to === valueAt(params, 'requestId'));
      case 'error': {
        const message = textAt(objectAt(params, 'error'), 'message') ?? '';
        return this.#complaints.error(message, valueAt(params, 'willRetry') === true);
      }
      case 'warning':
        return [{ type: 'note', text: `[warning] ${textAt(params, 'message') ?? ''}` }];
      default:
        return [];
    }
  }

  #item(item: Json | null, isDone: boolean, isHelpers: boolean): readonly AgentEvent[] {
    this.#requests?.notePatch(item);
    this.#complaints.worked();
    return this.#items.take(item, isDone, isHelpers) ?? [];
  }

  #turnOver(turn: Json | null, isHelpers: boolean): readonly AgentEvent[] {
    const id = textAt(turn, 'id');
    if (isHelpers) return this.#withdraw(({ ask }) => ask.turn === id);
    // Without the id it could end another turn.
    if (this.#phase !== 'turn' || id !== this.#turn) return [];
    if (textAt(turn, 'status') === 'completed') {
      this.#isCompleted = true;
      this.#complaints.forget();
      return [{ type: 'completed' }, ...this.#close()];
    }
    const message =
      textAt(objectAt(turn, 'error'), 'message') ?? `the turn was ${textAt(turn, 'status') ?? 'not finished'}`;
    return [...this.#complaints.error(message, false), ...this.#close()];
  }

  #withdraw(isMeant: (request: OpenRequest) => boolean = () => true): readonly AgentEvent[] {
    return this.#requests?.withdraw(isMeant) ?? [];
  }

  #close(): readonly AgentEvent[] {
    this.#phase = 'over';
    clearTimeout(this.#timer);
    this.#loseSteers();
    const events = this.#withdraw();
    this.#host?.close(exitWithinMs);
    return events;
  }

  #fail(code: string, message: string): readonly AgentEvent[] {
    if (this.#phase === 'over') return [{ type: 'note', text: `[error] ${message}` }];
    return [...this.#close(), { type: 'stuck', fault: { code, message, remedy: 'ask' } }];
  }

  #call(method: string, params: object): void {
    this.#rpc?.call(method, params);
    clearTimeout(this.#timer);
    const silent = () => {
      this.#host?.emit(
        this.#fail('agent_silent', `codex app-server did not answer ${method} within ${this.#patienceMs / 1000} s`),
      );
    };
    this.#timer = setTimeout(silent, this.#patienceMs);
  }
}

/** Race: with the expected turn Codex refuses once another runs. */
function steering(threadId: string, expectedTurnId: string, text: string): object {
  return { threadId, expectedTurnId, input: [inputOf(text)] };
}

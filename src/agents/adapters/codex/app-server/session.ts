// A conversation with `codex app-server`: one thread, one turn, its requests, its end. Invariants:
// 1. Each request of the server gets exactly one answer, and none after its turn has ended.
// 2. A message that does not fit the protocol ends the attempt with a fault: it is never taken for consent.
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
  Usage,
} from '../../port.js';
import { cannotConverse, failed } from '../../shared/faults.js';
import { type Json, numberAt, objectAt, objectOf, objectsAt, textAt, valueAt } from '../../shared/foreign-json.js';
import { openQuestion } from '../../shared/open-question.js';
import { printSession, promptWith, resumedSession } from '../../shared/seat.js';
import { noTokens, plus, type Tokens, usageOf } from '../../shared/usage.js';
import { Complaints } from '../complaints.js';
import { codexEnv, serverArgs } from '../exec.js';
import { programOf } from '../exec-reader.js';
import { identity } from '../identity.js';
import { CodexItems } from '../items.js';
import { minus, readThreadTotal, type ThreadTotal, writeThreadTotal } from '../thread-usage.js';
import {
  type CodexRequest,
  type FileChange,
  patchTool,
  progressIn,
  readRequest,
  shellTool,
  toolResult,
} from './approvals.js';
import { type Incoming, JsonRpc, type RpcId } from './json-rpc.js';
import { editsUnasked, runsUnasked } from './shell-line.js';

const usualPatienceMs = 30_000;
const exitWithinMs = 5_000;
const maxWarnings = 10;
const maxPatches = 1_000;

export function openAppServer(seat: AgentSeat, context: AdapterContext, patienceMs = usualPatienceMs): AgentSession {
  return new AppServer(seat, context, patienceMs);
}

type Phase = 'new' | 'handshake' | 'turn' | 'over';

interface OpenRequest extends CodexRequest {
  readonly to: RpcId;
}

const threadReply = z.looseObject({ thread: z.looseObject({ id: z.string().regex(/^[A-Za-z0-9][\w-]{0,99}$/) }) });
const turnReply = z.looseObject({ turn: z.looseObject({ id: z.string().min(1).max(200) }) });

class AppServer implements AgentSession {
  readonly stopSignal = 'SIGTERM';
  readonly launch: AgentSession['launch'];
  readonly #seat: AgentSeat;
  readonly #patienceMs: number;
  readonly #complaints: Complaints;
  readonly #items: CodexItems;
  readonly #open = new Map<string, OpenRequest>();
  readonly #patches = new Map<string, readonly FileChange[]>();
  readonly #threads = new Map<string, { readonly before: Tokens; readonly now: Tokens }>();
  readonly #warnings = new Set<string>();
  #host: SessionHost | null = null;
  #rpc: JsonRpc | null = null;
  #phase: Phase = 'new';
  #isGreeted = false;
  #timer: NodeJS.Timeout | undefined;
  #thread: string | null = null;
  #turn: string | null = null;
  #before: ThreadTotal = { ...noTokens, hasTools: false };
  #usage: Usage | null = null;
  #understood = 0;
  #isCompleted = false;

  constructor(seat: AgentSeat, context: AdapterContext, patienceMs: number) {
    this.#seat = seat;
    this.#patienceMs = patienceMs;
    this.#complaints = new Complaints(context.clock);
    this.#items = new CodexItems(seat.workdir);
    const resumed = resumedSession(seat);
    if (resumed !== null) this.#before = readThreadTotal(seat, resumed);
    // A thread that `codex exec` began has no tools of Bosun's and cannot get any later.
    const needsServer = resumed !== null && !this.#before.hasTools;
    this.launch = {
      args: ['app-server', ...(needsServer ? serverArgs(seat, context) : []), ...seat.executor.args],
      env: codexEnv(seat),
    };
  }

  begin(host: SessionHost): void {
    this.#host = host;
    this.#rpc = new JsonRpc((line) => host.send(line));
    this.#phase = 'handshake';
    this.#call('initialize', {
      clientInfo: { name: 'bosun', title: 'Bosun', version: '1' },
      // Tools of the client's own are experimental.
      capabilities: { experimentalApi: true, requestAttestation: false },
    });
  }

  read(line: string): readonly AgentEvent[] | null {
    // A wrapper may print something before Codex begins.
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
    const request = this.#open.get(id);
    if (request === undefined) return;
    this.#open.delete(id);
    this.#rpc?.answer(request.to, request.reply(answer));
    if (request.ask.kind === 'permission' && answer.kind !== 'allowed') this.#tellWhy(request, answer);
  }

  interrupt(): boolean {
    const [threadId, turnId] = [this.#thread, this.#turn];
    if (this.#phase !== 'turn' || threadId === null || turnId === null) return false;
    this.#host?.emit(this.#withdrawAll());
    this.#rpc?.call('turn/interrupt', { threadId, turnId });
    return true;
  }

  end(exit: number | null, errors: string): AgentOutcome {
    clearTimeout(this.#timer);
    const thread = this.#thread;
    if (thread !== null) {
      const own = this.#threads.get(thread)?.now ?? this.#before;
      writeThreadTotal(this.#seat, thread, { ...own, hasTools: this.#hasTools() });
    }
    const fault = this.#fault(exit, errors);
    const { finalText } = this.#items;
    const open = fault === null && this.#isCompleted ? openQuestion(finalText) : null;
    return {
      finalText,
      session: thread === null || fault?.code === 'session_gone' ? null : printSession(identity.kind, thread),
      program: programOf(this.#seat),
      usage: this.#usage,
      fault,
      asks: open === null ? [] : [{ kind: 'question', ...open, permission: null }],
      warnings: [...this.#warnings],
    };
  }

  #hasTools(): boolean {
    return resumedSession(this.#seat) === null || this.#before.hasTools;
  }

  #fault(exit: number | null, errors: string): AgentOutcome['fault'] {
    const isRefused = !this.#isGreeted && exit !== null && exit !== 0;
    if (
      isRefused &&
      /unrecognized subcommand|unexpected argument|unexpected value|stdin is not a terminal/i.test(errors)
    ) {
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
        return this.#proceed(said.to, said.result);
      case 'error':
        return this.#refused(said.to, said.message);
      case 'request':
        return this.#request(said.id, said.method, said.params);
      case 'notification':
        return this.#notified(said.method, objectOf(said.params));
    }
  }

  /** The handshake, step by step. */
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
        return [];
      }
      default:
        return [];
    }
  }

  #openThread(): void {
    const { workdir: cwd, executor, url } = this.#seat;
    const resumed = resumedSession(this.#seat);
    const settings = {
      cwd,
      ...(executor.model === null ? {} : { model: executor.model }),
      ...policyOf(this.#seat),
      // A configuration may send approvals to a model instead.
      approvalsReviewer: 'user',
    };
    if (resumed !== null) this.#call('thread/resume', { ...settings, threadId: resumed, excludeTurns: true });
    else this.#call('thread/start', { ...settings, ...(url === '' ? {} : { dynamicTools: ownTools }) });
  }

  #started(thread: string): readonly AgentEvent[] {
    this.#thread = thread;
    if (resumedSession(this.#seat) !== null) this.#threads.set(thread, { before: this.#before, now: this.#before });
    const text = promptWith(this.#seat, this.#seat.url === '' ? null : 'your tools');
    this.#call('turn/start', { threadId: thread, input: [{ type: 'text', text, text_elements: [] }] });
    return [{ type: 'started', session: printSession(identity.kind, thread), program: programOf(this.#seat) }];
  }

  #refused(to: string, message: string): readonly AgentEvent[] {
    if (this.#phase !== 'handshake') return [{ type: 'note', text: `[error] ${to}: ${message}` }];
    const events = this.#complaints.error(message, false);
    return [...events, ...this.#close()];
  }

  #request(to: RpcId, method: string, params: unknown): readonly AgentEvent[] {
    const progress = progressIn(method, params);
    if (progress !== null) {
      this.#rpc?.answer(to, toolResult('Noted.', true));
      return [{ type: 'progress', text: progress }];
    }
    const read = readRequest(method, params, (item) => this.#patches.get(item) ?? null);
    if ('why' in read) return this.#decline(to, read.why, read.result);
    const { ask } = read;
    if (this.#phase === 'over' || (this.#turn !== null && this.#isOver(read))) {
      this.#rpc?.answer(to, read.reply({ kind: 'expired', why: 'The turn is over.' }));
      return [{ type: 'note', text: `[refused] a request that came after its turn ended: ${method}` }];
    }
    if (ask.kind === 'permission' && this.#seat.executor.permission === 'bypass') {
      this.#rpc?.answer(to, read.reply({ kind: 'allowed' }));
      return [];
    }
    if (ask.kind === 'permission' && this.#isRuled(ask.tool, ask.input, params)) {
      this.#rpc?.answer(to, read.reply({ kind: 'allowed' }));
      return [{ type: 'note', text: `[allowed] by a rule: ${ask.tool}` }];
    }
    if (ask.kind === 'permission' && this.#seat.executor.permission === 'deny') {
      return this.#decline(
        to,
        `${ask.tool} was refused: this executor has permission: deny`,
        read.reply(deniedBySettings),
      );
    }
    const id = `${typeof to === 'number' ? 'n' : 's'}${to}`;
    this.#open.set(id, { ...read, to });
    return [{ type: 'request', request: { ...ask, id } }];
  }

  /** A helper's turns are unknown until they ask; the own thread has one. */
  #isOver({ thread, ask }: CodexRequest): boolean {
    return thread === this.#thread && ask.turn !== '' && ask.turn !== this.#turn;
  }

  #isRuled(tool: string, input: Readonly<Record<string, unknown>>, params: unknown): boolean {
    if (this.#seat.executor.permission !== 'strict') return false;
    const { command, cwd, permissions } = input;
    if (tool === shellTool && typeof command === 'string') {
      return permissions === undefined && runsUnasked(command, cwd, this.#seat);
    }
    const changes = this.#patches.get(textAt(objectOf(params), 'itemId') ?? '') ?? [];
    const isPatch = tool === patchTool && input['folder'] === undefined && changes.length > 0;
    return isPatch && changes.every(({ path }) => editsUnasked(path, this.#seat));
  }

  #decline(to: RpcId, why: string, result: unknown): readonly AgentEvent[] {
    if (result === undefined) this.#rpc?.refuse(to, why);
    else this.#rpc?.answer(to, result);
    this.#warn(`codex: ${why}`);
    return [{ type: 'note', text: `[refused] ${why}` }];
  }

  #warn(text: string): void {
    if (this.#warnings.size < maxWarnings) this.#warnings.add(text);
  }

  /** The protocol's refusal carries no words, so they go to the running turn. */
  #tellWhy({ thread, ask }: OpenRequest, answer: RequestAnswer): void {
    if (!('why' in answer) || answer.why === null || thread !== this.#thread || this.#phase !== 'turn') return;
    const text = `The permission was not granted. ${answer.why}`;
    const input = [{ type: 'text', text, text_elements: [] }];
    this.#rpc?.call('turn/steer', { threadId: thread, expectedTurnId: ask.turn, input });
  }

  #notified(method: string, params: Json | null): readonly AgentEvent[] {
    const isHelpers = textAt(params, 'threadId') !== this.#thread;
    switch (method) {
      case 'item/started':
      case 'item/completed':
        return this.#item(objectAt(params, 'item'), method === 'item/completed', isHelpers);
      case 'thread/tokenUsage/updated':
        return this.#count(params);
      case 'turn/completed':
        return this.#turnOver(objectAt(params, 'turn'), isHelpers);
      case 'serverRequest/resolved':
        return this.#resolved(valueAt(params, 'requestId'));
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
    const id = textAt(item, 'id');
    if (textAt(item, 'type') === 'fileChange' && id !== null && this.#patches.size < maxPatches) {
      this.#patches.set(id, objectsAt(item, 'changes').map(changeOf));
    }
    this.#complaints.worked();
    return this.#items.take(item, isDone, isHelpers) ?? [];
  }

  /** Each thread counts from its beginning, a resumed one from that of an earlier attempt. */
  #count(params: Json | null): readonly AgentEvent[] {
    const thread = textAt(params, 'threadId');
    const usage = objectAt(params, 'tokenUsage');
    const now = tokensIn(objectAt(usage, 'total'));
    if (thread === null || now === null) return [];
    const before = this.#threads.get(thread)?.before ?? noTokens;
    this.#threads.set(thread, { before, now });
    const sum = [...this.#threads.values()].map((one) => minus(one.now, one.before)).reduce(plus, noTokens);
    this.#usage = usageOf(sum, null, this.#seat.executor.prices);
    return [{ type: 'usage', ...this.#usage }];
  }

  #turnOver(turn: Json | null, isHelpers: boolean): readonly AgentEvent[] {
    const id = textAt(turn, 'id');
    if (isHelpers) return this.#withdraw(({ ask }) => ask.turn === id);
    // Without its id it could end another turn than the own one.
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

  /** Codex no longer waits for it: the turn was interrupted, or another client answered. */
  #resolved(to: unknown): readonly AgentEvent[] {
    return this.#withdraw((one) => one.to === to);
  }

  #withdrawAll(): readonly AgentEvent[] {
    return this.#withdraw(() => true);
  }

  #withdraw(isMeant: (request: OpenRequest) => boolean): readonly AgentEvent[] {
    const meant = [...this.#open].filter(([, request]) => isMeant(request));
    return meant.map(([id]) => {
      this.#open.delete(id);
      return { type: 'withdrawn', id };
    });
  }

  #close(): readonly AgentEvent[] {
    this.#phase = 'over';
    clearTimeout(this.#timer);
    const events = this.#withdrawAll();
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

const deniedBySettings: RequestAnswer = { kind: 'denied', why: null };

/** `never` under `ask` too where no Bosun listens: a model that may ask would wait for nobody. */
function policyOf({ access, executor: { permission }, url }: AgentSeat): object {
  if (permission === 'bypass') return { approvalPolicy: 'never', sandbox: 'danger-full-access' };
  const sandbox = access === 'read' ? 'read-only' : 'workspace-write';
  if (permission === 'strict') return { approvalPolicy: 'untrusted', sandbox };
  return { approvalPolicy: permission === 'ask' && url !== '' ? 'on-request' : 'never', sandbox };
}

function changeOf(one: Json): FileChange {
  const kind = objectAt(one, 'kind');
  const target = textAt(kind, 'move_path');
  const change = `${textAt(kind, 'type') ?? 'change'}${target === null ? '' : ` (moves to ${target})`}`;
  return { change, path: textAt(one, 'path') ?? '', diff: textAt(one, 'diff') ?? '' };
}

function tokensIn(total: Json | null): Tokens | null {
  const [input, output] = [numberAt(total, 'inputTokens'), numberAt(total, 'outputTokens')];
  if (input === null || output === null) return null;
  const cached = Math.min(input, numberAt(total, 'cachedInputTokens') ?? 0);
  return { fresh: input - cached, cached, output };
}

/** The tools of `bosun mcp` that a model may call, without its process. */
const ownTools = [
  {
    type: 'function',
    name: 'ask_human',
    description:
      'Ask the person who follows this work, and wait for the answer. Use it only for decisions that the code cannot answer.',
    inputSchema: {
      type: 'object',
      properties: {
        question: { type: 'string', description: 'The question, with everything they need to know to decide' },
        options: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from, if any' },
      },
      required: ['question'],
    },
  },
  {
    type: 'function',
    name: 'report_progress',
    description: 'Say in a few words what you are doing now. It interrupts no one.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
];

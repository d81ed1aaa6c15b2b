// One session of `opencode serve`. Invariants:
// 1. Each request gets at most one answer, "allowed" only from rules or through `answer`.
// 2. A malformed message ends the attempt with a fault: it is never taken for consent.
// 3. Each call and each pause between events has a time limit; the turn has the attempt's.
import { randomBytes } from 'node:crypto';
import type {
  AdapterContext,
  AgentEvent,
  AgentOutcome,
  AgentSeat,
  AgentSession,
  RequestAnswer,
  SessionHost,
} from '../../port.js';
import { cannotConverse, cutShort, failed, startFault } from '../../shared/faults.js';
import { type Json, objectAt, textAt } from '../../shared/foreign-json.js';
import { openQuestion } from '../../shared/open-question.js';
import { unaskedCommands } from '../../shared/own-rules.js';
import { commandLimits, promptFor, resumedSession } from '../../shared/seat.js';
import { environmentFor, ruleset, servePermissions } from '../settings.js';
import { OpencodeTurn } from '../turn.js';
import { foreignCodeIn } from './checkout.js';
import { ServeClient, type ServeReply } from './client.js';
import { Parts } from './parts.js';
import { unseen } from './permissions.js';
import { type Broken, type PermissionReply, PermissionRequests } from './requests.js';

const usualPatienceMs = 120_000;
const exitWithinMs = 0;
const plugin = new URL('./ask-first.js', import.meta.url);

export function openServe(seat: AgentSeat, around: AdapterContext, patienceMs = usualPatienceMs): AgentSession {
  return new Serve(seat, around, patienceMs);
}

type Phase = 'new' | 'starting' | 'opening' | 'turn' | 'over';

class Serve implements AgentSession {
  readonly stopSignal = 'SIGTERM';
  readonly launch: AgentSession['launch'];
  readonly #seat: AgentSeat;
  readonly #around: AdapterContext;
  readonly #patienceMs: number;
  readonly #password = randomBytes(24).toString('base64url');
  readonly #turn: OpencodeTurn;
  readonly #parts: Parts;
  readonly #requests: PermissionRequests;
  readonly #foreign: string | null;
  #host: SessionHost | null = null;
  #client: ServeClient | null = null;
  #phase: Phase = 'new';
  #timer: NodeJS.Timeout | undefined;
  #session: string | null = null;
  #understood = 0;
  #isEnded = false;

  constructor(seat: AgentSeat, around: AdapterContext, patienceMs: number) {
    this.#seat = seat;
    this.#around = around;
    this.#patienceMs = patienceMs;
    this.#turn = new OpencodeTurn(seat, around);
    this.#parts = new Parts(this.#turn);
    this.#requests = new PermissionRequests({
      seat,
      callOf: (message, call) => this.#parts.callOf(message, call),
      send: (id, reply) => void this.#reply(id, reply),
    });
    const isBypassed = seat.executor.permission === 'bypass';
    this.#foreign = isBypassed ? null : foreignCodeIn(seat.workdir);
    const own = isBypassed ? {} : { plugin: [plugin.href], ...continuing };
    const listen = ['serve', '--hostname=127.0.0.1', '--port=0', '--print-logs', '--log-level=ERROR'];
    this.launch = {
      // With code from the checkout it must not even start.
      args: this.#foreign === null ? [...listen, ...seat.executor.args] : ['--version'],
      env: {
        ...environmentFor(seat, around, servePermissions(seat), own),
        OPENCODE_SERVER_PASSWORD: this.#password,
        OPENCODE_SERVER_USERNAME: 'opencode',
      },
    };
  }

  begin(host: SessionHost): void {
    this.#host = host;
    this.#phase = 'starting';
    if (this.#foreign !== null) {
      const hint = 'remove it, or set permission: bypass or mode: run';
      const why = `opencode would load ${this.#foreign} from the checkout, and that code could allow anything; ${hint}`;
      this.#emit(this.#fail('own_plugins', why));
      return;
    }
    const silent = () =>
      this.#emit(this.#fail('agent_silent', `opencode serve did not listen within ${this.#patienceMs / 1000} s`));
    this.#timer = setTimeout(silent, this.#patienceMs);
  }

  read(line: string): readonly AgentEvent[] | null {
    const [, url] = /^opencode server listening on (\S+)/.exec(line) ?? [];
    if (this.#phase !== 'starting' || url === undefined) return null;
    clearTimeout(this.#timer);
    this.#phase = 'opening';
    // Security: the password must not leave this machine.
    if (!/^http:\/\/127\.0\.0\.1:\d{1,5}\/?$/.test(url))
      return this.#fail('bad_protocol', `opencode listens on ${url}`);
    void this.#open(url);
    return [];
  }

  hear(): readonly AgentEvent[] {
    return [];
  }

  answer(id: string, answer: RequestAnswer): void {
    this.#requests.answer(id, answer);
  }

  interrupt(): boolean {
    const session = this.#session;
    if (this.#phase !== 'turn' || session === null) return false;
    this.#emit(this.#requests.withdrawAll());
    void this.#client?.call('POST', `/session/${session}/abort`, {}).then(() => this.#emit(this.#close()));
    return true;
  }

  /** OpenCode reads the words before the model's next step. */
  async steer(text: string): Promise<boolean> {
    const [client, session] = [this.#client, this.#session];
    if (this.#phase !== 'turn' || client === null || session === null) return false;
    const parts = [{ type: 'text', text }];
    const sent = await client.call('POST', `/session/${session}/prompt_async`, { parts, ...modelOf(this.#seat) });
    return sent.kind === 'done' && !this.#isOver();
  }

  #isOver(): boolean {
    return this.#phase === 'over';
  }

  end(exit: number | null, errors: string): AgentOutcome {
    this.#phase = 'over';
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#client?.close();
    const { finalText, session, program, usage, isCompleted } = this.#turn;
    const fault = this.#fault(exit, errors);
    const open = fault === null && isCompleted ? openQuestion(finalText) : null;
    return {
      ...{ program, usage, fault, warnings: this.#requests.warnings },
      session: fault?.code === 'session_gone' ? null : session,
      asks: open === null ? [] : [{ kind: 'question', ...open, permission: null }],
    };
  }

  #fault(exit: number | null, errors: string): AgentOutcome['fault'] {
    const { fault, isCompleted } = this.#turn;
    if (fault !== null) return fault;
    if (isCompleted) return null;
    if (this.#client === null && exit !== null && exit !== 0 && isRefused.test(errors)) {
      const said = failed('opencode', errors).message;
      const message = `${said} (Bosun needs opencode serve: use OpenCode 1.18 or newer, and only its options in \`args\`)`;
      return { code: cannotConverse, message, remedy: 'ask' };
    }
    if (exit === 0 || this.#client !== null) return cutShort('opencode', this.#understood);
    return startFault('opencode', errors) ?? this.#turn.causeIn(errors);
  }

  async #open(url: string): Promise<void> {
    const client = new ServeClient({ url, password: this.#password, patienceMs: this.#patienceMs });
    this.#client = client;
    const subscribed = await client.subscribe({
      tell: (event) => this.#emit(this.#hear(event)),
      broken: (why) => this.#emit(this.#fail('bad_protocol', `opencode serve sent ${why}`)),
      ended: (why) => this.#emit([{ type: 'note', text: `[error] ${why}` }, ...this.#close()]),
    });
    if (!this.#isDone('GET /event', subscribed)) return;
    const permission = ruleset(servePermissions(this.#seat));
    const resumed = resumedSession(this.#seat);
    const [method, path] =
      resumed === null ? (['POST', '/session'] as const) : (['PATCH', `/session/${resumed}`] as const);
    const opened = await client.call(method, path, { permission });
    if (opened.kind === 'refused' && opened.status === 404 && resumed !== null) {
      const gone = startFault('opencode', `session not found: ${resumed}`);
      if (gone !== null) this.#emit([...this.#close(), { type: 'stuck', fault: gone }]);
      return;
    }
    if (!this.#isDone(`${method} ${path}`, opened)) return;
    const id = textAt(opened.body, 'id');
    if (id === null || !/^ses_\w{1,100}$/.test(id)) {
      this.#emit(this.#fail('bad_protocol', `opencode answered ${method} ${path} without a session`));
      return;
    }
    this.#session = id;
    this.#phase = 'turn';
    this.#emit(this.#turn.start(id));
    const prompt = promptFor(this.#seat, this.#around.entry, commandLimits(this.#seat, unaskedCommands(this.#seat)));
    const parts = [{ type: 'text', text: prompt }];
    const sent = await client.call('POST', `/session/${id}/prompt_async`, { parts, ...modelOf(this.#seat) });
    if (this.#isDone('POST prompt_async', sent) && !this.#isOver()) this.#emit([{ type: 'listens' }]);
  }

  #isDone(what: string, reply: ServeReply): reply is Extract<ServeReply, { kind: 'done' }> {
    if (reply.kind === 'done') return true;
    const said = reply.kind === 'failed' ? reply.why : `status ${reply.status} ${reply.text.slice(0, 300)}`;
    const code = reply.kind === 'failed' ? 'agent_silent' : 'bad_protocol';
    this.#emit(this.#fail(code, `opencode serve failed at ${what}: ${said}`));
    return false;
  }

  #hear(event: Json): readonly AgentEvent[] {
    if (this.#phase === 'over') return [];
    this.#understood += 1;
    const properties = objectAt(event, 'properties');
    const isOwn = textAt(properties, 'sessionID') === this.#session;
    switch (textAt(event, 'type')) {
      case null:
        return this.#fail('bad_protocol', 'opencode serve sent an event without a type');
      case 'message.updated':
        this.#parts.noteMessage(objectAt(properties, 'info'));
        return [];
      case 'message.part.updated':
        return this.#part(objectAt(properties, 'part'), !isOwn);
      case 'permission.asked':
        return this.#checked(this.#requests.ask(properties));
      case 'permission.replied':
        return this.#checked(this.#requests.replied(properties));
      case 'question.asked':
        return this.#dismiss(textAt(properties, 'id') ?? '');
      case 'session.status':
        return isOwn ? this.#waits(objectAt(properties, 'status')) : [];
      case 'session.error':
        return isOwn ? this.#turn.error(objectAt(properties, 'error')) : [];
      case 'session.idle':
        return isOwn && this.#phase === 'turn' ? this.#close() : [];
      default:
        return [];
    }
  }

  #part(part: Json | null, isHelpers: boolean): readonly AgentEvent[] {
    const events = this.#parts.take(part, isHelpers);
    const [message, call] = [textAt(part, 'messageID') ?? '', textAt(part, 'callID') ?? ''];
    const isRun = textAt(part, 'tool') === 'bash' && textAt(objectAt(part, 'state'), 'status') === 'completed';
    if (isRun && this.#seat.executor.permission !== 'bypass' && !this.#requests.hasAsked(message, call)) {
      return [...events, ...this.#fail('bad_protocol', `opencode ran a command without asking: ${unseen}`)];
    }
    return [...events, ...this.#checked(this.#requests.proceed())];
  }

  #checked(heard: readonly AgentEvent[] | Broken): readonly AgentEvent[] {
    return 'why' in heard ? this.#fail('bad_protocol', `opencode serve sent ${heard.why}`) : heard;
  }

  #waits(status: Json | null): readonly AgentEvent[] {
    return textAt(status, 'type') === 'retry' ? this.#turn.retry(textAt(status, 'message') ?? '') : [];
  }

  /** `ask_human` replaces OpenCode's own questions. */
  #dismiss(id: string): readonly AgentEvent[] {
    if (!/^que_\w{1,100}$/.test(id)) return this.#fail('bad_protocol', 'opencode serve sent a question without an id');
    void this.#client?.call('POST', `/question/${id}/reject`, {});
    return [{ type: 'note', text: '[refused] a question by a tool that is switched off' }];
  }

  async #reply(id: string, reply: PermissionReply): Promise<void> {
    const path = `/permission/${id}/reply`;
    const sent = await this.#client?.call('POST', path, reply);
    // A known late reply. Any other 404: the server takes no such answer.
    const isLate = sent?.kind === 'refused' && sent.status === 404 && sent.text.includes('PermissionNotFound');
    if (sent !== undefined && !isLate) this.#isDone(`POST ${path}`, sent);
  }

  #close(): readonly AgentEvent[] {
    if (this.#phase === 'over') return [];
    this.#phase = 'over';
    clearTimeout(this.#timer);
    const events = this.#requests.withdrawAll();
    this.#client?.close();
    this.#host?.close(exitWithinMs);
    return events;
  }

  #fail(code: string, message: string): readonly AgentEvent[] {
    if (this.#phase === 'over') return [{ type: 'note', text: `[error] ${message}` }];
    return [...this.#close(), { type: 'stuck', fault: { code, message, remedy: 'ask' } }];
  }

  #emit(events: readonly AgentEvent[]): void {
    if (!this.#isEnded) this.#host?.emit(events);
  }
}

/** Otherwise a refusal would end the turn. */
const continuing = { experimental: { continue_loop_on_deny: true } };

/** Printed by versions without a suitable `serve`. */
const isRefused = /starts a headless opencode server|change directory|unknown (command|argument|option)/i;

function modelOf({ executor: { model } }: AgentSeat): object {
  const [providerID = '', ...rest] = (model ?? '').split('/');
  return model === null ? {} : { model: { providerID, modelID: rest.join('/') } };
}

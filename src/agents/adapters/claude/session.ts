// A conversation with Claude Code over JSON lines. Invariants:
// 1. Each request gets at most one answer, and none after withdrawal or exit.
// 2. Standard input stays open until the result; words that arrive just before it begin one more turn.
import { randomUUID } from 'node:crypto';
import type {
  AdapterContext,
  AgentEvent,
  AgentOutcome,
  AgentReader,
  AgentSeat,
  AgentSession,
  RequestAnswer,
  SessionHost,
} from '../port.js';
import { cannotConverse, failed } from '../shared/faults.js';
import { type Json, objectAt, objectIn, textAt, valueAt } from '../shared/foreign-json.js';
import { changedScript, type ScriptRequest } from '../shared/line-scripts.js';
import { claudeReader } from './stream.js';

const maxRequests = 10_000;
/** A loaded machine may need a minute to start it. */
const patienceMs = 120_000;
const lacksConversation = /unknown option '--(?:input-format|replay-user-messages)/i;

interface OpenRequest {
  /** An answer that allows must repeat the input. */
  readonly input: Json;
}

export function openClaude(
  seat: AgentSeat,
  context: AdapterContext,
  start: AgentSession['launch'] & { readonly input: string },
): AgentSession {
  return new ClaudeSession(seat, context, start);
}

class ClaudeSession implements AgentSession {
  readonly stopSignal = 'SIGINT';
  readonly launch: AgentSession['launch'];
  readonly #seat: AgentSeat;
  readonly #prompt: string;
  readonly #reader: AgentReader;
  readonly #open = new Map<string, OpenRequest>();
  /** Bosun knows their outcome better than the result does. */
  readonly #asked = new Set<string>();
  readonly #words = new Map<string, (isHeard: boolean) => void>();
  #host: SessionHost | null = null;
  #silence: NodeJS.Timeout | undefined;
  #isListening = false;
  #isOver = false;

  constructor(
    seat: AgentSeat,
    context: AdapterContext,
    { args, env, input }: AgentSession['launch'] & { readonly input: string },
  ) {
    this.#seat = seat;
    this.#prompt = input;
    this.launch = { args, env };
    this.#reader = claudeReader(seat, context, this.#asked);
  }

  begin(host: SessionHost): void {
    this.#host = host;
    host.send(greeting);
    host.send(userLine(this.#prompt));
    const message = `claude said nothing within ${patienceMs / 1000} s`;
    const fault = { code: 'agent_silent', message, remedy: 'ask' } as const;
    this.#silence = setTimeout(() => host.emit([{ type: 'stuck', fault }]), patienceMs);
  }

  read(line: string): readonly AgentEvent[] | null {
    const said = objectIn(line);
    if (said !== null) clearTimeout(this.#silence);
    switch (textAt(said, 'type')) {
      case 'control_request':
        return this.#asks(said);
      case 'control_cancel_request':
        return this.#withdraw(textAt(said, 'request_id') ?? '');
      case 'control_response':
        return [];
      case 'system':
        return [...(this.#reader.read(line) ?? []), ...this.#listens(textAt(said, 'subtype'))];
      case 'user':
        if (valueAt(said, 'isReplay') !== true) return this.#reader.read(line);
        this.#heard(textAt(said, 'uuid') ?? '', true);
        return [];
      case 'result':
        return this.#turnOver(line);
      default:
        return this.#reader.read(line);
    }
  }

  hear(line: string): readonly AgentEvent[] {
    return this.#reader.hear(line);
  }

  answer(id: string, answer: RequestAnswer): void {
    const request = this.#open.get(id);
    if (request === undefined || this.#isOver) return;
    this.#open.delete(id);
    if (answer.kind === 'allowed') this.#reply(id, { behavior: 'allow', updatedInput: request.input });
    else this.#reply(id, { behavior: 'deny', message: refusalWords(answer) });
  }

  /** After the signal it prints its cost. */
  interrupt(): boolean {
    return false;
  }

  steer(text: string): Promise<boolean> {
    if (this.#isOver || this.#host === null) return Promise.resolve(false);
    const uuid = randomUUID();
    const heard = new Promise<boolean>((resolve) => this.#words.set(uuid, resolve));
    this.#host.send(userLine(text, uuid));
    return heard;
  }

  end(exit: number | null, errors: string): AgentOutcome {
    this.#isOver = true;
    clearTimeout(this.#silence);
    for (const uuid of [...this.#words.keys()]) this.#heard(uuid, false);
    const outcome = this.#reader.end(exit, errors);
    if (!lacksConversation.test(errors)) return outcome;
    return { ...outcome, fault: { ...failed('claude', errors), code: cannotConverse } };
  }

  #listens(subtype: string | null): readonly AgentEvent[] {
    if (subtype !== 'init' || this.#isListening) return [];
    this.#isListening = true;
    return [{ type: 'listens' }];
  }

  #turnOver(line: string): readonly AgentEvent[] | null {
    const events = this.#reader.read(line);
    const withdrawn = [...this.#open.keys()].flatMap((id) => this.#withdraw(id));
    // Pending words begin another turn.
    if (this.#words.size > 0) return [...(events ?? []).filter(({ type }) => type !== 'completed'), ...withdrawn];
    this.#isOver = true;
    this.#host?.close(null);
    return [...(events ?? []), ...withdrawn];
  }

  #asks(said: Json | null): readonly AgentEvent[] {
    if (this.#isOver) return [{ type: 'note', text: '[refused] a request after the end of its turn' }];
    const id = textAt(said, 'request_id') ?? '';
    const request = objectAt(said, 'request');
    const [tool, input] = [textAt(request, 'tool_name'), objectAt(request, 'input')];
    const call = textAt(request, 'tool_use_id') ?? id;
    if (id === '' || this.#open.has(id) || this.#asked.size >= maxRequests) {
      return [{ type: 'stuck', fault: { ...failed('claude', 'it repeats a request'), remedy: 'ask' } }];
    }
    if (textAt(request, 'subtype') === 'hook_callback') return this.#hook(id, objectAt(request, 'input'));
    if (textAt(request, 'subtype') !== 'can_use_tool' || tool === null || input === null) {
      this.#send({ subtype: 'error', request_id: id, error: 'Bosun does not answer this request' });
      return [{ type: 'note', text: `[refused] a request that Bosun does not know: ${textAt(request, 'subtype')}` }];
    }
    this.#asked.add(call);
    this.#open.set(id, { input });
    const ask = { tool, input, ...this.#changedBy(tool, input) };
    return [{ type: 'request', request: { kind: 'permission', id, turn: call, reason: null, ...ask } }];
  }

  /** Claude Code applies its own rules: make it ask where a rule should not hold. */
  #hook(id: string, input: Json | null): readonly AgentEvent[] {
    const changed = this.#changedBy(textAt(input, 'tool_name'), objectAt(input, 'tool_input'));
    const decision = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'ask',
      permissionDecisionReason: 'a script changed',
    };
    this.#reply(id, changed === null ? {} : { hookSpecificOutput: decision });
    return [];
  }

  #changedBy(tool: string | null, input: Json | null): ScriptRequest | null {
    const command = tool === 'Bash' && !this.#seat.executor.tools.includes('Bash') ? textAt(input, 'command') : null;
    return command === null ? null : changedScript(command, this.#seat);
  }

  #withdraw(id: string): readonly AgentEvent[] {
    return this.#open.delete(id) ? [{ type: 'withdrawn', id }] : [];
  }

  #heard(uuid: string, isHeard: boolean): void {
    this.#words.get(uuid)?.(isHeard);
    this.#words.delete(uuid);
  }

  #reply(id: string, response: object): void {
    this.#send({ subtype: 'success', request_id: id, response });
  }

  #send(response: object): void {
    this.#host?.send(`${JSON.stringify({ type: 'control_response', response })}\n`);
  }
}

/** Precedes Claude Code's own rules. */
const hooks = { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['command'] }] };
const greeting = `${JSON.stringify({
  type: 'control_request',
  request_id: 'bosun',
  request: { subtype: 'initialize', hooks },
})}\n`;

function userLine(text: string, uuid?: string): string {
  const message = { role: 'user', content: [{ type: 'text', text }] };
  return `${JSON.stringify({ type: 'user', message, ...(uuid !== undefined && { uuid }) })}\n`;
}

function refusalWords(answer: Exclude<RequestAnswer, { readonly kind: 'allowed' }>): string {
  if (answer.kind === 'answered') return answer.text;
  return answer.why ?? 'Refused by a person. Go on without it.';
}

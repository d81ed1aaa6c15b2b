// Takes a running agent's requests to Bosun, as its MCP server does. Drops late answers.
import { randomBytes } from 'node:crypto';
import type { Ask } from '../../engine/index.js';
import {
  type AskingBosun,
  askKeys,
  type BosunAnswer,
  tellAnswer,
  type Unreachable,
  whyDenied,
} from '../../jobs/asks/index.js';
import type { AgentRequest, AgentSession, RequestAnswer } from './port.js';
import { permissionAskOf } from './shared/denials.js';

const maxOpen = 20;
const maxAsked = 2_000;

export interface RequestParts {
  readonly session: Pick<AgentSession, 'answer'>;
  readonly bosun: AskingBosun;
  readonly record: (line: string) => void;
  readonly onFlood: (what: string) => void;
}

export class AgentRequests {
  readonly #parts: RequestParts;
  readonly #open = new Map<string, AbortController>();
  readonly #undecided = new Map<string, Ask>();
  readonly #keys = askKeys();
  readonly #own = randomBytes(8).toString('hex');
  #count = 0;
  #isClosed = false;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /** Undecided permissions keep the step from passing. */
  get undecided(): readonly Ask[] {
    return [...this.#undecided.values()];
  }

  open(request: AgentRequest): void {
    if (this.#isClosed) return;
    this.#count += 1;
    if (this.#open.size >= maxOpen || this.#count > maxAsked) {
      this.close();
      this.#parts.onFlood(`${this.#open.size} open, ${this.#count} in all`);
      return;
    }
    const waiting = new AbortController();
    this.#open.set(request.id, waiting);
    void this.#ask(request, waiting.signal).finally(() => this.#open.delete(request.id));
  }

  withdraw(id: string): void {
    this.#open.get(id)?.abort();
  }

  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#open.values()) waiting.abort();
  }

  async #ask(request: AgentRequest, signal: AbortSignal): Promise<void> {
    const { bosun, session, record } = this.#parts;
    const missing: Unreachable | null = bosun.missing === null ? null : { state: 'unreachable', why: bosun.missing };
    const answer = missing ?? (await this.#send(request, signal));
    if (signal.aborted || this.#isClosed) return;
    record(`[answer] ${answer.state}`);
    this.#note(request, answer);
    session.answer(request.id, answerOf(request, answer));
  }

  async #send(request: AgentRequest, signal: AbortSignal): Promise<BosunAnswer | Unreachable> {
    const { bosun } = this.#parts;
    const how = { signal, onWait: () => undefined };
    if (request.kind === 'permission') {
      const { tool, input, reason, turn, id } = request;
      // A card per use: two equal commands are asked about twice.
      const { key } = this.#keys.of('permission', null, [this.#own, turn, id].join(' '));
      return bosun.ask('/agent/permission', { key, tool, input, ...(reason === null ? {} : { reason }) }, how);
    }
    const { text: question, options } = request;
    const { key, settle } = this.#keys.of('question', { question, options });
    const answer = await bosun.ask('/agent/ask', { key, question, options }, how);
    if (answer.state !== 'unreachable') settle();
    return answer;
  }

  #note(request: AgentRequest, { state }: BosunAnswer | Unreachable): void {
    if (request.kind !== 'permission') return;
    const ask = permissionAskOf(request.tool, request.input);
    const mark = ask.permission?.mark ?? request.id;
    if (state === 'expired' || state === 'unreachable') this.#undecided.set(mark, ask);
    else this.#undecided.delete(mark);
  }
}

function answerOf(request: AgentRequest, answer: BosunAnswer | Unreachable): RequestAnswer {
  if (request.kind === 'question') {
    if (answer.state === 'unreachable') return { kind: 'expired', why: `No person can be asked: ${answer.why}.` };
    const text = tellAnswer(answer);
    return answer.state === 'answered' ? { kind: 'answered', text, said: answer.text } : { kind: 'expired', why: text };
  }
  switch (answer.state) {
    case 'allowed':
      return { kind: 'allowed' };
    case 'denied':
      return { kind: 'denied', why: answer.why ? whyDenied(answer) : null };
    default:
      return { kind: 'expired', why: whyDenied(answer) };
  }
}

// Holds open requests, and reasons for refusals that the protocol cannot carry. Each request gets exactly one answer.
import type { AgentConfig } from '../../../jobs/index.js';
import type { AgentEvent, RequestAnswer } from '../port.js';
import type { JsonRpc, RpcId } from '../shared/json-rpc.js';
import type { Asking, ClientReply } from './client-requests.js';

const maxAsked = 100;

interface OpenRequest extends Asking {
  readonly to: RpcId;
}

export class AcpRequests {
  readonly #rpc: () => JsonRpc | null;
  readonly #permission: AgentConfig['permission'];
  readonly #warn: (text: string) => void;
  readonly #open = new Map<string, OpenRequest>();
  #untold: string[] = [];
  readonly #asked: string[] = [];

  constructor(parts: {
    readonly rpc: () => JsonRpc | null;
    readonly permission: AgentConfig['permission'];
    readonly warn: (text: string) => void;
  }) {
    this.#rpc = parts.rpc;
    this.#permission = parts.permission;
    this.#warn = parts.warn;
  }

  /** Settings, rules or access decide; the rest waits for a person. */
  decide(to: RpcId, asking: Asking, turn: string): readonly AgentEvent[] {
    const { ask, isRuled, forbidden } = asking;
    const request = { ...asking, to };
    if (ask.kind === 'permission' && this.#permission === 'bypass') {
      this.#settle(request, { kind: 'allowed' });
      return [];
    }
    if (ask.kind === 'permission' && isRuled) {
      this.#settle(request, { kind: 'allowed' });
      return [{ type: 'note', text: `[allowed] by a rule: ${ask.tool}` }];
    }
    if (ask.kind === 'permission' && this.#asked.length < maxAsked) this.#asked.push(JSON.stringify(ask.input));
    const why = forbidden ?? (this.#permission === 'deny' ? deniedBySettings : null);
    if (ask.kind === 'permission' && why !== null) {
      this.#settle(request, { kind: 'denied', why: `Refused: ${why}.` });
      this.#warn(`${ask.tool} was refused: ${why}`);
      return [{ type: 'note', text: `[refused] ${ask.tool}: ${why}` }];
    }
    const id = `${typeof to === 'number' ? 'n' : 's'}${to}`;
    this.#open.set(id, request);
    return [{ type: 'request', request: { ...ask, id, turn } }];
  }

  /** True if an open request that no rule settles contains the words. */
  hasAsked(words: string): boolean {
    return this.#asked.some((one) => one.includes(words));
  }

  answer(id: string, answer: RequestAnswer): void {
    const request = this.#open.get(id);
    this.#open.delete(id);
    if (request !== undefined) this.#settle(request, answer);
  }

  cancel(to: unknown): readonly AgentEvent[] {
    const found = [...this.#open].find(([, request]) => request.to === to);
    if (found === undefined) return [];
    const [id, request] = found;
    this.#open.delete(id);
    this.#rpc()?.refuse(request.to, 'cancelled', requestCancelled);
    return [{ type: 'withdrawn', id }];
  }

  cancelAll(): readonly AgentEvent[] {
    const events = [...this.#open].map(([id, { to, cancelled }]): AgentEvent => {
      this.#reply(to, cancelled);
      return { type: 'withdrawn', id };
    });
    this.#open.clear();
    return events;
  }

  /** The agent went on after a refusal, so it has understood. */
  forgetUntold(): void {
    this.#untold = [];
  }

  takeUntold(): string | null {
    const said = this.#untold.join(' ');
    this.#untold = [];
    if (said === '') return null;
    return `What you asked for was not allowed. ${said} Go on without it, and end with your report.`;
  }

  #settle({ ask, to, settle }: OpenRequest, answer: RequestAnswer): void {
    const reply = settle(answer);
    this.#reply(to, reply);
    const said = 'untold' in reply ? (reply.untold ?? null) : null;
    if (said !== null) this.#untold.push(`The answer was: ${said}.`);
    if (ask.kind !== 'permission' || answer.kind === 'allowed') return;
    this.#untold.push(('why' in answer ? answer.why : null) ?? 'A person refused it.');
  }

  #reply(to: RpcId, reply: ClientReply): void {
    if ('error' in reply) this.#rpc()?.refuse(to, reply.error, invalidRequest);
    else this.#rpc()?.answer(to, reply.result);
  }
}

const deniedBySettings = 'the executor denies what no rule allows';
export const invalidRequest = -32_600;
const requestCancelled = -32_800;

// One side of JSON-RPC over lines. A message that breaks the protocol is `broken` and ends the connection.
import { z } from 'zod';

const maxLineChars = 4 * 1024 * 1024;
const maxRequests = 100_000;

const id = z.union([z.string().max(200), z.number().int()]);
const method = z.string().min(1).max(200);
const message = z.union([
  z.looseObject({ id, method, params: z.unknown().optional() }),
  z.looseObject({ method, params: z.unknown().optional() }),
  z.looseObject({ id, error: z.looseObject({ code: z.number(), message: z.string() }) }),
  z.looseObject({ id, result: z.unknown().optional() }),
]);

export type RpcId = z.infer<typeof id>;

export type Incoming =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'result'; readonly to: string; readonly id: number; readonly result: unknown }
  | {
      readonly kind: 'error';
      readonly to: string;
      readonly id: number;
      readonly code: number;
      readonly message: string;
    }
  | { readonly kind: 'broken'; readonly why: string };

export class JsonRpc {
  readonly #send: (line: string) => void;
  readonly #sent = new Map<number, string>();
  readonly #seen = new Set<RpcId>();
  readonly #version: object;
  #next = 1;

  /** `version`: the "jsonrpc" field; null: none (`codex app-server`). */
  constructor(send: (line: string) => void, version: '2.0' | null = null) {
    this.#send = send;
    this.#version = version === null ? {} : { jsonrpc: version };
  }

  call(called: string, params: unknown): number {
    const own = this.#next++;
    this.#sent.set(own, called);
    this.#write({ id: own, method: called, params });
    return own;
  }

  notify(told: string, params?: object): void {
    this.#write({ method: told, ...(params === undefined ? {} : { params }) });
  }

  answer(to: RpcId, result: unknown): void {
    this.#write({ id: to, result });
  }

  refuse(to: RpcId, why: string, code = methodNotFound): void {
    this.#write({ id: to, error: { code, message: why } });
  }

  take(line: string): Incoming {
    if (line.length > maxLineChars) return broken(`a line of more than ${maxLineChars / 1024 / 1024} MB`);
    const parsed = message.safeParse(jsonOf(line));
    if (!parsed.success) return broken('a line that is not a JSON-RPC message');
    const said = parsed.data;
    if ('method' in said && typeof said.method === 'string') return this.#asked(said.method, said);
    if (!('id' in said)) return broken('a message with neither id nor method');
    const to = typeof said.id === 'number' ? this.#sent.get(said.id) : undefined;
    if (to === undefined || typeof said.id !== 'number')
      return broken(`an answer to ${said.id}, which is not an open request`);
    this.#sent.delete(said.id);
    const { error, result } = said;
    const failure = z.looseObject({ code: z.number(), message: z.string() }).safeParse(error).data;
    if (failure !== undefined) return { kind: 'error', to, id: said.id, code: failure.code, message: failure.message };
    return { kind: 'result', to, id: said.id, result };
  }

  #asked(called: string, { id: by, params }: { readonly id?: unknown; readonly params?: unknown }): Incoming {
    const from = id.safeParse(by).data;
    if (from === undefined) return { kind: 'notification', method: called, params };
    if (this.#seen.has(from)) return broken(`two requests with the id ${from}`);
    if (this.#seen.size >= maxRequests) return broken(`more than ${maxRequests} requests`);
    this.#seen.add(from);
    return { kind: 'request', id: from, method: called, params };
  }

  #write(said: object): void {
    this.#send(`${JSON.stringify({ ...this.#version, ...said })}\n`);
  }
}

const methodNotFound = -32_601;

function broken(why: string): Incoming {
  return { kind: 'broken', why };
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

// The server's outside: calls of the Web API in, answers out, with the faults that were planted between.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { cutAnswer } from '../../fixture/faults.js';
import type { Api, Methods } from './api.js';
import { answerDoor } from './doors.js';
import type { Fault, Faults } from './fault.js';
import type { Call, Ledger } from './ledger.js';
import { type Params, readParams, textOf } from './params.js';
import type { RateGuard } from './rates.js';
import { Refusal, refuse, tooFast } from './refusal.js';
import { admit, type Tokens } from './tokens.js';

export interface Outside {
  readonly api: Api;
  readonly methods: Methods;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly ledger: Ledger;
  rates: RateGuard | null;
  /** Nobody gets through: every connection breaks. */
  isDown: boolean;
}

export function serve(outside: Outside): Server {
  return createServer((request, response) => {
    if (outside.isDown) {
      request.socket.destroy();
      return;
    }
    answer(outside, request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy();
      else refuseWith(response, error);
    });
  });
}

export function bearer(request: IncomingMessage): string {
  return /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
}

async function answer(outside: Outside, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const method = /^\/api\/([\w.]+)$/.exec(url.pathname)?.[1];
  if (method === undefined) return answerDoor(outside, request, response);
  const params = await readParams(request, url.searchParams);
  const call = noted(outside, method, params);
  try {
    if (!Object.hasOwn(outside.methods, method)) throw refuse('unknown_method', { req_method: method });
    const scopes = admit(outside.tokens, bearer(request) || textOf(params, 'token'), method);
    response.setHeader('x-oauth-scopes', [...scopes].join(','));
    await run(outside, { call, params, response });
  } catch (error) {
    call.came = error instanceof Refusal ? error.message : String(error);
    throw error;
  }
}

interface Going {
  readonly call: Call;
  readonly params: Params;
  readonly response: ServerResponse;
}

function noted({ faults, ledger, api }: Outside, method: string, params: Params): Call {
  const channel = textOf(params, 'channel') || textOf(params, 'channel_id') || null;
  const isViolation = faults.penaltyLeftS(method, channel) > 0;
  const { token: _, ...values } = params;
  return ledger.add({ at: api.clock.now(), method, channel, values, isViolation });
}

async function run(outside: Outside, going: Going): Promise<void> {
  const { method, channel } = going.call;
  const leftS = outside.faults.penaltyLeftS(method, channel);
  if (leftS > 0) throw tooFast(leftS);
  const fault = outside.faults.next(method, channel);
  if (fault !== null) return suffer(outside, going, fault);
  const waitS = outside.rates?.waitS(method, channel) ?? 0;
  if (waitS === 0) return give(outside, going);
  outside.faults.punish(method, channel, waitS);
  throw tooFast(waitS);
}

async function give(outside: Outside, going: Going): Promise<void> {
  const result = await act(outside, going);
  going.call.came = 'ok';
  send(going.response, 200, result);
}

async function act({ api, methods }: Outside, { call, params }: Going): Promise<object> {
  return { ok: true, ...(await methods[call.method]?.({ api, params })) };
}

async function suffer(outside: Outside, going: Going, fault: Fault): Promise<void> {
  const { call, response } = going;
  switch (fault.type) {
    case 'ratelimited':
      outside.faults.punish(call.method, call.channel, fault.retryAfterS);
      throw tooFast(fault.retryAfterS);
    case 'refuse':
      throw new Refusal(fault.error, fault.more);
    case 'status':
      call.came = String(fault.code);
      response.writeHead(fault.code, { 'content-type': 'text/html' });
      response.end('<html>Something went wrong</html>');
      return;
    case 'slow':
      await new Promise<void>((resolve) => outside.api.clock.after(fault.delayMs, resolve));
      return give(outside, going);
    case 'hang':
      if (fault.acts) await act(outside, going);
      call.came = 'hang';
      return;
    case 'reset':
      return reset(outside, going, fault.at);
  }
}

type ResetPoint = Extract<Fault, { type: 'reset' }>['at'];

async function reset(outside: Outside, going: Going, at: ResetPoint): Promise<void> {
  const { call, response } = going;
  const result = at === 'request' || at === 'body of nothing' ? { ok: true } : await act(outside, going);
  call.came = 'reset';
  await cutAnswer(response, at, result);
}

function refuseWith(response: ServerResponse, error: unknown): void {
  const refusal = error instanceof Refusal ? error : new Refusal('fatal_error', { detail: String(error) });
  const { message, more, retryAfterS } = refusal;
  if (retryAfterS !== null) response.setHeader('retry-after', String(retryAfterS));
  send(response, retryAfterS === null ? 200 : 429, { ok: false, error: message, ...more });
}

export function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

// The server's outside: calls in, answers out, with the faults that were planted between.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../../fixture/clock.js';
import { cutAnswer } from '../../fixture/faults.js';
import type { Api, Methods, Request } from './api.js';
import type { Fault, Faults } from './fault.js';
import type { Call, Ledger } from './ledger.js';
import { numberOf, type Params, readParams } from './params.js';
import type { RateGuard } from './rates.js';
import { Refusal, refuse, tooMany } from './refusal.js';

export interface Outside {
  readonly token: string;
  readonly api: Api;
  readonly methods: Methods;
  readonly faults: Faults;
  readonly ledger: Ledger;
  readonly rates: RateGuard | null;
  readonly clock: Clock;
}

export function serve(outside: Outside): Server {
  return createServer((request, response) => {
    answer(outside, request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy();
      else refuseWith(response, error);
    });
  });
}

async function answer(outside: Outside, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const found = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(decodeURI(url.pathname));
  if (!found) throw new Refusal(404, 'Not Found');
  const [, isFile, token, rest = ''] = found;
  if (token !== outside.token) throw unknownToken(token ?? '');
  if (isFile !== undefined) return download(outside, rest, response);
  const params = await readParams(request, url.searchParams);
  const method = Object.keys(outside.methods).find((one) => one.toLowerCase() === rest.toLowerCase());
  if (method === undefined) throw refuse(404, 'method not found');
  const call = noted(outside, method, params);
  try {
    await run(outside, { call, params, response });
  } catch (error) {
    call.came = error instanceof Refusal ? error.code : 500;
    throw error;
  }
}

function unknownToken(token: string): Refusal {
  return /^\d+:[\w-]+$/.test(token) ? new Refusal(401, 'Unauthorized') : new Refusal(404, 'Not Found');
}

interface Going {
  readonly call: Call;
  readonly params: Params;
  readonly response: ServerResponse;
}

function noted({ faults, ledger, clock }: Outside, method: string, params: Params): Call {
  const chat = numberOf(params, 'chat_id');
  const isViolation = faults.penaltyLeftS(method, chat) > 0;
  return ledger.add({ at: clock.now(), method, chat, values: params.values, isViolation });
}

async function run(outside: Outside, going: Going): Promise<void> {
  const { method, chat } = going.call;
  const leftS = outside.faults.penaltyLeftS(method, chat);
  if (leftS > 0) throw tooMany(leftS);
  const fault = outside.faults.next(method, chat);
  if (fault !== null) return suffer(outside, going, fault);
  refuseTooFast(outside, going.call);
  return give(outside, going);
}

/** Edits and typing are paid from the same purse as messages. */
function refuseTooFast({ rates, faults, api }: Outside, { method, chat }: Call): void {
  if (rates === null || chat === null || !/^(send|edit)/.test(method)) return;
  const waitS = rates.waitS(chat, api.world.chat(chat).type !== 'private');
  if (waitS === 0) return;
  faults.punish(method, chat, waitS);
  throw tooMany(waitS);
}

async function give(outside: Outside, going: Going): Promise<void> {
  const result = await act(outside, going);
  going.call.came = 'ok';
  send(going.response, 200, { ok: true, result });
}

async function act({ api, methods }: Outside, { call, params, response }: Going): Promise<unknown> {
  const hungUp = new AbortController();
  response.once('close', () => hungUp.abort());
  if (response.destroyed) hungUp.abort();
  const request: Request = { api, params, signal: hungUp.signal };
  return await methods[call.method]?.(request);
}

async function suffer(outside: Outside, going: Going, fault: Fault): Promise<void> {
  const { call } = going;
  switch (fault.type) {
    case 'flood':
      outside.faults.punish(call.method, call.chat, fault.retryAfterS, fault.scope);
      throw tooMany(fault.retryAfterS);
    case 'refuse':
      throw new Refusal(fault.code, fault.description);
    case 'slow':
      await new Promise<void>((resolve) => outside.clock.after(fault.delayMs, resolve));
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
  const result = at === 'request' || at === 'body of nothing' ? null : await act(outside, going);
  call.came = 'reset';
  await cutAnswer(response, at, { ok: true, result });
}

function download({ api }: Outside, path: string, response: ServerResponse): void {
  const file = api.world.file(path);
  if (!file) throw new Refusal(404, 'Not Found');
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.bytes.length });
  response.end(file.bytes);
}

function refuseWith(response: ServerResponse, error: unknown): void {
  const refusal = error instanceof Refusal ? error : new Refusal(500, `Internal Server Error: ${String(error)}`);
  const { code, message, parameters } = refusal;
  const more = Object.keys(parameters).length > 0 ? { parameters } : {};
  send(response, code, { ok: false, error_code: code, description: message, ...more });
}

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

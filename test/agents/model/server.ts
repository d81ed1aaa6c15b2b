// A model server on loopback that speaks the wire formats of the real providers and thinks with a function. It is also
// the proxy of whoever talks to it, so that every try to reach somebody else is seen, and refused.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { anthropicWire } from './anthropic.js';
import { completionsWire } from './completions.js';
import { responsesWire } from './responses.js';
import type { Brain, Move, Talk } from './talk.js';
import { Events, type TokensOfCall, type Wire } from './wire.js';

export interface Asked {
  readonly path: string;
  readonly talk: Talk;
  readonly move: Move;
}

export interface Model {
  readonly url: string;
  /** Every request for an answer, in order. */
  readonly asked: readonly Asked[];
  /** Who else somebody wanted to reach: hosts, and requests that no provider knows. */
  readonly strangers: readonly string[];
  /** Where requests came from. */
  readonly peers: ReadonlySet<string>;
  think(brain: Brain): void;
  /** What each answer takes from now on. */
  charge(tokens: TokensOfCall): void;
  close(): Promise<void>;
}

const wires: readonly Wire[] = [anthropicWire, responsesWire, completionsWire];
const maxBytes = 16 * 1024 * 1024;
const maxAsked = 10_000;
const usualTokens: TokensOfCall = { input: 1000, cached: 100, output: 20 };

export async function startModel(brain: Brain): Promise<Model> {
  const room: Room = { brain, tokens: usualTokens, asked: [], strangers: [], peers: new Set() };
  const server = createServer((request, response) => {
    answer(room, request, response).catch((error: unknown) => {
      room.strangers.push(`${request.method} ${request.url}: ${String(error)}`);
      sendJson(response, 500, { error: { message: String(error) } });
    });
  });
  server.on('connect', (request, socket) => {
    room.strangers.push(request.url ?? '');
    socket.on('error', () => socket.destroy());
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    asked: room.asked,
    strangers: room.strangers,
    peers: room.peers,
    think: (other) => {
      room.brain = other;
    },
    charge: (tokens) => {
      room.tokens = tokens;
    },
    close: () => close(server),
  };
}

interface Room {
  brain: Brain;
  tokens: TokensOfCall;
  readonly asked: Asked[];
  readonly strangers: string[];
  readonly peers: Set<string>;
}

async function answer(room: Room, request: IncomingMessage, response: ServerResponse): Promise<void> {
  room.peers.add(request.socket.remoteAddress ?? '');
  const text = await readText(request);
  // A proxy is asked for whole addresses.
  if (!request.url?.startsWith('/')) {
    room.strangers.push(request.url ?? '');
    sendJson(response, 502, {});
    return;
  }
  const { pathname } = new URL(request.url, 'http://model');
  if (request.method === 'HEAD') return void response.writeHead(200).end();
  if (pathname.endsWith('/models')) return sendJson(response, 200, { object: 'list', data: [], models: [] });
  if (pathname === '/v1/messages/count_tokens') {
    return sendJson(response, 200, { input_tokens: Math.ceil(text.length / 4) });
  }
  const wire = wires.find((one) => one.path === pathname);
  if (!wire || request.method !== 'POST') {
    room.strangers.push(`${request.method} ${pathname}`);
    return sendJson(response, 404, { error: { message: `no ${pathname}` } });
  }
  await think(room, wire, JSON.parse(text), response);
}

const head = z.looseObject({ model: z.string() });

async function think(room: Room, wire: Wire, body: unknown, response: ServerResponse): Promise<void> {
  const talk = wire.read(body);
  const move = room.brain(talk);
  if (room.asked.length >= maxAsked) throw new Error('too many requests');
  room.asked.push({ path: wire.path, talk, move });
  if (move.do === 'hang') return;
  if (move.do === 'fail') {
    const wait = move.retryAfterS === null ? {} : { 'retry-after': String(move.retryAfterS) };
    return sendJson(response, move.status, wire.error(move.status, move.message), wait);
  }
  const id = String(room.asked.length).padStart(8, '0');
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'request-id': `req_${id}`,
  });
  const { model } = head.parse(body);
  await wire.reply(new Events(response), move, { model, tools: talk.tools, id, tokens: room.tokens });
  response.end();
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > maxBytes) throw new Error('the request is too long');
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

// Forwards local agents' calls to a remote Bosun. Security: loopback only, and only tokens of attempts running here.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { BosunError, isSameSecret } from '../../base/index.js';
import { type AgentCall, type AgentReply, agentPaths } from '../../jobs/index.js';

export type CallBosun = (call: AgentCall) => Promise<AgentReply>;

export interface AgentProxy {
  readonly url: string;
  /** The result revokes the token. */
  admit(token: string, call: CallBosun): () => void;
  close(): Promise<void>;
}

export interface RelayLimits {
  /** For a request, and for an idle connection. */
  readonly patienceMs?: number;
  /** Bosun usually answers within 30 s. */
  readonly answerMs?: number;
}

const maxBodyChars = 70_000;
const maxOpenCalls = 256;
const maxConnections = 512;
const maxHeaders = 64;

export async function openAgentProxy({
  patienceMs = 10_000,
  answerMs = 35_000,
}: RelayLimits = {}): Promise<AgentProxy> {
  const admitted = new Map<string, CallBosun>();
  let open = 0;
  const server = createServer(
    {
      headersTimeout: patienceMs,
      requestTimeout: patienceMs,
      keepAliveTimeout: patienceMs,
      connectionsCheckingInterval: Math.max(50, patienceMs / 5),
    },
    (request, response) => void serve(request, response),
  );
  server.maxConnections = maxConnections;
  server.maxHeadersCount = maxHeaders;

  function callOf(given: string): CallBosun | null {
    let found: CallBosun | null = null;
    // Security: compares every token, for constant time.
    for (const [token, call] of admitted) if (isSameSecret(given, token)) found = call;
    return found;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const refusal = refusalOf(request, portOf(server));
      if (refusal !== null) return refuse(response, refusal);
      const call = callOf(bearerOf(request) ?? '');
      if (call === null) return refuse(response, unknownToken);
      if (open >= maxOpenCalls) return refuse(response, tooMany);
      open += 1;
      try {
        await handOn(request, response, call);
      } finally {
        open -= 1;
      }
    } catch {
      // It hung up or was cut off, and retries.
      response.destroy();
    }
  }

  async function handOn(request: IncomingMessage, response: ServerResponse, call: CallBosun): Promise<void> {
    const path = agentPaths.find((one) => one === pathOf(request));
    if (path === undefined) return refuse(response, notThere);
    const body = await bodyOf(request);
    if (body === null) return refuse(response, tooLarge);
    const reply = await answered(call({ path, body }), answerMs);
    if ('what' in reply) return refuse(response, reply);
    const type = reply.status >= 400 ? problemType : 'application/json';
    send(response, reply.status, type, reply.body);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  }).catch((cause: unknown) => {
    throw new BosunError('not_now', 'Cannot open a port on 127.0.0.1, where agents reach Bosun', {
      hint: 'Check that programs on this machine may listen on its loopback.',
      cause,
    });
  });
  server.unref();
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    admit(token, call) {
      admitted.set(token, call);
      return () => {
        if (admitted.get(token) === call) admitted.delete(token);
      };
    },
    close() {
      admitted.clear();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly code: string;
  readonly what: string;
  readonly hint: string | null;
}

const notThere: Refusal = {
  ...{ status: 404, title: 'Not found', code: 'not_found' },
  what: 'A worker answers only requests of agents',
  hint: `POST to ${agentPaths.join(', ')}.`,
};
const notPosted: Refusal = {
  ...{ status: 405, title: 'Wrong method', code: 'usage', what: 'Only POST works here', hint: null },
};
const notOwn: Refusal = {
  ...{
    status: 403,
    title: 'Not allowed',
    code: 'not_allowed',
    what: 'The Host or Origin header names another server',
    hint: null,
  },
};
const noToken: Refusal = {
  ...{ status: 401, title: 'Not logged in', code: 'not_allowed', what: "This request needs an attempt's token" },
  hint: 'Send "Authorization: Bearer $BOSUN_TOKEN".',
};
const unknownToken: Refusal = {
  ...{
    status: 403,
    title: 'Not allowed',
    code: 'not_allowed',
    what: 'No attempt with that token runs on this machine',
  },
  hint: 'The attempt has ended, or its job went to another worker.',
};
const tooLarge: Refusal = {
  ...{ status: 413, title: 'Too large', code: 'limit', what: `The body has more than ${maxBodyChars} characters` },
  hint: 'Send a shorter text.',
};
const tooMany: Refusal = {
  ...{ status: 503, title: 'Not available', code: 'limit', what: 'Too many responses are open' },
  hint: 'Ask again later, with the same key.',
};
const away: Refusal = {
  ...{ status: 503, title: 'Not available', code: 'queue', what: 'Bosun does not answer' },
  hint: 'Ask again later, with the same key.',
};

function refusalOf(request: IncomingMessage, port: number): Refusal | null {
  const { host = '', origin } = request.headers;
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  // Security: browsers send an Origin and agents do not, so this refuses web pages.
  if (!own.includes(host.toLowerCase()) || origin !== undefined) return notOwn;
  if (!agentPaths.some((path) => path === pathOf(request))) return notThere;
  if (request.method !== 'POST') return notPosted;
  return bearerOf(request) === null ? noToken : null;
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

function bearerOf({ headers }: IncomingMessage): string | null {
  return /^Bearer +(\S{1,500})$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  let text = '';
  request.setEncoding('utf8');
  for await (const part of request) {
    text += String(part);
    if (text.length > maxBodyChars) return null;
  }
  return text;
}

/** A failure becomes 503; the agent retries with the same idempotency key. */
function answered(reply: Promise<AgentReply>, withinMs: number): Promise<AgentReply | Refusal> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(away), withinMs);
    const end = (with_: AgentReply | Refusal) => {
      clearTimeout(timer);
      resolve(with_);
    };
    reply.then(end, () => end(away));
  });
}

const problemType = 'application/problem+json; charset=utf-8';

/** RFC 9457. */
function refuse(response: ServerResponse, { status, title, code, what, hint }: Refusal): void {
  const error = { code, message: what, hint };
  const body = { type: 'about:blank', title, status, detail: what, error };
  response.setHeader('connection', 'close');
  send(response, status, problemType, `${JSON.stringify(body)}\n`);
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address();
  return address === null || typeof address === 'string' ? 0 : address.port;
}

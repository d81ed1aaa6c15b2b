// Reads JSON lines; the last one has the exit code.
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { z } from 'zod';
import { BosunError } from '../../base/index.js';
import type { MessageJson } from '../../bot/index.js';
import { checkConfig, type Home } from '../../config/index.js';
import { type ExitCode, isErrorCode } from '../failure.js';
import type { SendTo } from './speak.js';

const maxLineBytes = 16 * 1024 * 1024;
const maxDocumentChars = 1024 * 1024;

const errorSchema = z.object({ code: z.string(), message: z.string(), hint: z.string().nullable().default(null) });
const buttonSchema = z.object({ label: z.string(), press: z.string() });
const messageSchema = z.object({
  message: z.string(),
  thread: z.string(),
  edits: z.string().nullable(),
  kind: z.string(),
  text: z.string(),
  buttons: z.array(buttonSchema),
  file: z.object({ name: z.string(), text: z.string() }).exactOptional(),
});
const lineSchema = z.union([
  z.object({ message: messageSchema }),
  z.object({ exit: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3), z.literal(4)]) }),
  z.object({ error: errorSchema }),
]);
const problemSchema = z.object({ error: errorSchema });
const linkSchema = z.object({ url: z.string() });

/** Heartbeats come every 15 s, so longer silence means a hang. */
const usualSilenceMs = 40_000;

export function sendToRunning(home: Home, silenceMs = usualSilenceMs): SendTo {
  return async (port, { request, wait, timeoutMs, print }) => {
    const response = await post({ home, port, silenceMs }, '/api/requests', { ...request, wait, timeoutMs });
    if (response === null) return 'gone';
    for await (const line of linesOf(response)) {
      const exit = readLine(line, print);
      if (exit !== null) return exit;
    }
    throw new BosunError('queue', 'The running Bosun stopped before it answered', {
      hint: 'Accepted messages and work are kept; "bosun status" shows the current state.',
    });
  };
}

export async function askLoginLink(home: Home, port: number, as: string | null): Promise<string> {
  const response = await post({ home, port, silenceMs: usualSilenceMs }, '/api/login-links', { as });
  if (response === null)
    throw new BosunError('not_now', `No Bosun listens on port ${port}`, { hint: 'Start it with "bosun up".' });
  const text = await documentOf(response);
  return parsed(linkSchema, text).url;
}

function readLine(text: string, print: (message: MessageJson) => void): ExitCode | null {
  const line = parsed(lineSchema, text);
  if ('error' in line) throw errorOf(line.error);
  if ('exit' in line) return line.exit;
  print(line.message);
  return null;
}

function errorOf({ code, message, hint }: z.infer<typeof errorSchema>): BosunError {
  // A newer Bosun may send unknown codes.
  return new BosunError(isErrorCode(code) ? code : 'bad_input', message, hint === null ? {} : { hint });
}

interface Running {
  readonly home: Home;
  readonly port: number;
  readonly silenceMs: number;
}

/** Null: nothing listens. Limits only silence: the server limits the wait. */
async function post({ home, port, silenceMs }: Running, path: string, body: unknown): Promise<IncomingMessage | null> {
  const text = JSON.stringify(body);
  const sent = httpRequest({
    host: hostOf(home),
    port,
    path,
    method: 'POST',
    timeout: silenceMs,
    headers: {
      authorization: `Bearer ${home.apiToken}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    },
  });
  sent.end(text);
  const silent = () => hangs(port, silenceMs);
  const giveUp = () => sent.destroy(silent());
  sent.once('timeout', giveUp);
  const response = await answerTo(sent, port);
  sent.off('timeout', giveUp);
  sent.once('timeout', () => response?.destroy(silent()));
  if (response === null || response.statusCode === 200) return response;
  throw await refusalOf(response);
}

function answerTo(sent: ClientRequest, port: number): Promise<IncomingMessage | null> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', (error: Error & { readonly code?: string }) => {
      if (error.code === 'ECONNREFUSED') resolve(null);
      else if (error instanceof BosunError) reject(error);
      else reject(lost(port, error));
    });
  });
}

async function refusalOf(response: IncomingMessage): Promise<BosunError> {
  const text = await documentOf(response);
  const told = problemSchema.safeParse(jsonOf(text));
  if (told.success) return errorOf(told.data.error);
  return new BosunError('queue', `The running Bosun answered with HTTP ${response.statusCode}`, {
    hint: 'It may be another version: restart it.',
  });
}

async function documentOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const line of linesOf(response, maxDocumentChars)) {
    text += line;
    if (text.length > maxDocumentChars) throw tooLong('an answer');
  }
  return text;
}

function tooLong(what: string): BosunError {
  return new BosunError('limit', `The running Bosun sent ${what} that is too long`);
}

async function* linesOf(response: IncomingMessage, maxChars = maxLineBytes): AsyncGenerator<string> {
  response.setEncoding('utf8');
  let rest = '';
  try {
    for await (const chunk of response) {
      const lines = `${rest}${String(chunk)}`.split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > maxChars) throw tooLong('a line');
      for (const line of lines) if (line.trim() !== '') yield line;
    }
  } catch (error) {
    if (error instanceof BosunError) throw error;
    throw lost(null, error);
  }
  if (rest.trim() !== '') yield rest;
}

function hangs(port: number, silenceMs: number): BosunError {
  const forHowLong = `${Math.round(silenceMs / 1_000)} s`;
  return new BosunError('timeout', `The running Bosun on port ${port} has sent nothing for ${forHowLong}`, {
    hint: 'It hangs or is suspended: check with "bosun doctor". It may still carry out your request when it resumes.',
  });
}

function lost(port: number | null, cause: unknown): BosunError {
  const what = cause instanceof Error ? cause.message : String(cause);
  const where = port === null ? '' : ` on port ${port}`;
  return new BosunError('queue', `The connection to the running Bosun${where} broke (${what})`, {
    hint: 'Accepted messages and work are kept; "bosun status" shows the current state.',
    cause,
  });
}

function parsed<T>(schema: z.ZodType<T>, text: string): T {
  const read = schema.safeParse(jsonOf(text));
  if (read.success) return read.data;
  throw new BosunError('queue', 'The running Bosun sent an unexpected answer', {
    hint: 'It may be another version: restart it.',
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function hostOf(home: Home): string {
  const reading = checkConfig(home, process.env);
  return reading.kind === 'good' ? reachable(reading.config.web.host) : '127.0.0.1';
}

/** A server on all addresses listens on loopback too. */
export function reachable(host: string): string {
  return ['0.0.0.0', '::', 'localhost'].includes(host) ? '127.0.0.1' : host;
}

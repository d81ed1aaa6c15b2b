// HTTP client for an agent's MCP server or a worker: polls for an answer and survives a short outage.
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

export type BosunAnswer = z.infer<typeof answers>;

export interface AskingBosun {
  readonly missing: string | null;
  /** Called after each poll without an answer. */
  ask(path: '/agent/ask' | '/agent/permission', body: unknown, how: Patience): Promise<BosunAnswer | Unreachable>;
  tell(text: string, signal: AbortSignal): Promise<Unreachable | null>;
  /** Reports what became of the last message, then waits for the next. */
  words(heard: HeardWords | null, signal: AbortSignal): Promise<BosunAnswer | Unreachable>;
}

export interface HeardWords {
  readonly key: string;
  readonly is_heard: boolean;
}

export interface Patience {
  readonly signal: AbortSignal;
  readonly onWait: () => void;
}

export interface Unreachable {
  readonly state: 'unreachable';
  readonly why: string;
}

const answers = z.discriminatedUnion('state', [
  z.object({ state: z.literal('answered'), text: z.string(), by: z.string() }),
  z.object({ state: z.literal('allowed') }),
  z.object({ state: z.literal('denied'), why: z.string().nullish(), by: z.string().nullish() }),
  z.object({ state: z.literal('waiting') }),
  z.object({ state: z.literal('expired') }),
  z.object({ state: z.literal('noted') }),
  z.object({ state: z.literal('words'), key: z.string().max(200), text: z.string(), by: z.string() }),
]);
const refusals = z.object({ detail: z.string() });

/** Just below the server's limit. */
const maxPermissionBytes = 64 * 1024;
/** Must exceed the server's long poll. */
const callTimeoutMs = 40_000;
const maxAnswerBytes = 1024 * 1024;
const usualAwayMs = 60_000;
const backOffMs = { first: 250, most: 5_000 };
/** Agents wait at most a day. */
const maxWaitMs = 25 * 3_600_000;

type Tried =
  | { readonly type: 'answer'; readonly answer: BosunAnswer }
  | { readonly type: 'refused'; readonly why: string }
  | { readonly type: 'away'; readonly why: string; readonly retryAfterMs: number };

export function askingBosun(env: Readonly<Record<string, string | undefined>>, maxAwayMs = usualAwayMs): AskingBosun {
  const { BOSUN_URL: url = '', BOSUN_TOKEN: token = '' } = env;
  const absent = [url === '' && 'BOSUN_URL', token === '' && 'BOSUN_TOKEN'].filter((name) => name !== false);
  const missing = absent.length === 0 ? null : `${absent.join(' and ')} ${absent.length > 1 ? 'are' : 'is'} not set`;
  const at = { url, token };

  async function ask(path: string, body: unknown, { signal, onWait }: Patience): Promise<BosunAnswer | Unreachable> {
    const bytes = Buffer.byteLength(JSON.stringify(body));
    if (path === '/agent/permission' && bytes > maxPermissionBytes) {
      const why = `the request has ${bytes} bytes, and a person can judge at most ${maxPermissionBytes}. Do it in smaller parts`;
      return { state: 'denied', by: 'Bosun', why };
    }
    const until = Date.now() + maxWaitMs;
    let awaySince: number | null = null;
    let delayMs = backOffMs.first;
    while (!signal.aborted && Date.now() < until) {
      const askedAt = Date.now();
      const tried = await send(at, path, body, signal);
      if (tried.type === 'refused') return { state: 'unreachable', why: tried.why };
      if (tried.type === 'answer') {
        if (tried.answer.state !== 'waiting') return tried.answer;
        onWait();
        awaySince = null;
        delayMs = backOffMs.first;
        // A Bosun that shuts down answers at once: keep the interval.
        await pause(Math.max(0, delayMs - (Date.now() - askedAt)), undefined, { signal }).catch(() => undefined);
        continue;
      }
      awaySince ??= Date.now();
      const waitMs = Math.max(delayMs, tried.retryAfterMs);
      if (Date.now() - awaySince + waitMs > maxAwayMs) return { state: 'unreachable', why: tried.why };
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
      delayMs = Math.min(2 * delayMs, backOffMs.most);
    }
    return { state: 'unreachable', why: 'the caller no longer waits for the answer' };
  }

  return {
    missing,
    ask,
    words: (heard, signal) => ask('/agent/words', { heard }, { signal, onWait: () => undefined }),
    async tell(text, signal) {
      const tried = await send(at, '/agent/progress', { text }, signal);
      return tried.type === 'answer' ? null : { state: 'unreachable', why: tried.why };
    },
  };
}

async function send(
  { url, token }: { readonly url: string; readonly token: string },
  path: string,
  body: unknown,
  signal: AbortSignal,
): Promise<Tried> {
  try {
    const response = await fetch(new URL(path, url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(callTimeoutMs)]),
    });
    return read(response, await textOf(response));
  } catch (error) {
    return { type: 'away', why: `cannot reach Bosun at ${originOf(url)}: ${causeOf(error)}`, retryAfterMs: 0 };
  }
}

function read({ status, headers }: Response, text: string): Tried {
  const said = jsonOf(text);
  const answer = answers.safeParse(said);
  if (status === 200 && answer.success) return { type: 'answer', answer: answer.data };
  const why = refusals.safeParse(said).data?.detail ?? `Bosun answered with HTTP ${status}`;
  // 409, 429 and 5xx mean shutdown or overload; the rest is final.
  if (status !== 409 && status !== 429 && status < 500) return { type: 'refused', why };
  return { type: 'away', why, retryAfterMs: retryAfterMsOf(headers) };
}

function retryAfterMsOf(headers: Headers): number {
  const said = headers.get('retry-after') ?? '';
  const ms = /^\d+$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'BOSUN_URL, which is not a valid address';
}

/** fetch keeps the actual error there. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

export const endNow = 'End your work now with the status needs_human and this question as the summary.';

export function tellAnswer(answer: BosunAnswer): string {
  if (answer.state === 'answered') return `${answer.by} answered:\n${answer.text}`;
  return `No one answered in time. ${endNow} A later answer goes to the next attempt.`;
}

export function whyDenied(answer: BosunAnswer | Unreachable): string {
  switch (answer.state) {
    case 'denied':
      return `Refused by ${answer.by ?? 'a person'}${answer.why ? `: ${answer.why}` : '. Go on without it.'}`;
    case 'unreachable':
      return `Refused, because no person can be asked: ${answer.why}.`;
    default:
      return 'Refused, because no one answered in time. Go on without it, or end with needs_human and say what you need.';
  }
}

/** Idempotency: a retried question posts no second card. */
export interface AskKey {
  readonly key: string;
  readonly settle: () => void;
}

export interface AskKeys {
  of(kind: 'question' | 'permission', asked: unknown, id?: string): AskKey;
}

export function askKeys(): AskKeys {
  const rounds = new Map<string, number>();
  // Per process: permissions, unlike answers, do not survive a restart.
  const own = randomBytes(4).toString('hex');
  return {
    of(kind, asked, id) {
      if (id !== undefined && id !== '') return { key: `use-${digest(id)}`, settle: () => undefined };
      const name = `${kind === 'permission' ? `${own}-` : ''}${digest(JSON.stringify(asked))}`;
      const round = rounds.get(name) ?? 1;
      return { key: `${round}-${name}`, settle: () => void rounds.set(name, round + 1) };
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

// One try per call: callers handle rate limits.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Logger,
  LogLevel,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRequestError,
  WebClient,
} from '@slack/web-api';
import { boundedFetch, networkCodeOf } from '../bounded-fetch.js';

export interface SlackPlace {
  readonly token: string;
  readonly apiUrl: string | null;
}

/** Leaves time to upload long logs. */
const defaultTimeoutMs = 30_000;

export function openClient({ token, apiUrl }: SlackPlace, timeoutMs = defaultTimeoutMs): WebClient {
  return new WebClient(token, {
    ...(apiUrl === null ? {} : { slackApiUrl: rootOf(apiUrl) }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: timeoutMs,
    logger: silent,
    fetch: cancellable,
  });
}

/** Accepts `http://host` and `https://slack.com/api`. */
function rootOf(apiUrl: string): string {
  const bare = apiUrl.trim().replace(/\/+$/, '');
  return /^https?:\/\/[^/]+$/i.test(bare) ? `${bare}/api/` : `${bare}/`;
}

const underWay = new AsyncLocalStorage<AbortSignal>();

export function signalled<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  return underWay.run(signal, call);
}

const cancellable: typeof fetch = (url, init = {}) => {
  const signals = [init.signal, underWay.getStore()].filter((one) => one !== undefined && one !== null);
  return boundedFetch(url, signals.length === 0 ? init : { ...init, signal: AbortSignal.any(signals) });
};

export class UploadRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the upload was answered with ${status}`);
    this.status = status;
  }
}

/** Slack accepted the call, but a needed field is missing. */
export class AnswerLacks extends Error {
  constructor(what: string) {
    super(`Slack's answer lacks ${what}`);
  }
}

export async function upload(url: string, bytes: Buffer, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(defaultTimeoutMs)]);
  const sent: RequestInit = { method: 'POST', body: new Uint8Array(bytes), redirect: 'error', signal: limit };
  const answer = await boundedFetch(url, sent);
  await answer.arrayBuffer();
  if (!answer.ok) throw new UploadRefused(answer.status);
}

export function whyOf(error: unknown): string {
  if (error instanceof WebAPIPlatformError) return refusalOf(error);
  if (error instanceof WebAPIHTTPError) return `status ${error.statusCode}`;
  const inner = error instanceof WebAPIRequestError ? error.original : error;
  if (!(inner instanceof Error)) return 'the network failed';
  const code = codeOf(inner);
  const said = withoutSecrets(inner.message);
  return (code === null || said.includes(code) ? said : `${said} (${code})`).slice(0, 300);
}

function refusalOf({ data }: WebAPIPlatformError): string {
  const needed = 'needed' in data ? data.needed : null;
  return withoutSecrets(typeof needed === 'string' ? `${data.error}: ${needed}` : data.error).slice(0, 300);
}

export function codeOf(error: unknown): string | null {
  return networkCodeOf(error, (code) => /^(E[A-Z]|UND_)/.test(code));
}

export function withoutSecrets(text: string): string {
  return text
    .replace(/\bx(?:ox[a-z]|app)[a-z.]*-[\w.-]+/gi, '[token]')
    .replace(/(?:https?|wss?):\/\/[^\s)]+/g, '[address]');
}

const nothing = () => undefined;

/** Security: Slack's clients could print a token. */
export const silent: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  getLevel: () => LogLevel.ERROR,
  setName: nothing,
};

// Security: error texts never contain the token.
import { Api, GrammyError, HttpError } from 'grammy';
import { boundedFetch } from '../bounded-fetch.js';

export interface TelegramPlace {
  readonly token: string;
  readonly apiRoot: string | null;
}

const telegramRoot = 'https://api.telegram.org';

export function openApi(place: TelegramPlace, limitS: number): Api {
  return sendingApi({ ...place, timeoutS: limitS });
}

export function rootOf(apiRoot: string | null): string {
  return (apiRoot ?? telegramRoot).replace(/\/+$/, '');
}

export function signalOf({ signal }: AbortController): Signal {
  return grammySignal(signal);
}

/** Addresses contain the token. */
export function whyOf(error: unknown): string {
  if (error instanceof GrammyError) return `${error.error_code}: ${error.description}`;
  const inner = error instanceof HttpError ? error.error : error;
  if (!(inner instanceof Error)) return 'the network failed';
  const cause = inner.cause instanceof Error && 'code' in inner.cause ? ` (${String(inner.cause.code)})` : '';
  return `${withoutToken(inner.message)}${cause}`.slice(0, 300);
}

function withoutToken(text: string): string {
  return text.replace(/\d{5,}:[\w-]{20,}/g, '[token]').replace(/https?:\/\/\S+/g, '[address]');
}

export interface TelegramAccess {
  readonly token: string;
  readonly apiRoot?: string | null;
  readonly timeoutS?: number;
}

const defaultTimeoutS = 30;

export function sendingApi({ token, apiRoot = null, timeoutS = defaultTimeoutS }: TelegramAccess): Api {
  return new Api(token, {
    // The client's fetch hangs on a broken response.
    fetch: boundedFetch,
    timeoutSeconds: timeoutS,
    ...(apiRoot === null ? {} : { apiRoot: apiRoot.replace(/\/+$/, '') }),
  });
}

export type Signal = NonNullable<Parameters<Api['getMe']>[0]>;

/** grammY has its own AbortSignal type. */
export function grammySignal(signal: AbortSignal): Signal {
  return signal as unknown as Signal;
}

// What comes in shares the client with what goes out; here is what only receiving needs of it.
import { Api, GrammyError, HttpError } from 'grammy';
import { boundedFetch } from '../bounded-fetch.js';

export interface TelegramPlace {
  readonly token: string;
  /** null: Telegram's own. */
  readonly apiRoot: string | null;
}

const telegramRoot = 'https://api.telegram.org';

export function openApi(place: TelegramPlace, limitS: number): Api {
  return sendingApi({ ...place, timeoutS: limitS });
}

/** Where files are, without a slash at the end. */
export function rootOf(apiRoot: string | null): string {
  return (apiRoot ?? telegramRoot).replace(/\/+$/, '');
}

export function signalOf({ signal }: AbortController): Signal {
  return grammySignal(signal);
}

/** Why a call failed, in a few words, and never where it went: the address holds the token. */
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

// The platform's client for what goes out.
export interface TelegramAccess {
  readonly token: string;
  /** Of another server than the platform's own. */
  readonly apiRoot?: string | null;
  readonly timeoutS?: number;
}

/** A send that takes longer is given up; uploads of long logs need some of it. */
const defaultTimeoutS = 30;

export function sendingApi({ token, apiRoot = null, timeoutS = defaultTimeoutS }: TelegramAccess): Api {
  return new Api(token, {
    // The client's own one hangs where a connection breaks in the middle of an answer.
    fetch: boundedFetch,
    timeoutSeconds: timeoutS,
    ...(apiRoot === null ? {} : { apiRoot: apiRoot.replace(/\/+$/, '') }),
  });
}

export type Signal = NonNullable<Parameters<Api['getMe']>[0]>;

/** The client names its signals by types of its own and takes the platform's. */
export function grammySignal(signal: AbortSignal): Signal {
  return signal as unknown as Signal;
}

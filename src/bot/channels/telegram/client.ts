// What comes in shares the client with what goes out; here is what only receiving needs of it.
import { type Api, GrammyError, HttpError } from 'grammy';
import { grammySignal, type Signal, sendingApi } from './carrier-api.js';

export interface Place {
  readonly token: string;
  /** null: Telegram's own. */
  readonly apiRoot: string | null;
}

const telegramRoot = 'https://api.telegram.org';

export function openApi(place: Place, limitS: number): Api {
  return sendingApi({ ...place, timeoutS: limitS });
}

/** Where files are, without a slash at the end. */
export function rootOf(apiRoot: string | null): string {
  return (apiRoot ?? telegramRoot).replace(/\/+$/, '');
}

export type { Signal };

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

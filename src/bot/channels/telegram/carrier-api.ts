// The platform's client for what goes out.
import { Api } from 'grammy';
import { boundedFetch } from '../bounded-fetch.js';

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

// The real client before the server, for tests of the server itself.
import { Api, Bot, GrammyError, HttpError } from 'grammy';
import { cleanUpAfterEachTest } from '../../../../clean-up.js';
import { startTelegram, type Telegram, type TelegramOptions } from './index.js';

const open: Telegram[] = [];

cleanUpAfterEachTest(async () => {
  for (const telegram of open.splice(0)) await telegram.stop();
});

export async function given(options: TelegramOptions = {}) {
  const telegram = await startTelegram(options);
  open.push(telegram);
  const api = new Api(telegram.token, { apiRoot: telegram.apiRoot });
  return { telegram, api, ada: telegram.person(1000, 'Ada') };
}

export function botOf({ token, apiRoot }: Telegram): Bot {
  return new Bot(token, { client: { apiRoot } });
}

type Signal = NonNullable<Parameters<Api['getMe']>[0]>;

/** The client names its signals by types of its own and takes the platform's. */
export function hangingUp(): { readonly signal: Signal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal as unknown as Signal, abort: () => controller.abort() };
}

/** `400: Bad Request: …`, or what the network did. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof GrammyError) return `${error.error_code}: ${error.description}`;
    if (error instanceof HttpError && error.error instanceof Error) return `network: ${error.error.message}`;
    throw error;
  }
  return 'taken';
}

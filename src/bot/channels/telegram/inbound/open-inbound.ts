import type { Api } from 'grammy';
import { BosunError, machineClock } from '../../../../base/index.js';
import { keepText, keptText, knock } from '../../../../config/index.js';
import { chunksOf, type Download, explainedBy, maxFileBytes } from '../../../inbound/index.js';
import type { BotServices } from '../../../services.js';
import { openApi, rootOf, signalOf, type TelegramPlace, whyOf } from '../client.js';
import { pollLimitS } from './poller.js';
import { type TelegramInboundParts, type TelegramIntake, telegramIntake } from './telegram-inbound.js';

type FromStart = 'messageAt' | 'log' | 'webhook' | 'react' | 'answerPress' | 'moved';
export type TelegramInboundContext = Pick<TelegramInboundParts, FromStart> & Partial<TelegramInboundParts>;

const callLimitS = 20;

export function openIntake(
  services: BotServices,
  place: TelegramPlace,
  context: TelegramInboundContext,
): TelegramIntake {
  const { home, runtime, door, config, freshConfig } = services;
  const api = context.api ?? openApi(place, callLimitS);
  return telegramIntake({
    openApi: () => openApi(place, pollLimitS),
    api,
    me: null,
    door,
    config,
    freshConfig: freshConfig ?? config,
    ...{ reader: runtime.reader, inbox: runtime.inbox, deliveries: runtime.deliveries },
    clock: machineClock,
    random: Math.random,
    knock: (stranger) => knock(home, stranger, Date.now()),
    download: downloadFrom(api, place),
    keptMenus: {
      read: () => keptText(home, 'telegram-commands'),
      write: (hash) => keepText(home, 'telegram-commands', hash),
    },
    ...context,
  });
}

const limitMs = 120_000;

const explained = explainedBy(whyOf);

export function downloadFrom(api: Api, place: TelegramPlace): Download {
  return async (fileId, outer) => {
    const controller = new AbortController();
    const signal = AbortSignal.any([outer, AbortSignal.timeout(limitMs)]);
    signal.addEventListener('abort', () => controller.abort(), { once: true });
    if (signal.aborted) controller.abort();
    const told = await explained(() => api.getFile(fileId, signalOf(controller)));
    if ((told.file_size ?? 0) > maxFileBytes) throw new BosunError('limit', 'it is larger than 20 MB');
    const { file_path: path } = told;
    if (path === undefined) throw new BosunError('bad_input', 'Telegram does not have it any more');
    const address = `${rootOf(place.apiRoot)}/file/bot${place.token}/${encodeURI(path)}`;
    const response = await explained(() => fetch(address, { signal: controller.signal }));
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new BosunError('bad_input', `Telegram does not give it (${response.status})`);
    }
    return chunksOf(response.body, explained);
  };
}

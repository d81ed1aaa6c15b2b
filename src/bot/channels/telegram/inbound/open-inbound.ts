// The intake as a running Bosun has it: its own clients, its home's codes and menus, the machine's clock.

import { machineClock } from '../../../../base/index.js';
import { keepText, keptText, knock } from '../../../../config/index.js';
import type { Desk } from '../../../services.js';
import { openApi, type Place } from '../client.js';
import { downloadFrom } from './download.js';
import { pollLimitS } from './poller.js';
import { type IntakeParts, type TelegramIntake, telegramIntake } from './telegram-inbound.js';

/** What delivery knows and does; anything else may be put in the place of what is usual. */
export type IntakeSurroundings = Pick<IntakeParts, 'messageAt' | 'log'> & Partial<IntakeParts>;

const callLimitS = 20;

export function openIntake(desk: Desk, place: Place, around: IntakeSurroundings): TelegramIntake {
  const { home, room, door, config, freshConfig } = desk;
  const api = around.api ?? openApi(place, callLimitS);
  return telegramIntake({
    openApi: () => openApi(place, pollLimitS),
    api,
    me: null,
    door,
    config,
    freshConfig,
    store: room.store,
    clock: machineClock,
    knock: (stranger) => knock(home, stranger, Date.now()),
    download: downloadFrom(api, place),
    keptMenus: {
      read: () => keptText(home, 'telegram-commands'),
      write: (hash) => keepText(home, 'telegram-commands', hash),
    },
    ...around,
  });
}

// Builds Slack's inbound side with production defaults.

import { machineClock } from '../../../../base/index.js';
import { keepText, keptText, knock, type SlackConfig } from '../../../../config/index.js';
import type { BotServices } from '../../../services.js';
import { openClient } from '../client.js';
import { callLimitMs } from './connection/socket.js';
import { downloadFrom } from './download.js';
import type { SlackInboundParts, SlackIntake } from './inbound-parts.js';
import { slackIntake } from './slack-inbound.js';

export type SlackInboundContext = Pick<SlackInboundParts, 'log'> & Partial<SlackInboundParts>;

export function openIntake(services: BotServices, slack: SlackConfig, around: SlackInboundContext): SlackIntake {
  const { home, runtime, door, config } = services;
  const place = { token: slack.botToken, apiUrl: slack.apiUrl };
  const api = around.api ?? openClient(place, callLimitMs);
  return slackIntake({
    ...{ slack, api, door, config },
    store: runtime.store,
    clock: machineClock,
    knock: (stranger) => knock(home, stranger, Date.now()),
    download: downloadFrom(api, place),
    keptTeam: {
      read: () => keptText(home, 'slack-team'),
      write: (team) => keepText(home, 'slack-team', team),
    },
    ...around,
  });
}

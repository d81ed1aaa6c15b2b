import { machineClock } from '../../../../base/index.js';
import { keepText, keptText, knock } from '../../../../config/index.js';
import type { BotServices } from '../../../services.js';
import { openClient } from '../client.js';
import type { SlackConfig } from '../settings.js';
import { callLimitMs } from './connection/socket.js';
import { downloadFrom } from './download.js';
import type { SlackInboundParts, SlackIntake } from './inbound-parts.js';
import { slackIntake } from './slack-inbound.js';

type FromStart = 'log' | 'react' | 'unreact' | 'onDirect' | 'onHome' | 'onMe';
export type SlackInboundContext = Pick<SlackInboundParts, FromStart> & Partial<SlackInboundParts>;

const limits = { deafAfterMs: 120_000, rivalLookMs: 60_000, aloneLookMs: 15 * 60_000 };

export function openIntake(services: BotServices, slack: SlackConfig, context: SlackInboundContext): SlackIntake {
  const { home, runtime, door, config } = services;
  const place = { token: slack.botToken, apiUrl: slack.apiUrl };
  const api = context.api ?? openClient(place, callLimitMs);
  return slackIntake({
    ...{ slack, api, door, config },
    ...{ reader: runtime.reader, inbox: runtime.inbox, deliveries: runtime.deliveries },
    ...{ ...limits, clock: machineClock, random: Math.random },
    knock: (stranger) => knock(home, stranger, Date.now()),
    download: downloadFrom(api, place),
    keptTeam: {
      read: () => keptText(home, 'slack-team'),
      write: (team) => keepText(home, 'slack-team', team),
    },
    ...context,
  });
}

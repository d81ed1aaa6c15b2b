import { randomBytes } from 'node:crypto';
import type { Log } from '../../../base/index.js';
import { machineClock, pause } from '../../../base/index.js';
import { keepText, keptText } from '../../../config/index.js';
import { laneOf } from '../../../store/index.js';
import { Courier, type OutgoingMessage, usualMaxWaiting } from '../../delivery/index.js';
import { pictureReader } from '../../render/picture-file.js';
import type { BotServices } from '../../services.js';
import type { Channel } from '../channel.js';
import { routable, untilTried } from '../routable-messages.js';
import { aboutParcel, tellOfEarlierFailures, tellOfFailure } from '../undelivered-notice.js';
import { openApi, type TelegramPlace } from './client.js';
import { openIntake, type WebhookAddress } from './inbound/index.js';
import { telegramWebhookReceiver } from './inbound/webhook-receiver.js';
import { telegramCarrier } from './outbound/carrier.js';
import { telegramAsides } from './outbound/transient-calls.js';
import { Typing } from './outbound/typing.js';
import type { TelegramConfig } from './settings.js';
import { chatOf } from './thread-ids.js';
import { topicCalls } from './topics/topic-calls.js';
import { Topics } from './topics/topics.js';

const sendLimitS = 30;

type TelegramSettings = TelegramPlace & Partial<Pick<TelegramConfig, 'webhook'>>;

export function startTelegram(services: BotServices, place: TelegramSettings, log: Log): Channel {
  const { runtime } = services;
  // First, because another bot's message ids mean other messages here.
  if (runtime.deliveries.belongTo('telegram', botOf(place.token))) {
    log('telegram: this is another bot than before: what that one sent is not edited any more');
  }
  const api = openApi(place, sendLimitS);
  const carrier = telegramCarrier(api, pictureReader(services.home));
  const onError = (error: unknown, parcel?: OutgoingMessage) =>
    log(`telegram: ${String(error)}`, { ...(parcel && aboutParcel(services, parcel)), level: 'error' });
  const courier = new Courier({
    carrier,
    rows: runtime.deliveries,
    clock: machineClock,
    random: Math.random,
    ...{ isActive: runtime.isActive, maxWaiting: usualMaxWaiting },
    onFailed: (parcel, why) => tellOfFailure(services, parcel, why, log),
    onError,
  });
  const asides = telegramAsides(courier, carrier);
  const webhook = webhookOf(services, place);
  const typing = new Typing({
    ...{ laneOf, after: machineClock.after },
    show: (thread) => courier.typing(thread),
  });
  const intake = openIntake(services, place, {
    ...{ log, webhook },
    messageAt: (thread, platformId) => runtime.deliveries.messageAt(chatOf(thread), String(platformId)),
    react: (thread, message, sign) => {
      const placed = sign === null ? null : runtime.reader.placed(thread);
      // A person wrote from here, so the chat may be reachable again.
      if (sign !== null) courier.alive(chatOf(thread));
      // Typing can wait; a reaction is now or never.
      const shown = asides.react({ chat: chatOf(thread), message }, sign);
      if (placed !== null) typing.begin(placed);
      return shown;
    },
    answerPress: asides.answerPress,
    moved: (from, to) => courier.move(chatOf(from), chatOf(to)),
  });
  const topics = new Topics({
    ...{ services, log, calls: topicCalls(courier, api) },
    pause: (ms, signal) => pause(ms, signal),
  });
  const stops = [
    runtime.onMessages((messages) => {
      const ours = routable(services, messages);
      for (const { thread } of ours) typing.end(thread);
      courier.take(ours);
    }),
    runtime.onWants((want) => topics.make(want)),
  ];
  tellOfEarlierFailures(services, 'telegram', log);
  courier.start();
  intake.start();
  return {
    name: 'telegram',
    tried: untilTried(() => intake.health.state !== 'starting'),
    get problem() {
      return intake.health.problem ?? courier.problem;
    },
    entrance: webhook === null ? null : telegramWebhookReceiver(webhook, (update) => intake.receive(update)),
    async close() {
      for (const stop of stops) stop();
      typing.close();
      // Together: the others wait for calls that end with the courier.
      await Promise.all([intake.close(), topics.close(), courier.close()]);
    },
  };
}

function botOf(token: string): string {
  return token.split(':', 1)[0] ?? '';
}

function webhookOf({ home }: BotServices, { webhook = null }: TelegramSettings): WebhookAddress | null {
  if (webhook === null) return null;
  const secret = webhook.secret ?? keptText(home, 'telegram-webhook-secret') ?? drawnSecret(home);
  return { url: webhook.url, secret };
}

function drawnSecret(home: BotServices['home']): string {
  const secret = randomBytes(32).toString('base64url');
  keepText(home, 'telegram-webhook-secret', secret);
  return secret;
}

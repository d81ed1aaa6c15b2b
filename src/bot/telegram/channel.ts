// Telegram, in and out: what people say there goes through the front door, and what is committed is carried there.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Courier, machineClock } from '../../dispatch/delivery/index.js';
import {
  keepText,
  keptText,
  laneOf,
  type Message,
  placedThread,
  type TelegramConfig,
  type Thread,
} from '../../dispatch/index.js';
import type { Channel } from '../channel.js';
import type { Desk } from '../request.js';
import { telegramCarrier } from './carrier.js';
import { telegramAsides } from './carrier-asides.js';
import { openApi, type Place } from './client.js';
import { openIntake, type WebhookAddress } from './intake/index.js';
import { Topics } from './topics.js';
import { tellOfFailure } from './undelivered.js';

const sendLimitS = 30;
const triedMs = 10_000;
const lookMs = 50;

type Wanted = Place & Partial<Pick<TelegramConfig, 'webhook'>>;

export function startTelegram(desk: Desk, place: Wanted, log: (message: string) => void): Channel {
  const { room } = desk;
  const api = openApi(place, sendLimitS);
  const carrier = telegramCarrier(api);
  const onError = (error: unknown) => log(`telegram: ${String(error)}`);
  const courier = new Courier({
    carrier,
    rows: room.store.deliveries,
    clock: machineClock,
    random: Math.random,
    onFailed: (parcel, why) => tellOfFailure(desk, parcel, why, log),
    onError,
  });
  const asides = telegramAsides(courier, carrier);
  const webhook = webhookOf(desk, place);
  const intake = openIntake(desk, place, {
    ...{ log, webhook },
    messageAt: (thread, platformId) => room.store.deliveries.messageAt(chatOf(thread), String(platformId)),
    react: (thread, message) => {
      // Whoever can be heard may be reached again.
      courier.alive(chatOf(thread));
      const placed = placedThread(thread, null);
      if (placed !== null) courier.typing(placed);
      asides.react({ chat: chatOf(thread), message }, '👀').catch(onError);
    },
    answerPress: asides.answerPress,
    moved: (from, to) => courier.move(chatOf(from), chatOf(to)),
  });
  const topics = new Topics(desk, api, log);
  const stops = [
    room.onMessages((messages) => courier.take(carried(desk, messages))),
    room.onWants((want) => topics.make(want)),
  ];
  courier.start();
  intake.start();
  return {
    name: 'telegram',
    tried: untilTried(() => intake.health.state !== 'starting'),
    get problem() {
      return intake.health.problem;
    },
    entrance: webhook === null ? null : { ...webhook, receive: (update) => intake.receive(update) },
    async close() {
      for (const stop of stops) stop();
      await intake.close();
      await topics.idle();
      await courier.close();
    },
  };
}

function webhookOf({ home }: Desk, { webhook = null }: Wanted): WebhookAddress | null {
  if (webhook === null) return null;
  const secret = webhook.secret ?? keptText(home, 'telegram-webhook-secret') ?? drawnSecret(home);
  return { url: webhook.url, secret };
}

function drawnSecret(home: Desk['home']): string {
  const secret = randomBytes(32).toString('base64url');
  keepText(home, 'telegram-webhook-secret', secret);
  return secret;
}

function chatOf(thread: string): string {
  const placed = placedThread(thread, null);
  return placed === null ? thread : laneOf(placed);
}

function carried({ room }: Desk, messages: readonly Message[]) {
  return messages.flatMap((message): { message: Message; thread: Thread }[] => {
    const thread = placedThread(message.thread, room.store.thread(message.thread));
    return thread === null ? [] : [{ message, thread }];
  });
}

async function untilTried(wasTried: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < triedMs && !wasTried(); waitedMs += lookMs) await sleep(lookMs);
}

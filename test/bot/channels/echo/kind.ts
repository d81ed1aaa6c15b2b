// A chat channel added from test code alone: nothing under src knows its name.
import { z } from 'zod';
import { machineClock } from '../../../../src/base/index.js';
import type { ChannelKind } from '../../../../src/bot/channels/channel-kind.js';
import { routable } from '../../../../src/bot/channels/routable-messages.js';
import { type Carrier, Courier } from '../../../../src/bot/delivery/index.js';
import type { BotServices } from '../../../../src/bot/index.js';
import { isCodeShaped, knock, personWith } from '../../../../src/config/index.js';
import { laneOf } from '../../../../src/store/index.js';
import { courierParts } from '../../../courier-parts.js';
import type { EchoPlatform, EchoUpdate } from './platform.js';

const settings = z.strictObject({ token: z.string() }).nullable().default(null);
const limits = { gapMs: 0, perMinute: 100_000, progressGapMs: 0 };

/** `ec:@ada` is ada's chat with the bot, `ec:#room` a chat of many. */
export function echoKind(platform: EchoPlatform): ChannelKind {
  return {
    name: 'echo',
    title: 'Echo',
    settings,
    accountId: z.string(),
    chatId: z.string(),
    hasNumericIds: false,
    hasGroups: false,
    topics: null,
    webhookPath: null,
    setup: null,
    decode(id) {
      const chat = /^ec:([@#]\w+)$/.exec(id)?.[1];
      return chat === undefined ? null : { chat };
    },
    boundThread: ({ chat }) => `ec:${chat}`,
    privateThread: (account) => `ec:@${account}`,
    isPrivateChat: (chat) => chat.startsWith('@'),
    runThread: null,
    secretsOf: ({ token }: { readonly token: string }) => [token],
    doctor: () => Promise.resolve([]),
    start: (services) => Promise.resolve(startEcho(services, platform)),
  };
}

function startEcho(services: BotServices, platform: EchoPlatform) {
  const courier = new Courier({
    ...{ carrier: carrierTo(platform), rows: services.runtime.deliveries, clock: machineClock },
    ...courierParts,
    random: () => 0,
    onFailed: () => undefined,
    onError: (error) => {
      throw error;
    },
  });
  const stop = services.runtime.onMessages((messages) => courier.take(routable(services, messages)));
  const disconnect = platform.connect((update) => take(update, services, platform));
  courier.start();
  return {
    name: 'echo',
    tried: Promise.resolve(),
    problem: null,
    entrance: null,
    async close() {
      stop();
      disconnect();
      await courier.close();
    },
  };
}

async function take(update: EchoUpdate, services: BotServices, platform: EchoPlatform): Promise<void> {
  const { id, chat, from, text, press } = update;
  const who = personWith(services.config(), 'echo', from);
  if (who?.kind !== 'person') {
    const code = text !== null && isCodeShaped(text) ? text : undefined;
    const answer = knock(services.home, { channel: 'echo', id: from, name: from, code }, Date.now());
    const view = { kind: 'answer', text: answer?.code ?? '', buttons: [], offers: [], rings: false, file: null };
    platform.put(null, chat, view);
    return;
  }
  const body = press === null ? { type: 'text' as const, text: text ?? '', replyTo: null } : pressed(press);
  const row = services.door.note({
    source: 'echo',
    externalId: id,
    thread: `ec:${chat}`,
    by: who.name,
    body,
    cwd: '/',
  });
  if (row !== null) await services.door.handle(row);
}

function pressed(press: string) {
  return { type: 'press' as const, press, text: null };
}

function carrierTo(platform: EchoPlatform): Carrier {
  return {
    channel: 'echo',
    laneOf,
    limits,
    limitsOf: () => limits,
    placeUnderWay: ({ place }) => place,
    post({ place, lane, view }) {
      const id = platform.put(place, lane, view);
      return Promise.resolve({ kind: 'posted', place: id, ids: [id], isWhole: true });
    },
    typing: () => Promise.resolve({ kind: 'unchanged' }),
  };
}

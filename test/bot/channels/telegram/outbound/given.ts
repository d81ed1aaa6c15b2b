// Delivery as a whole before a Bot API server.
import { tmpdir } from 'node:os';
import { sendingApi } from '../../../../../src/bot/channels/telegram/client.js';
import { telegramCarrier } from '../../../../../src/bot/channels/telegram/outbound/carrier.js';
import { type Asides, telegramAsides } from '../../../../../src/bot/channels/telegram/outbound/transient-calls.js';
import { pictureReader } from '../../../../../src/bot/render/picture-file.js';
import { type CarriedDelivery, newDeliveryClock, openDelivery } from '../../fixture/delivery.js';
import { type Rates, startTelegram, type Telegram } from '../server/index.js';

export interface Delivered extends Omit<CarriedDelivery, 'restart'> {
  readonly telegram: Telegram;
  readonly asides: () => Asides;
  /** Another process takes over. */
  readonly restart: () => void;
  /** What a private chat or a group shows, oldest first. */
  readonly texts: (chat: number) => readonly string[];
}

export async function delivered({
  pictureHome = tmpdir(),
  ...options
}: {
  readonly rates?: Rates;
  readonly pictureHome?: string;
} = {}): Promise<Delivered> {
  const clock = newDeliveryClock();
  const telegram = await startTelegram({ clock, ...options });
  const carrier = telegramCarrier(sendingApi({ ...telegram, timeoutS: 3_600 }), pictureReader({ dir: pictureHome }));
  const delivery = openDelivery(telegram, carrier, { clock, close: () => telegram.stop() });
  return {
    ...delivery,
    telegram,
    asides: () => telegramAsides(delivery.courier(), carrier),
    restart: () => delivery.restart(carrier),
    texts: (chat) => telegram.sent(telegram.world.chat(chat)).map((one) => one.text),
  };
}

// Delivery as a whole before a Slack on this machine.
import { tmpdir } from 'node:os';
import { openClient } from '../../../../../src/bot/channels/slack/client.js';
import { slackCarrier } from '../../../../../src/bot/channels/slack/outbound/carrier.js';
import { type SlackAsides, slackAsides } from '../../../../../src/bot/channels/slack/outbound/transient-calls.js';
import { pictureReader } from '../../../../../src/bot/render/picture-file.js';
import { type CarriedDelivery, newDeliveryClock, openDelivery } from '../../fixture/delivery.js';
import { type Channel, type Person, type Shown, type Slack, type SlackOptions, startSlack } from '../server/index.js';

export interface Delivered extends Omit<CarriedDelivery, 'restart'> {
  readonly slack: Slack;
  readonly ada: Person;
  /** `C01GEN`, with Ada and the bot in it. */
  readonly gen: Channel;
  readonly asides: () => SlackAsides;
  /** Another process takes over. */
  readonly restart: (home?: string) => void;
  /** What the bot shows there, oldest first; null: the top level. */
  readonly shown: (channel: Channel, threadTs?: string | null) => readonly Shown[];
  readonly texts: (channel: Channel, threadTs?: string | null) => readonly string[];
}

export async function delivered(
  options: Omit<SlackOptions, 'clock'> & { readonly pictureHome?: string } = {},
): Promise<Delivered> {
  const clock = newDeliveryClock();
  const slack = await startSlack({ clock, ...options });
  const ada = slack.person('U01ADA', 'Ada');
  const gen = slack.channel('gen', [ada], { id: 'C01GEN' });
  const open = (home: string) => {
    const client = openClient({ token: slack.tokens.bot, apiUrl: slack.apiUrl }, 3_600_000);
    return slackCarrier(client, { home, pictures: pictureReader({ dir: options.pictureHome ?? tmpdir() }) });
  };
  let carrier = open('home');
  const delivery = openDelivery(slack, carrier, { clock, close: () => slack.close() });
  const shown = (channel: Channel, threadTs?: string | null) =>
    slack.screen(channel, threadTs).filter(({ by }) => by === 'Bosun');
  return {
    ...delivery,
    ...{ slack, ada, gen, shown },
    asides: () => slackAsides(delivery.courier(), carrier),
    restart: (home = 'home') => {
      carrier = open(home);
      delivery.restart(carrier);
    },
    texts: (channel, threadTs) => shown(channel, threadTs).map(({ text }) => text),
  };
}

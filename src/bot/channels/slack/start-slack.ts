import type { Log } from '../../../base/index.js';
import { machineClock } from '../../../base/index.js';
import { Courier, type OutgoingMessage, usualMaxWaiting } from '../../delivery/index.js';
import { pictureReader } from '../../render/picture-file.js';
import type { BotServices } from '../../services.js';
import type { Channel } from '../channel.js';
import { routable, untilTried } from '../routable-messages.js';
import { aboutParcel, tellOfEarlierFailures, tellOfFailure } from '../undelivered-notice.js';
import { openClient } from './client.js';
import { HomeTab } from './home-tab/home-tab.js';
import { openIntake } from './inbound/index.js';
import { slackCarrier } from './outbound/carrier.js';
import { slackAsides } from './outbound/transient-calls.js';
import type { SlackConfig } from './settings.js';

export function startSlack(services: BotServices, slack: SlackConfig, log: Log): Channel {
  const { runtime, home } = services;
  const { deliveries } = runtime;
  const client = openClient({ token: slack.botToken, apiUrl: slack.apiUrl });
  const carrier = slackCarrier(client, { home: home.homeId, pictures: pictureReader(home) });
  const onError = (error: unknown, parcel?: OutgoingMessage) =>
    log(`slack: ${String(error)}`, { ...(parcel && aboutParcel(services, parcel)), level: 'error' });
  const courier = new Courier({
    ...{ carrier, rows: deliveries, clock: machineClock, random: Math.random, onError },
    ...{ isActive: runtime.isActive, maxWaiting: usualMaxWaiting },
    onFailed: (parcel, why) => tellOfFailure(services, parcel, why, log),
  });
  const asides = slackAsides(courier, carrier);
  const react = (channel: string, ts: string, isOn: boolean) => {
    // A person wrote from here, so the chat may be reachable again.
    if (isOn) courier.alive(channel);
    asides.react({ channel, ts }, isOn).catch(onError);
  };
  let isCarrying = false;
  const intake = openIntake(services, slack, {
    log,
    react: (_thread, ts, channel) => react(channel, ts, true),
    unreact: (_thread, ts, channel) => react(channel, ts, false),
    onDirect: (user, channel) => courier.move(user, channel),
    onHome: (user) => tab.opened(user),
    // First, because another bot's message ids mean nothing here.
    onMe: ({ bot }) => {
      if (deliveries.belongTo('slack', bot))
        log('slack: this is another bot than before: its messages stay as they are');
      if (!isCarrying) courier.start();
      isCarrying = true;
    },
  });
  const tab = new HomeTab({
    ...{ reader: runtime.reader, config: services.config, clock: machineClock, log },
    nameOf: (user) => intake.nameOf(user),
    publish: (user, view) =>
      courier.aside('views.publish', (_lane, signal) => carrier.publish(user, view, signal), false),
  });
  const stop = runtime.onMessages((messages) => {
    // Earlier messages wait on disk.
    if (isCarrying) courier.take(routable(services, messages));
    tab.changed();
  });
  tellOfEarlierFailures(services, 'slack', log);
  intake.start();
  return {
    name: 'slack',
    tried: untilTried(() => intake.health.state !== 'starting'),
    get problem() {
      return intake.health.problem ?? courier.problem;
    },
    entrance: intake.entrance,
    async close() {
      stop();
      await intake.close();
      await Promise.all([tab.close(), courier.close()]);
    },
  };
}

// The real clients before the server, for tests of the server itself.
import {
  App,
  HTTPReceiver,
  LogLevel,
  type Receiver,
  type ReceiverEvent,
  SocketModeReceiver,
  webApi,
} from '@slack/bolt';
import { cleanUpAfterEachTest } from '../../../../clean-up.js';
import { type Slack, type SlackOptions, startSlack } from './index.js';

export type { App } from '@slack/bolt';
export type Client = App['client'];

const open: (() => Promise<unknown>)[] = [];

cleanUpAfterEachTest(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

export async function given(options: SlackOptions = {}) {
  const slack = await startSlack(options);
  open.push(() => slack.close());
  const ada = slack.person('U0ADA', 'Ada');
  const bob = slack.person('U0BOB', 'Bob');
  const general = slack.channel('general', [ada, bob]);
  return { slack, ada, bob, general, client: clientOf(slack) };
}

/** Never tries again by itself. */
const once = { retryConfig: { retries: 0 }, rejectRateLimitedCalls: true, logLevel: LogLevel.ERROR };
const silent = () => undefined;
const quiet = {
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  setLevel: silent,
  getLevel: () => LogLevel.ERROR,
  setName: silent,
};

export function clientOf(slack: Slack, token = slack.tokens.bot): Client {
  return new webApi.WebClient(token, { slackApiUrl: slack.apiUrl, ...once, logger: quiet });
}

/** Before Bolt, which acknowledges an event on its own: false keeps it back, unacknowledged. */
export type Gate = (event: ReceiverEvent) => boolean;

/** Not started yet. */
export function socketApp(slack: Slack, gate?: Gate): App {
  const receiver = new SocketModeReceiver({
    appToken: slack.tokens.app,
    clientPingTimeout: 300,
    logger: quiet,
    // Not the object that the app gets: the client for sockets writes into its own.
    installerOptions: { clientOptions: { slackApiUrl: slack.apiUrl } },
  });
  return appOf(slack, receiver, gate);
}

export function httpApp(slack: Slack, gate?: Gate): App {
  return appOf(slack, new HTTPReceiver({ signingSecret: slack.signingSecret, logger: quiet }), gate);
}

function appOf(slack: Slack, receiver: Receiver, gate: Gate = () => true): App {
  const init = receiver.init.bind(receiver);
  receiver.init = (app) => {
    const processEvent = async (event: ReceiverEvent) => {
      if (gate(event)) await app.processEvent(event);
    };
    init(Object.assign(Object.create(app), { processEvent }));
  };
  const clientOptions = { slackApiUrl: slack.apiUrl };
  return kept(new App({ token: slack.tokens.bot, receiver, clientOptions, logger: quiet }));
}

function kept(app: App): App {
  open.push(async () => {
    // One that never started, or was stopped by the test, has nothing to stop.
    await app.stop().catch(() => undefined);
  });
  return app;
}

export async function startByHttp(slack: Slack, app: App): Promise<string> {
  const server = await app.start({ port: 0, host: '127.0.0.1' });
  const address = server && 'address' in server ? server.address() : null;
  if (address === null || typeof address === 'string') throw new Error('The app listens nowhere');
  const events = `http://127.0.0.1:${address.port}/slack/events`;
  slack.postTo({ events });
  return events;
}

/** Slack's word, or `taken`. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof webApi.WebAPIRateLimitedError) return `ratelimited ${error.retryAfter}`;
    const data = error instanceof Error && 'data' in error ? error.data : null;
    if (typeof data === 'object' && data !== null && 'error' in data) return String(data.error);
    return `network: ${String(error)}`;
  }
  return 'taken';
}

// A Bosun's own ears before a Slack on this machine: a real room, a real desk, the real Bolt.

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  openIntake,
  type SlackInboundParts,
  type SlackIntake,
} from '../../../../../src/bot/channels/slack/inbound/index.js';
import { renderView } from '../../../../../src/bot/channels/slack/render/index.js';
import type { SlackConfig } from '../../../../../src/bot/channels/slack/settings.js';
import type { InboxService } from '../../../../../src/bot/index.js';
import type { Message } from '../../../../../src/store/messages/message-types.js';
import { acceptProjectRules } from '../../../../accept-rules.js';
import { type OpenedInbox, openInbox } from '../../fixture/inbox.js';
import {
  type Channel,
  type Delivery,
  type Person,
  type Message as Shown,
  type Slack,
  type SlackOptions,
  signingSecret,
  startSlack,
} from '../server/index.js';

export interface Ears extends Omit<OpenedInbox, 'config'> {
  readonly slack: Slack;
  readonly intake: SlackIntake;
  /** Where a sign of receipt was put, and where it was taken back. */
  readonly seen: [thread: string, ts: string][];
  readonly unseen: [thread: string, ts: string][];
  readonly looked: string[];
  readonly ada: Person;
  readonly bob: Person;
  /** A channel where nothing lives. */
  readonly general: Channel;
  posted(thread: string, atLeast?: number): Promise<readonly string[]>;
  /** Until everything that was told is acknowledged and decided. */
  settled(): Promise<void>;
  /** As delivery would: one of Bosun's messages as Slack shows it. */
  shows(message: Message | undefined, channel: Channel, how?: Showing): Shown;
}

export interface Showing {
  readonly threadTs?: string;
  readonly ephemeralTo?: string;
  /** The thread that begins with it. */
  readonly opens?: string;
}

export interface Options extends SlackOptions {
  readonly config?: (folder: string) => object;
  readonly parts?: Partial<SlackInboundParts>;
  readonly wanted?: Partial<SlackConfig>;
  readonly listens?: boolean;
  readonly door?: (door: InboxService) => InboxService;
  readonly slack?: Slack;
}

/** Two projects; ada owns both, bob reviews one, vic may only look; shop lives in a channel. */
export function usualConfig(folder: string) {
  const command = [process.execPath, '-e', 'console.log("STATUS: DONE")'];
  return {
    executors: { agent: { kind: 'command', run: command } },
    projects: {
      shop: {
        root: join(folder, 'shop'),
        aliases: ['A'],
        members: { ada: 'owner', bob: 'reviewer', vic: 'viewer', crew: 'reviewer' },
        chats: [{ slack: 'C0SHOP' }],
      },
      blog: { root: join(folder, 'blog'), members: { ada: 'owner' } },
    },
    people: { ada: { slack: 'U02ADA' }, bob: { slack: 'U03BOB' }, vic: { slack: 'U04VIC' } },
  };
}

export async function given(options: Options = {}): Promise<Ears> {
  const slack = options.slack ?? (await startSlack(options));
  onTestFinished(() => slack.close());
  const wanted: SlackConfig = {
    botToken: slack.tokens.bot,
    appToken: slack.tokens.app,
    signingSecret,
    apiUrl: slack.apiUrl,
    mode: 'socket',
    allowGuests: false,
    allowSharedChannels: false,
    ...options.wanted,
  };
  const channels = {
    slack: { bot_token: wanted.botToken, app_token: slack.tokens.app, signing_secret: signingSecret },
  };
  const allow = { allow_guests: wanted.allowGuests, allow_shared_channels: wanted.allowSharedChannels };
  const inbox = openInbox({
    config: (folder) => ({
      channels: { slack: { ...channels.slack, ...allow } },
      ...(options.config ?? usualConfig)(folder),
    }),
    door: options.door,
  });
  const { home, runtime, door, config, log, folder, textsIn } = inbox;
  const [seen, unseen, looked]: [Ears['seen'], Ears['unseen'], string[]] = [[], [], []];
  const intake = openIntake({ home, runtime, door, config }, wanted, {
    log: (line) => log.push(line),
    react: (thread, ts) => seen.push([thread, ts]),
    unreact: (thread, ts) => unseen.push([thread, ts]),
    onHome: (user) => looked.push(user),
    ...{ onDirect: () => undefined, onMe: () => undefined },
    ...options.parts,
  });
  onTestFinished(async () => {
    await intake.close();
    await runtime.close();
  });
  const [ada, bob] = [slack.person('U02ADA', 'Ada'), slack.person('U03BOB', 'Bob')];
  slack.person('U04VIC', 'Vic');
  const general = slack.channel('general', [ada, bob]);
  if (options.wanted?.mode === 'http') await postsTo(slack, intake);
  if (options.listens !== false) {
    intake.start();
    await slack.until('it is connected', () => intake.health.state === 'connected');
  }
  return {
    ...{ slack, home, runtime, door, intake, folder, log, seen, unseen, looked, ada, bob, general, textsIn },
    async posted(thread, atLeast = 1) {
      await slack.until(`${atLeast} messages in ${thread}`, () => textsIn(thread).length >= atLeast);
      return textsIn(thread);
    },
    async settled() {
      const isOver = ({ isOver: over, attempts }: Delivery) =>
        over && attempts.every(({ ackedAt, failure }) => ackedAt !== null || failure !== null);
      const isQuiet = () => slack.deliveries.every(isOver) && runtime.store.pendingInbox().length === 0;
      await slack.until('everything is heard', isQuiet, 15_000);
    },
    shows(message, channel, how = {}) {
      if (message === undefined) throw new Error('There is no such message to show');
      const { threadTs = null, ephemeralTo = null, opens } = how;
      const [part] = renderView(message.view, (button) => pressOfButton(message, button));
      const blocks = JSON.parse(JSON.stringify(part?.kind === 'message' ? part.blocks : []));
      const user = slack.bot.id;
      const shown = slack.world.post({ channel, user, isApps: true, text: 'card', blocks, threadTs, ephemeralTo });
      const n = Number(message.id.slice(1));
      const post = { lane: channel.id, place: shown.ts, ids: [shown.ts], n, shown: null };
      const root = message.edits ?? message.id;
      runtime.store.deliveries.end(n, 'sent', { root, post, opened: opens ? { thread: opens, root: shown.ts } : null });
      return shown;
    },
  };
}

function pressOfButton({ id }: Message, { press }: { readonly press: string }): string {
  return press.startsWith('.') ? `${id}${press}` : press;
}

/** What Slack posts goes to the entrance, as Bosun's own web side hands it over. */
async function postsTo(slack: Slack, { entrance }: SlackIntake): Promise<void> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([key, value]) => [key, String(value)]));
      entrance?.receive({ headers, body: Buffer.concat(chunks).toString() }).then(
        ({ status, headers: own = {}, body }) => response.writeHead(status, own).end(body),
        () => response.writeHead(500).end(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  slack.postTo({ events: `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events` });
}

const look = `workflow: look
version: 1
title: Look
inputs:
  task: { required: true }
chain:
  - id: review
    kind: human
    title: Review
`;

export interface Reviewed extends Ears {
  /** Where it is asked, and the message of the person who began it. */
  readonly thread: string;
  readonly root: Shown;
  readonly card: Message;
  /** As Slack shows it. */
  readonly shown: Shown;
}

/** A run in a thread of a channel, where a person is asked to review. */
export async function reviewed(options: Options = {}): Promise<Reviewed> {
  const ears = await given(options);
  const { ada, general, runtime, folder, settled, slack, shows } = ears;
  mkdirSync(join(folder, 'shop/.ai/workflows'), { recursive: true });
  writeFileSync(join(folder, 'shop/.ai/workflows/look.yaml'), look);
  acceptProjectRules(ears.home.dir, join(folder, 'shop'));
  await runtime.recover();
  const { message: root } = ada.mentions(general, 'start shop with look: add a login');
  await settled();
  const thread = `sl:${general.id}:${root.ts}`;
  ada.says(general, 'approve', { thread: root });
  await slack.until('it is to be reviewed', () => runtime.store.cardMessage(thread, 'i1-2') !== null);
  await settled();
  const card = runtime.store.cardMessage(thread, 'i1-2');
  if (card === null) throw new Error('There is no card of the review');
  return { ...ears, thread, root, card, shown: shows(card, general, { threadTs: root.ts }) };
}

const asking = `workflow: ask
version: 1
chain:
  - { id: impl, prompt: Do it }
`;

/** A run in a thread of a channel, whose step asks a free question. */
export async function asked(): Promise<Ears & Pick<Reviewed, 'thread' | 'root'>> {
  const run = [process.execPath, '-e', 'console.log("STATUS: needs_human\\nSUMMARY: Which currency?")'];
  const config = (folder: string) => ({ ...usualConfig(folder), executors: { agent: { kind: 'command', run } } });
  const ears = await given({ config });
  const { ada, general, runtime, folder, settled, slack } = ears;
  mkdirSync(join(folder, 'shop/.ai/workflows'), { recursive: true });
  writeFileSync(join(folder, 'shop/.ai/workflows/ask.yaml'), asking);
  acceptProjectRules(ears.home.dir, join(folder, 'shop'));
  runtime.startWorker(1);
  await runtime.recover();
  const { message: root } = ada.mentions(general, 'start shop with ask: add a login');
  await settled();
  const thread = `sl:${general.id}:${root.ts}`;
  ada.says(general, 'approve', { thread: root });
  await slack.until('the step asks', () => runtime.store.cardMessage(thread, 'i1-2') !== null, 20_000);
  await settled();
  return { ...ears, thread, root };
}

// A Bosun's own ears before a Bot API server on this machine, with the real client.

import { join } from 'node:path';
import { onTestFinished as onItsEnd } from 'vitest';
import { openApi } from '../../../../../src/bot/channels/telegram/client.js';
import {
  openIntake,
  type TelegramInboundParts,
  type TelegramIntake,
} from '../../../../../src/bot/channels/telegram/inbound/index.js';
import type { InboxService } from '../../../../../src/bot/index.js';
import { type OpenedInbox, openInbox } from '../../fixture/inbox.js';
import { type Person, startTelegram, type Telegram, type TelegramOptions } from '../server/index.js';

export interface Ears extends Omit<OpenedInbox, 'config' | 'textsIn'> {
  readonly telegram: Telegram;
  readonly intake: TelegramIntake;
  /** Where a sign of receipt was put. */
  readonly seen: [thread: string, message: number][];
  /** Where it was taken away. */
  readonly done: [thread: string, message: number][];
  readonly ada: Person;
  /** Which of Bosun's messages are where, as delivery would know. */
  readonly shown: Map<string, string>;
  /** What was posted in a thread, once it is at least so many. */
  posted(thread: string, atLeast?: number): Promise<readonly string[]>;
  /** Until everything that the platform holds is confirmed and decided. */
  settled(): Promise<void>;
}

export interface Options extends TelegramOptions {
  readonly config?: (folder: string) => object;
  readonly parts?: Partial<TelegramInboundParts>;
  readonly listens?: boolean;
  readonly token?: string;
  readonly door?: (door: InboxService) => InboxService;
  readonly telegram?: Telegram;
  /** That of its context, for a test that runs beside others. */
  readonly onTestFinished?: typeof onItsEnd;
}

/** Two projects; ada owns both, bob reviews one, vic may only look, and nobody else is known. */
export function usualConfig(folder: string) {
  return {
    executors: { agent: { kind: 'command', run: ['false'] } },
    projects: {
      shop: { root: join(folder, 'shop'), aliases: ['A'], members: { ada: 'owner', bob: 'reviewer', vic: 'viewer' } },
      blog: { root: join(folder, 'blog'), members: { ada: 'owner' } },
    },
    people: { ada: { telegram: 1000 }, bob: { telegram: 1001 }, vic: { telegram: 1002 } },
  };
}

export async function given(options: Options = {}): Promise<Ears> {
  const { onTestFinished = onItsEnd } = options;
  const telegram = options.telegram ?? (await startTelegram(options));
  onTestFinished(() => telegram.stop());
  const inbox = openInbox({ config: options.config ?? usualConfig, door: options.door, onTestFinished });
  const { home, runtime, door, config, log, folder, textsIn } = inbox;
  const seen: Ears['seen'] = [];
  const done: Ears['done'] = [];
  const shown = new Map<string, string>();
  const place = { token: options.token ?? telegram.token, apiRoot: telegram.apiRoot };
  const intake = openIntake({ home, runtime, door, config }, place, {
    log: (line) => log.push(line),
    ...{ webhook: null, moved: () => undefined },
    answerPress: (press, text) => openApi(place, 20).answerCallbackQuery(press, { text }),
    messageAt: (thread, id) => shown.get(`${thread}/${id}`) ?? null,
    react: (thread, id, sign) => {
      (sign === null ? done : seen).push([thread, id]);
      return Promise.resolve(true);
    },
    ...options.parts,
  });
  onTestFinished(async () => {
    await intake.close();
    await runtime.close();
  });
  if (options.listens !== false) intake.start();
  return {
    ...{ telegram, home, runtime, door, intake, folder, log, seen, done, shown },
    ada: telegram.person(1000, 'Ada'),
    async posted(thread, atLeast = 1) {
      await telegram.until(`${atLeast} messages in ${thread}`, () => textsIn(thread).length >= atLeast);
      return textsIn(thread);
    },
    async settled() {
      const isQuiet = () => telegram.updates.pending.length === 0 && runtime.store.pendingInbox().length === 0;
      await telegram.until('everything is heard', () => telegram.updates.isPolled && isQuiet(), 15_000);
    },
  };
}

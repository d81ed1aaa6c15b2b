// A Bosun's own ears before a Bot API server on this machine: a real room, a real desk, the real client.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished as onItsEnd } from 'vitest';
import type { Clock } from '../../../../../src/base/async/clock.js';
import { openApi } from '../../../../../src/bot/channels/telegram/client.js';
import {
  openIntake,
  type TelegramInboundParts,
  type TelegramIntake,
} from '../../../../../src/bot/channels/telegram/inbound/index.js';
import { type InboxService, inboxService, present } from '../../../../../src/bot/index.js';
import type { Config } from '../../../../../src/config/config.js';
import { loadConfig } from '../../../../../src/config/file/read-config.js';
import { openRuntime, type Runtime } from '../../../../../src/dispatch/index.js';
import { type Home, openHome } from '../../../../open-home.js';
import { runtimeParts } from '../../../../runtime-parts.js';
import { type Person, startTelegram, type Telegram, type TelegramOptions } from '../server/index.js';

export const machine: Clock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

export interface Ears {
  readonly telegram: Telegram;
  readonly home: Home;
  readonly runtime: Runtime;
  readonly door: InboxService;
  readonly intake: TelegramIntake;
  readonly folder: string;
  readonly log: string[];
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

export function newFolder(onTestFinished = onItsEnd): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-ears-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const name of ['shop', 'blog']) cpSync(projectWithCommit(), join(folder, name), { recursive: true });
  return folder;
}

let project: string | null = null;

afterAll(() => {
  if (project !== null) rmSync(project, { recursive: true, force: true, maxRetries: 5 });
  project = null;
});

/** Made once; every home gets a copy. */
function projectWithCommit(): string {
  if (project !== null) return project;
  project = mkdtempSync(join(tmpdir(), 'bosun-project-'));
  execFileSync('git', ['init', '-q', '-b', 'main', '--template='], { cwd: project });
  execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'start'], { cwd: project });
  return project;
}

export async function given(options: Options = {}): Promise<Ears> {
  const { onTestFinished = onItsEnd } = options;
  const telegram = options.telegram ?? (await startTelegram(options));
  onTestFinished(() => telegram.stop());
  const folder = newFolder(onTestFinished);
  const home = openHome(join(folder, 'home'));
  writeFileSync(home.configPath, JSON.stringify((options.config ?? usualConfig)(folder)), { mode: 0o600 });
  const config = configOf(home);
  const log: string[] = [];
  const runtime = openRuntime({ ...runtimeParts, home, config, present, log: (line) => log.push(line) });
  const own = inboxService(runtime, config);
  const door = options.door?.(own) ?? own;
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
  const textsIn = (thread: string) => runtime.store.messages(thread, null, 2_000).map(({ view }) => view.text);
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

/** Read again when it changed, as a running Bosun does. */
function configOf(home: Home): () => Config {
  let [text, current] = ['', loadConfig(home, {})];
  return () => {
    const now = readFileSync(home.configPath, 'utf8');
    if (now !== text) [text, current] = [now, loadConfig(home, {})];
    return current;
  };
}

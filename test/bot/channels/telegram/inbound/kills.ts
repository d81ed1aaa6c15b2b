// A listener that is killed again and again while a person goes on writing, and what is there in the end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import type { Store } from '../../../../../src/store/store.js';
import { openHome } from '../../../../open-home.js';
import { openStore } from '../../../../open-store.js';
import { HandClock, startTelegram, type Telegram } from '../server/index.js';
import { newFolder, usualConfig } from './given.js';

export interface Survived {
  /** What was said and pressed. */
  readonly said: number;
  /** What was said of it: one answer to each, if all goes well. */
  readonly answers: number;
  /** What had to be done for it. */
  readonly tasks: readonly string[];
  /** How the listeners ended, but for the last. */
  readonly signals: ReadonlySet<string | null>;
}

const root = join(import.meta.dirname, '../../../../..');
const textsInRound = 6;

/** `points`: after how many steps of its parts each listener is killed. */
export async function survived(points: readonly number[]): Promise<Survived> {
  const script = await bundled();
  const clock = new HandClock(1_750_000_000_000);
  const telegram = await startTelegram({ clock });
  onTestFinished(() => telegram.stop());
  const { dir, dbPath } = newHome();
  const ada = telegram.person(1000, 'Ada');
  const card = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
  const signals = new Set<string | null>();
  for (const [round, killAt] of points.entries()) {
    for (let number = 0; number < textsInRound; number += 1) {
      clock.advance(3_001);
      ada.says(ada.chat, `shop: task ${round}-${number}`);
    }
    ada.pressesData(card, 'm999999.0');
    const { child, ended } = listen(script, dir, telegram, killAt);
    await ended;
    signals.add(child.signalCode);
  }
  const last = listen(script, dir, telegram, 0);
  const store = openStore(dbPath, { readonly: true });
  onTestFinished(() => store.close());
  const isHeard = () => telegram.updates.pending.length === 0 && store.pendingInbox().length === 0;
  await telegram.until('all are heard', () => telegram.updates.isPolled && isHeard(), 30_000);
  last.child.kill('SIGKILL');
  await last.ended;
  return {
    said: points.length * (textsInRound + 1),
    answers: answersIn(store, 'tg:1000'),
    tasks: store.runs('shop', 2_000, null).map(({ task }) => task),
    signals,
  };
}

export function answersIn(store: Store, thread: string): number {
  let count = 0;
  for (let page = store.messages(thread, null, 1_000); page.length > 0; ) {
    count += page.filter(({ edits }) => edits === null).length;
    page = store.messages(thread, page.at(-1)?.id ?? null, 1_000);
  }
  return count;
}

function newHome() {
  const folder = newFolder();
  const home = openHome(join(folder, 'home'));
  writeFileSync(home.configPath, JSON.stringify(usualConfig(folder)), { mode: 0o600 });
  return home;
}

/** In a folder of its own that has the packages and workflows where what is built finds them. */
async function bundled(): Promise<string> {
  const folder = newFolder();
  for (const name of ['workflows', 'prompts', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const outfile = join(folder, 'dist', 'within', 'listener.mjs');
  const entryPoints = [join(import.meta.dirname, 'fixtures/listener.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
  return outfile;
}

function listen(script: string, dir: string, telegram: Telegram, killAt: number) {
  const args = [script, dir, telegram.apiRoot, telegram.token, String(killAt)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { child, ended: once(child, 'exit') };
}

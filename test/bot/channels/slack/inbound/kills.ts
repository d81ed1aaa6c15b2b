// A listener that is killed again and again while a person goes on writing, and what is there in the end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import { openHome } from '../../../../open-home.js';
import { openStore } from '../../../../open-store.js';
import { newFolder } from '../../telegram/inbound/given.js';
import { answersIn } from '../../telegram/inbound/kills.js';
import { type Slack, startSlack } from '../server/index.js';
import { usualConfig } from './given.js';

export interface Survived {
  readonly said: number;
  /** What was said of it: one answer to each, if all goes well. */
  readonly answers: number;
  /** What had to be done for it. */
  readonly tasks: readonly string[];
  /** How the listeners ended, but for the last. */
  readonly signals: ReadonlySet<string | null>;
}

const root = join(import.meta.dirname, '../../../../..');
const textsInRound = 3;

/** `points`: after how many steps of its parts each listener is killed. */
export async function survived(points: readonly number[]): Promise<Survived> {
  const script = await bundled();
  // Slack waits while the listener starts anew, as long as a busy machine takes for that.
  const slack = await startSlack({ patience: { ackWithinMs: 1_000, retriesAfterMs: Array(2_000).fill(500) } });
  onTestFinished(() => slack.close());
  const { dir, dbPath } = newHome();
  const ada = slack.person('U02ADA', 'Ada');
  const signals = new Set<string | null>();
  for (const [round, killAt] of points.entries()) {
    const { child, ended } = listen(script, dir, slack, killAt);
    for (let number = 0; number < textsInRound; number += 1) ada.says(ada.chat, `shop: task ${round}-${number}`);
    await ended;
    signals.add(child.signalCode);
  }
  const last = listen(script, dir, slack, 0);
  const store = openStore(dbPath, { readonly: true });
  onTestFinished(() => store.close());
  const isHeard = () => slack.deliveries.every(({ ackedAt }) => ackedAt !== null) && store.pendingInbox().length === 0;
  await slack.until('all are heard', isHeard, 300_000);
  last.child.kill('SIGKILL');
  await last.ended;
  return {
    said: points.length * textsInRound,
    answers: answersIn(store, `sl:${ada.chat.id}`),
    tasks: store.runs('shop', 2_000, null).map(({ task }) => task),
    signals,
  };
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

function listen(script: string, dir: string, slack: Slack, killAt: number) {
  const args = [script, dir, slack.apiUrl, slack.tokens.bot, slack.tokens.app, String(killAt)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { child, ended: once(child, 'exit') };
}

// What hangs at the platform keeps nobody from ending: not a call, not a connection that never came about.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { BosunError } from '../../../../src/base/index.js';
import { Channels, channelKinds } from '../../../../src/bot/index.js';
import { openApp } from '../../../../src/cli/app.js';
import { openHome } from '../../../open-home.js';
import { newFolder } from '../fixture/inbox.js';
import { given as ears, usualConfig } from './inbound/given.js';
import { startTelegram } from './server/index.js';

/** `bosun up` waits five seconds for everything together. */
const limitMs = 4_000;

async function given() {
  const telegram = await startTelegram();
  const folder = newFolder();
  const home = openHome(join(folder, 'home'));
  const channels = { telegram: { token: telegram.token, api_root: telegram.apiRoot } };
  writeFileSync(home.configPath, JSON.stringify({ ...usualConfig(folder), channels }), { mode: 0o600 });
  const app = await openApp({ home, work: false });
  onTestFinished(async () => {
    await app.close();
    await telegram.stop();
  });
  return { telegram, app, channels: new Channels(app, channelKinds, () => undefined) };
}

async function closingMs(channels: Channels): Promise<number> {
  const began = performance.now();
  await channels.close();
  return performance.now() - began;
}

it('shutdown finishes within seconds while the answer to a press hangs', async () => {
  const { telegram, app, channels } = await given();
  await channels.align();
  telegram.plant({ method: 'answerCallbackQuery', fault: { type: 'hang', acts: false } });
  const ada = telegram.person(1000, 'Ada');
  const shown = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
  ada.pressesData(shown, 'm1.0');
  await telegram.until('the answer', () => telegram.ledger.calls().some(({ method }) => /answerCallback/.test(method)));
  expect(await closingMs(channels)).toBeLessThan(limitMs);
  expect(app.runtime.store.pendingInbox()).toEqual([]);
}, 60_000);

it('shutdown finishes within seconds while the first API call hangs', async () => {
  const { telegram, channels } = await given();
  telegram.plant({ method: 'getMe', fault: { type: 'hang', acts: false } });
  const aligned = channels.align();
  await telegram.until('the first call', () => telegram.ledger.calls().length > 0);
  expect(await closingMs(channels)).toBeLessThan(limitMs);
  await aligned;
}, 60_000);

it('shutdown finishes within seconds while hundreds of messages wait for a full disk', async () => {
  const full = () => Promise.reject(new BosunError('disk', 'the disk is full'));
  const { telegram, ada, intake, runtime } = await ears({ door: (door) => ({ ...door, handle: full }) });
  await telegram.until('it listens', () => telegram.updates.isPolled);
  for (let at = 0; at < 300; at += 1) ada.says(ada.chat, `task ${at}`);
  await expect.poll(() => runtime.store.pendingInbox().length, { timeout: 20_000 }).toBeGreaterThan(200);
  const began = performance.now();
  await intake.close();
  expect(performance.now() - began).toBeLessThan(limitMs);
}, 60_000);

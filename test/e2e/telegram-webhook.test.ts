// A Bosun of its own process to which updates are posted, over a death.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startTelegram } from '../bot/channels/telegram/server/index.js';
import { newFolder } from '../cli/given.js';
import { freePort } from '../free-port.js';
import { configureDemo, startReady } from './platform-home.js';

it('the Telegram webhook handles updates once, including those posted while Bosun was down', async () => {
  const telegram = await startTelegram();
  onTestFinished(() => telegram.stop());
  const ada = telegram.person(1000, 'Ada');
  const home = join(newFolder(), 'home');
  const port = await freePort();
  const up = () => startReady(home, port);
  const first = await up();
  const webhook = { url: `http://127.0.0.1:${port}` };
  const place = { token: telegram.token, api_root: telegram.apiRoot, webhook };
  configureDemo(home, {
    people: { ada: { telegram: 1000 } },
    members: { ada: 'owner' },
    channels: { telegram: place },
  });
  await telegram.until('the webhook is set', () => telegram.webhook().url !== '', 20_000);
  ada.says(ada.chat, 'whoami');
  // A send that the death cut off may come again, marked as that.
  const said = () => telegram.sent(ada.chat).filter(({ text }) => !text.includes('(perhaps a repeat)'));
  const answers = (text: RegExp) => said().filter((one) => text.test(one.text)).length;
  await telegram.until('an answer', () => answers(/You are Ada/) === 1, 20_000);
  first.child.kill('SIGKILL');
  await first.ended;
  ada.says(ada.chat, 'status demo');
  const second = await up();
  await telegram.until('the second answer', () => answers(/^demo: /) === 1, 20_000);
  expect(answers(/You are Ada/)).toBe(1);
  expect(telegram.ledger.count('getUpdates')).toBe(0);
  second.child.kill('SIGTERM');
  expect((await second.ended).code).toBe(0);
  // What comes meanwhile waits there.
  expect(telegram.webhook().url).not.toBe('');
}, 90_000);

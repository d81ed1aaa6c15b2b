// From an empty home to the first review, in the order of docs/telegram.md, by whoever has no terminal to answer at.

import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/file/read-config.js';
import { startTelegram } from '../bot/channels/telegram/server/index.js';
import { bosun, newFolder } from '../cli/given.js';
import { openHome } from '../open-home.js';
import { startReady } from './platform-home.js';

const limitMs = 30_000;

it('Telegram setup leads from a token, a pairing link and host approval to "continue demo"', async () => {
  const home = join(newFolder(), 'home');
  const telegram = await startTelegram();
  onTestFinished(() => telegram.stop());
  const env = { TELEGRAM_BOT_TOKEN: telegram.token };
  const { out } = await bosun(['init', 'telegram', '--keep', 'file', '--api-root', telegram.apiRoot], { home, env });
  const [, code = ''] = /https:\/\/t\.me\/bosun_test_bot\?start=(\S+)/.exec(out) ?? [];
  const up = await startReady(home);
  const ada = telegram.person(1000, 'Ada');
  const hears = (words: RegExp) =>
    telegram.until(`${words}`, () => telegram.sent(ada.chat).some(({ text }) => words.test(text)), limitMs);
  ada.says(ada.chat, `/start ${code}`);
  await hears(/on the computer that runs Bosun/);
  ada.says(ada.chat, 'continue demo');
  await hears(/bosun pair/);
  expect(loadConfig(openHome(home), {}).people).toEqual([]);
  const paired = await bosun(['pair', code, '--person', 'ada', '--project', 'demo', '--role', 'owner'], { home });
  expect([paired.code, paired.out]).toEqual([0, expect.stringContaining('owner of demo')]);
  await hears(/^You're in: Ada, owner of demo\.\nYou can write, for example:\ndemo: /);
  const reviews = () => telegram.sent(ada.chat).filter(({ text }) => /^Review · /.test(text)).length;
  // The words before the pairing may be read after it.
  let said = 1;
  await expect
    .poll(
      () => {
        if (reviews() > 0) return true;
        ada.says(ada.chat, 'continue demo');
        said += 1;
        return reviews() > 0;
      },
      { timeout: limitMs, interval: 4_000 },
    )
    .toBe(true);
  // Said once more while it was on its way, it is shown once more.
  expect(reviews()).toBeLessThanOrEqual(said);
  up.child.kill('SIGTERM');
  expect((await up.ended).code).toBe(0);
}, 90_000);

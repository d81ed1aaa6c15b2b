// From an empty home to the first review, in the order of docs/slack.md, by whoever has no terminal to answer at; and a
// home that is given the token of another workspace.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/file/read-config.js';
import { type Slack, startSlack } from '../bot/channels/slack/server/index.js';
import { bosun, newFolder, start } from '../cli/given.js';
import { openHome } from '../open-home.js';
import { startReady } from './platform-home.js';

const limitMs = 30_000;
const envOf = ({ tokens }: Slack) => ({ SLACK_BOT_TOKEN: tokens.bot, SLACK_APP_TOKEN: tokens.app });

it('Slack setup leads from two tokens, a pairing code and host approval to "continue demo"', async () => {
  const home = join(newFolder(), 'home');
  const slack = await startSlack();
  onTestFinished(() => slack.close());
  const init = ['init', 'slack', '--keep', 'file', '--api-url', slack.apiUrl];
  const { out } = await bosun(init, { home, env: envOf(slack) });
  const [, code = ''] = /Pairing code: (\S+)/.exec(out) ?? [];
  const up = await startReady(home);
  const ada = slack.person('U0ADA', 'Ada');
  const shows = (words: RegExp) => slack.screen(ada.chat).filter(({ text }) => words.test(text));
  const hears = (words: RegExp) => slack.until(`${words}`, () => shows(words).length > 0, limitMs);
  ada.says(ada.chat, code);
  await hears(/on the computer that runs Bosun/);
  ada.says(ada.chat, 'continue demo');
  await hears(/whom the owner let in|Until then/);
  expect(loadConfig(openHome(home), {}).people).toEqual([]);
  const paired = await bosun(['pair', code, '--person', 'ada', '--project', 'demo', '--role', 'owner'], { home });
  expect([paired.code, paired.out]).toEqual([0, expect.stringContaining('owner of demo')]);
  await expect
    .poll(
      () => {
        if (shows(/Review · /).length === 0) ada.says(ada.chat, 'continue demo');
        return shows(/Review · /).length;
      },
      { timeout: limitMs, interval: 4_000 },
    )
    // Said once more while it was on its way, it is shown once more.
    .toBeGreaterThan(0);
  up.child.kill('SIGTERM');
  expect((await up.ended).code).toBe(0);
}, 90_000);

it('a token of another workspace is reported, and Bosun runs without Slack', async () => {
  const home = join(newFolder(), 'home');
  const slack = await startSlack();
  onTestFinished(() => slack.close());
  const init = ['init', 'slack', '--keep', 'file', '--api-url', slack.apiUrl];
  await bosun(init, { home, env: envOf(slack) });
  writeFileSync(join(home, 'slack-team'), 'T0OTHER Elsewhere');
  const up = await start(['up', '--port', '0'], { home });
  expect(await up.line(/^slack: /)).toMatch(/workspace Harbour \(T0HARBOUR\), and this home belongs to Elsewhere/);
  await up.line(/^ready /);
  const ada = slack.person('U0ADA', 'Ada');
  ada.says(ada.chat, 'projects');
  expect((await bosun(['projects'], { home })).out).toContain('demo');
  const made = slack.ledger.calls().map(({ method }) => method);
  expect(made.filter((method) => method.startsWith('chat.'))).toEqual([]);
  up.child.kill('SIGTERM');
  expect((await up.ended).code).toBe(0);
}, 60_000);

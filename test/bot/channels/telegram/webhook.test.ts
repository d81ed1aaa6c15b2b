// Updates that are posted instead of asked for: the real HTTP side, the real client, a Bot API server on this machine.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { BosunError } from '../../../../src/base/index.js';
import { Channels, channelKinds } from '../../../../src/bot/index.js';
import { openApp } from '../../../../src/cli/app.js';
import { startWeb } from '../../../../src/web/index.js';
import { openHome } from '../../../open-home.js';
import { newFolder } from '../fixture/inbox.js';
import { usualConfig } from './inbound/given.js';
import { startTelegram } from './server/index.js';

const secret = 'only-telegram-knows-this';
const path = '/telegram/webhook';

async function given(isPosted = true) {
  const telegram = await startTelegram();
  const folder = newFolder();
  const home = openHome(join(folder, 'home'));
  const configure = (more: object) => {
    const channels = { telegram: { token: telegram.token, api_root: telegram.apiRoot, ...more } };
    writeFileSync(home.configPath, JSON.stringify({ ...usualConfig(folder), channels }), { mode: 0o600 });
  };
  configure({});
  const log: string[] = [];
  const note = (line: string) => void log.push(line);
  const app = await openApp({ home, work: false, log: note });
  const channels = new Channels(app, channelKinds, note);
  const web = await startWeb(app, {
    ...{ host: '127.0.0.1', port: 0, version: '1', log: note },
    webhooks: channels.entrances,
  });
  onTestFinished(async () => {
    await channels.close();
    await web.close();
    await app.close();
    await telegram.stop();
  });
  app.onConfig(() => void channels.align());
  const webhook = { url: `http://127.0.0.1:${web.port}`, secret };
  if (isPosted) configure({ webhook });
  await until(() => app.config().channels.telegram?.webhook !== null || !isPosted);
  await channels.align();
  const textsIn = (thread: string) => app.runtime.store.messages(thread, null, 100).map(({ view }) => view.text);
  return {
    ...{ telegram, home, app, channels, web, log, configure, webhook, textsIn },
    ada: telegram.person(1000, 'Ada'),
    post: (body: string, headers: Record<string, string> = {}) => send(web.port, body, headers),
  };
}

function until(isSo: () => boolean): Promise<void> {
  return vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 10_000, interval: 20 });
}

function send(port: number, body: string, headers: Record<string, string>, to = path): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: to, method: 'POST', headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const shown = { 'x-telegram-bot-api-secret-token': secret };

function saying(text: string, n = 1): string {
  const from = { id: 1000, is_bot: false, first_name: 'Ada' };
  const message = { message_id: n, from, chat: { id: 1000, type: 'private' }, date: 1, text };
  return JSON.stringify({ update_id: 900_000 + n, message });
}

it('receives updates by webhook with a secret instead of polling, and answers', async () => {
  const { telegram, ada, webhook } = await given();
  expect(telegram.webhook()).toMatchObject({ url: `${webhook.url}${path}` });
  const [set] = telegram.ledger.calls('setWebhook');
  expect(set?.values).toMatchObject({ secret_token: secret });
  expect(String(JSON.stringify(set?.values))).toContain('callback_query');
  ada.says(ada.chat, 'whoami');
  await telegram.until('an answer', () => telegram.sent(ada.chat).some(({ text }) => /You are Ada/.test(text)));
  expect(telegram.webhook().pending_update_count).toBe(0);
  expect(telegram.ledger.count('getUpdates')).toBe(0);
});

it('generates a private webhook secret when none is set and keeps it across a restart', async () => {
  const { telegram, home, configure, webhook, ada, log, app, channels } = await given(false);
  configure({ webhook: { url: webhook.url } });
  await until(() => telegram.webhook().url !== '');
  const file = join(home.dir, 'telegram-webhook-secret');
  const made = readFileSync(file, 'utf8');
  expect(made).toMatch(/^[\w-]{40,}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(telegram.ledger.calls('setWebhook')[0]?.values).toMatchObject({ secret_token: made });
  ada.says(ada.chat, 'whoami');
  await telegram.until('an answer', () => telegram.sent(ada.chat).length > 0);
  await channels.close();
  const again = new Channels(app, channelKinds, () => undefined);
  onTestFinished(() => again.close());
  await again.align();
  expect(again.entrances('telegram')?.url).toBe(telegram.webhook().url);
  expect(readFileSync(file, 'utf8')).toBe(made);
  expect(log.join('\n')).not.toContain(made);
});

it('switches between webhook and polling when config.yaml changes', async () => {
  const { telegram, configure, ada, webhook, post } = await given();
  configure({});
  await telegram.until('it asks', () => telegram.updates.isPolled, 15_000);
  expect(telegram.webhook().url).toBe('');
  expect(await post(saying('whoami'), shown)).toBe(404);
  ada.says(ada.chat, 'whoami');
  await telegram.until('an answer', () => telegram.sent(ada.chat).length === 1);
  configure({ webhook });
  await until(() => telegram.webhook().url !== '');
  ada.says(ada.chat, 'projects');
  await telegram.until('another answer', () => telegram.sent(ada.chat).length === 2);
});

it('accepts a post only with the secret, a known host and at most 1 MB', async () => {
  const { post, textsIn, web } = await given();
  const unheard: [Record<string, string>, number][] = [
    [{}, 401],
    [{ 'x-telegram-bot-api-secret-token': `${secret}x` }, 401],
    [{ 'x-telegram-bot-api-secret-token': secret.slice(1) }, 401],
    [{ ...shown, host: 'evil.example.org' }, 403],
  ];
  for (const [headers, status] of unheard) expect(await post(saying('whoami'), headers)).toBe(status);
  expect(await post('{', shown)).toBe(400);
  expect(await post(`"${'x'.repeat(1024 * 1024)}"`, shown)).toBe(413);
  expect(await send(web.port, '{}', shown, '/api/say')).toBe(401);
  expect(textsIn('tg:1000')).toEqual([]);
});

it('accepts the public host from any origin on the webhook path only', async () => {
  const { post, configure, web, channels, textsIn } = await given();
  configure({ webhook: { url: 'https://Bosun.example.org/some', secret } });
  const url = 'https://bosun.example.org/some/telegram/webhook';
  await until(() => channels.entrances('telegram')?.url === url);
  const headers = { ...shown, host: 'bosun.example.org', origin: 'https://elsewhere.example' };
  // The platform refuses the address here; what it would post is known to be its own by the secret all the same.
  await vi.waitFor(async () => expect(await post(saying('whoami'), headers)).toBe(200), { timeout: 10_000 });
  await until(() => textsIn('tg:1000').length === 1);
  expect(await post(saying('whoami', 2), { ...shown, host: 'bosun.example.org:443' })).toBe(200);
  expect(await post(saying('whoami'), { ...shown, host: 'bosun.example.org:7420' })).toBe(403);
  for (const other of ['/api/say', '/hooks/shop', '/telegram/webhook/', '/telegram']) {
    expect(await send(web.port, '{}', { ...shown, host: 'bosun.example.org' }, other)).toBe(403);
  }
});

it('handles a repeated update once and skips one that it cannot read', async () => {
  const { post, textsIn } = await given();
  expect(await post('{"update_id":"x"}', shown)).toBe(200);
  for (let time = 0; time < 3; time++) expect(await post(saying('whoami'), shown)).toBe(200);
  expect(await post(saying('projects', 2), shown)).toBe(200);
  await until(() => textsIn('tg:1000').length === 2);
  expect(textsIn('tg:1000').map((text) => text.split(' ')[0])).toEqual(['You', expect.stringMatching(/^shop/)]);
});

it('answers only after storing an update, and with 503 when the disk fails', async () => {
  const { telegram, app, ada, post, textsIn } = await given();
  const { door } = app;
  const { note } = door;
  let fails = 2;
  Object.assign(door, {
    note(said: Parameters<typeof note>[0]) {
      fails -= 1;
      if (fails >= 0) throw new BosunError('disk', 'no space left');
      return note.call(door, said);
    },
  });
  expect(await post(saying('whoami', 7), shown)).toBe(503);
  expect(app.runtime.store.isKnown('telegram', keyOf(telegram))).toBe(false);
  ada.says(ada.chat, 'projects');
  await until(() => telegram.webhook().last_error_message?.includes('503') === true);
  await until(() => textsIn('tg:1000').length === 1);
  expect(await post(saying('whoami', 7), shown)).toBe(200);
  expect(app.runtime.store.isKnown('telegram', keyOf(telegram))).toBe(true);
});

function keyOf({ bot }: { readonly bot: { readonly id: number } }): string {
  return `${bot.id}:900007`;
}

it('retries setting the webhook and reports why it failed', async () => {
  const { telegram, channels, configure, webhook, log } = await given(false);
  telegram.plant({
    ...{ method: 'setWebhook', times: 2 },
    fault: { type: 'refuse', code: 400, description: 'Bad Request: bad webhook: Failed to resolve host' },
  });
  configure({ webhook });
  await until(() => channels.all.some(({ problem }) => problem?.includes('Failed to resolve host') === true));
  await until(() => telegram.webhook().url !== '');
  const said = log.filter((line) => line.includes('the webhook is not set yet'));
  expect(new Set(said).size).toBe(1);
  await until(() => log.includes('telegram: it goes on') && channels.all.every(({ problem }) => problem === null));
});

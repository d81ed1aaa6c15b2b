// How updates come to the real client: by asking, by webhook, twice, out of order.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { botOf, given, hangingUp, refusalOf } from './given.js';
import { HandClock } from './index.js';

describe('long polling of the fake Telegram', () => {
  it('returns the same updates until a higher offset confirms them', async () => {
    const { api, ada } = await given();
    const ids = ['a', 'b', 'c'].map((text) => ada.says(ada.chat, text).update?.update_id ?? 0);
    const idsOf = async (offset: number, limit = 100) =>
      (await api.getUpdates({ offset, limit })).map((one) => one.update_id);
    expect(await idsOf(0)).toEqual(ids);
    expect(await idsOf(0, 2)).toEqual(ids.slice(0, 2));
    expect(await idsOf((ids[0] ?? 0) + 1)).toEqual(ids.slice(1));
    expect(await idsOf(0)).toEqual(ids.slice(1));
    expect(await idsOf(-1)).toEqual(ids.slice(2));
    expect(await idsOf((ids[2] ?? 0) + 1)).toEqual([]);
  });

  it('waits for an update no longer than its timeout', async () => {
    const clock = new HandClock(1_800_000_000_000);
    const { api, ada, telegram } = await given({ clock });
    const polled = () => telegram.until('a poll', () => telegram.updates.isPolled);
    const waiting = api.getUpdates({ timeout: 30 });
    await polled();
    ada.says(ada.chat, 'hello');
    expect((await waiting).map((one) => one.message?.text)).toEqual(['hello']);
    const next = api.getUpdates({ offset: -1, timeout: 30 });
    expect(await next).toHaveLength(1);
    const empty = api.getUpdates({ offset: 800_000_000, timeout: 30 });
    await polled();
    clock.advance(30_000);
    expect(await empty).toEqual([]);
  });

  it('ends an older poll when another starts, and is refused while a webhook is set', async () => {
    const { api, telegram } = await given();
    const first = refusalOf(api.getUpdates({ timeout: 30 }));
    await telegram.until('a poll', () => telegram.updates.isPolled);
    await api.getUpdates({ timeout: 0 });
    expect(await first).toMatch(/^409: Conflict: terminated by other getUpdates request/);
    await api.setWebhook('http://127.0.0.1:1/x');
    expect(await refusalOf(api.getUpdates())).toMatch(/^409: Conflict: can't use getUpdates method while webhook/);
  });

  it('forgets a poll whose client disconnected', async () => {
    const { api, ada, telegram } = await given();
    const hungUp = hangingUp();
    const first = refusalOf(api.getUpdates({ timeout: 30 }, hungUp.signal));
    await telegram.until('a poll', () => telegram.updates.isPolled);
    hungUp.abort();
    expect(await first).toBe('network: The user aborted a request.');
    await telegram.until('no poll', () => !telegram.updates.isPolled);
    ada.says(ada.chat, 'later');
    expect(await api.getUpdates()).toHaveLength(1);
  });

  it('delivers only the requested kinds of update from then on', async () => {
    const { api, ada, telegram } = await given();
    await api.getUpdates({ allowed_updates: ['callback_query'] });
    expect(ada.says(ada.chat, 'x').update).toBeNull();
    await api.getUpdates({ allowed_updates: [] });
    expect(ada.says(ada.chat, 'y').update).not.toBeNull();
    expect(telegram.updates.pending).toHaveLength(1);
  });

  it('repeats, reorders and replays updates on request', async () => {
    const { api, ada, telegram } = await given();
    telegram.updates.copyNext(1);
    const [a = 0, b = 0, c = 0] = ['a', 'b', 'c'].map((text) => ada.says(ada.chat, text).update?.update_id ?? 0);
    telegram.updates.reorder((updates) => [...updates].reverse());
    const idsOf = async (offset: number) => (await api.getUpdates({ offset })).map((one) => one.update_id);
    expect(await idsOf(0)).toEqual([c, b, a, a]);
    expect(await idsOf(0)).toEqual([c, b, a]);
    expect(await idsOf(c + 1)).toEqual([]);
    telegram.updates.replay(telegram.updates.made);
    expect(await idsOf(c + 1)).toEqual([a, b, c]);
    expect(await idsOf(c + 1)).toEqual([]);
  });

  it('delivers reordered updates below the offset as often as they were made', async () => {
    const { api, ada, telegram } = await given();
    const ids = ['a', 'b', 'c'].map((text) => ada.says(ada.chat, text).update?.update_id ?? 0);
    telegram.updates.replay(telegram.updates.made);
    telegram.updates.reorder((updates) => [...updates].reverse());
    const heard: number[] = [];
    for (let offset = 0; heard.length < 6; offset = Math.max(...heard) + 1) {
      const [update] = await api.getUpdates({ offset, limit: 1 });
      if (!update) break;
      heard.push(update.update_id);
    }
    const [a = 0, b = 0, c = 0] = ids;
    expect(heard).toEqual([c, b, a, c, b, a]);
  });

  it('works with a real grammY bot', async () => {
    const { ada, telegram } = await given();
    const bot = botOf(telegram);
    bot.on('message:text', (context) =>
      context.reply(`You said ${context.msg.text}`, {
        reply_markup: { inline_keyboard: [[{ text: 'Again', callback_data: 'again' }]] },
      }),
    );
    const pressed = new Promise<void>((resolve) => {
      bot.callbackQuery('again', async (context) => {
        await context.answerCallbackQuery('Yes');
        await context.editMessageText('Said again');
        resolve();
      });
    });
    const over = bot.start();
    ada.says(ada.chat, 'hello');
    await telegram.until('an answer', () => telegram.sent(ada.chat).length > 0);
    const [sent] = telegram.sent(ada.chat);
    if (!sent) throw new Error('nothing was sent');
    const { press } = ada.presses(sent, 'Again');
    await pressed;
    await bot.stop();
    await over;
    expect(press.answer).toEqual({ text: 'Yes', isAlert: false });
    expect(telegram.screen(ada.chat)).toMatchObject([
      { by: 'Ada', text: 'hello' },
      { by: 'Bosun', text: 'Said again', buttons: [], isEdited: true, rang: true },
    ]);
  });
});

describe('a webhook of the fake Telegram', () => {
  it('gets one update at a time with the secret, and a refused one again', async () => {
    const clock = new HandClock(1_800_000_000_000);
    const { api, ada, telegram } = await given({ clock });
    const heard: string[] = [];
    const answers = [500, 200, 200];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => {
        heard.push(`${request.headers['x-telegram-bot-api-secret-token']} ${JSON.parse(body).message.text}`);
        response.writeHead(answers.shift() ?? 200).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await api.setWebhook(`http://127.0.0.1:${port}/hook`, { secret_token: 's3cret' });
    ada.says(ada.chat, 'a');
    ada.says(ada.chat, 'b');
    await telegram.until('a refusal', () => telegram.webhook().last_error_message !== undefined);
    expect((await api.getWebhookInfo()).pending_update_count).toBe(2);
    clock.advance(1_000);
    await telegram.until('all taken', () => telegram.updates.pending.length === 0);
    expect(heard).toEqual(['s3cret a', 's3cret a', 's3cret b']);
    server.close();
  });

  it('is refused for an insecure remote address or an invalid secret', async () => {
    const { api } = await given();
    expect(await refusalOf(api.setWebhook('http://example.org/x'))).toMatch(/^400: Bad Request: bad webhook/);
    expect(await refusalOf(api.setWebhook('http://127.0.0.1:9/x', { secret_token: 'a b' }))).toBe(
      '400: Bad Request: secret token contains unallowed characters',
    );
  });
});

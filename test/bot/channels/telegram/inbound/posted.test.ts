// What is posted instead of asked for, as the intake sees it: where it is posted to, and how much at a time.
import { expect, it } from 'vitest';
import { openApi } from '../../../../../src/bot/channels/telegram/client.js';
import { machineClock } from '../../fixture/clock.js';
import { botToken, faults } from '../server/index.js';
import { given } from './given.js';

/** Nobody listens there. */
const webhook = { url: 'http://127.0.0.1:9/telegram/webhook', secret: 'only-telegram-knows-this' };

/** Every wait is over at once. */
function hasty() {
  const waits: number[] = [];
  const after = (ms: number, act: () => void) => {
    waits.push(ms);
    return machineClock.after(5, act);
  };
  return { waits, clock: { now: () => Date.now(), after } };
}

it('a removed webhook is set again, and an unreachable one is reported once', async () => {
  const { waits, clock } = hasty();
  const { telegram, intake, ada, log } = await given({ parts: { clock, webhook } });
  await telegram.until('it is set', () => telegram.webhook().url === webhook.url);
  await openApi({ token: botToken, apiRoot: telegram.apiRoot }, 5).deleteWebhook();
  await telegram.until('it is set again', () => telegram.webhook().url === webhook.url);
  ada.says(ada.chat, 'whoami');
  await telegram.until('it is told', () => intake.health.problem?.includes('cannot post to') === true);
  expect(intake.health.problem).toContain('ECONNREFUSED');
  expect(log.filter((line) => line.includes('cannot post to'))).toHaveLength(1);
  expect(log.join('\n')).not.toContain(webhook.secret);
  expect(waits.every((ms) => ms === 5 * 60_000)).toBe(true);
  expect(telegram.ledger.calls('setWebhook')[0]?.values).toMatchObject({ max_connections: 1 });
});

it('webhook mode stops on a refused token and retries after a server error', async () => {
  const { clock } = hasty();
  const { telegram, intake } = await given({ listens: false, parts: { clock, webhook } });
  telegram.plant({ method: 'setWebhook', fault: { type: 'refuse', code: 500, description: 'Internal Server Error' } });
  intake.start();
  await telegram.until('it is set', () => telegram.webhook().url === webhook.url);
  telegram.plant({ method: 'getWebhookInfo', fault: faults.unauthorized, times: 99 });
  await telegram.until('it stops', () => intake.health.state === 'stopped');
  expect(intake.health.problem).toContain('refuses the bot’s token');
});

it('a posted update is answered "busy" while too many are pending, before startup and after shutdown', async () => {
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { telegram, intake, runtime } = await given({
    listens: false,
    parts: { webhook },
    door: (door) => ({ ...door, handle: (row) => held.then(() => door.handle(row)) }),
  });
  const update = (n: number) => {
    const message = { message_id: n, from: { id: 1000, is_bot: false, first_name: 'Ada' }, text: 'whoami' };
    return { update_id: n, message: { ...message, chat: { id: 1000, type: 'private' }, date: n * 60 } };
  };
  expect(intake.receive(update(1))).toBe('busy');
  intake.start();
  await telegram.until('it is set', () => telegram.webhook().url !== '');
  let taken = 0;
  while (taken < 1_000 && intake.receive(update(taken + 1)) === 'taken') taken += 1;
  expect(taken).toBeGreaterThanOrEqual(200);
  expect(taken).toBeLessThan(300);
  expect(runtime.store.pendingInbox()).toHaveLength(taken);
  go();
  await telegram.until('all is decided', () => runtime.store.pendingInbox().length === 0, 20_000);
  expect(intake.receive(update(taken + 1))).toBe('taken');
  await intake.close();
  expect(intake.receive(update(taken + 2))).toBe('busy');
}, 30_000);

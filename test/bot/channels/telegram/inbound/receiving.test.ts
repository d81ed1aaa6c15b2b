import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BosunError } from '../../../../../src/base/index.js';
import { openApi } from '../../../../../src/bot/channels/telegram/client.js';
import { keptText } from '../../../../../src/config/home/small-files.js';
import { machineClock } from '../../fixture/clock.js';
import { botToken, faults, startTelegram } from '../server/index.js';
import { given } from './given.js';

const inChat = 'tg:1000';
const watchMs = 120_000;

/** Every wait is over at once, and is noted; the watch over a poll goes off when the test says so. */
function hastyClock() {
  const waits: number[] = [];
  const watches = new Set<() => void>();
  const after = (ms: number, act: () => void) => {
    if (ms === watchMs) {
      watches.add(act);
      return () => watches.delete(act);
    }
    waits.push(ms);
    return machineClock.after(1, act);
  };
  return { waits, goOff: () => [...watches].map((act) => act()), clock: { now: () => Date.now(), after } };
}

describe('a Telegram update', () => {
  it('is confirmed only once it is stored, and is fetched again until then', async () => {
    const { clock } = hastyClock();
    let fails = 2;
    const { ada, telegram, posted, settled, log } = await given({
      parts: { clock },
      door: (door) => ({
        ...door,
        note(said) {
          fails -= 1;
          if (fails >= 0) throw new Error('no space left');
          return door.note(said);
        },
      }),
    });
    ada.says(ada.chat, 'whoami');
    ada.says(ada.chat, 'projects');
    const said = await posted(inChat, 2);
    await settled();
    expect(said.map((one) => one.split(/[ .]/)[0])).toEqual(['You', 'shop']);
    expect(await posted(inChat)).toHaveLength(2);
    expect(log).toContain('telegram: what comes in cannot be written down: no space left');
    expect(telegram.updates.pending).toEqual([]);
  });

  it('whose handling failed on disk is retried before later ones', async () => {
    const { clock, waits } = hastyClock();
    let fails = 2;
    const { ada, posted } = await given({
      parts: { clock },
      door: (door) => ({
        ...door,
        handle(row) {
          fails -= 1;
          return fails >= 0 ? Promise.reject(new BosunError('disk', 'no space left')) : door.handle(row);
        },
      }),
    });
    ada.says(ada.chat, 'use blog');
    ada.says(ada.chat, 'status');
    const said = await posted(inChat, 2);
    expect(said.map((one) => one.split(/[:.]/)[0])).toEqual(['This chat is about blog now', 'blog']);
    expect(waits).toEqual(expect.arrayContaining([1_000, 10_000]));
  });

  it("is fetched again when its lookup fails, and a stranger's failed knock delays nothing", async () => {
    let fails = 1;
    const { clock } = hastyClock();
    const ears = await given({
      listens: false,
      parts: {
        clock,
        knock: () => {
          throw new BosunError('bad_config', 'pairing.json is damaged');
        },
        messageAt: () => {
          fails -= 1;
          if (fails >= 0) throw new BosunError('disk', 'cannot be read');
          return null;
        },
      },
    });
    const { ada, telegram, intake, posted, log } = ears;
    const eve = telegram.person(5_000, 'Eve');
    eve.says(eve.chat, 'hi');
    const sent = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
    ada.says(ada.chat, 'whoami', { replyTo: sent });
    intake.start();
    expect(await posted(inChat)).toHaveLength(1);
    expect(log.filter((line) => line.includes('a stranger is not answered')).length).toBeGreaterThan(0);
  });

  it('that cannot be parsed is skipped and delays nothing', async () => {
    const { ada, telegram, posted, log } = await given();
    telegram.updates.push('message', { message_id: 'x', chat: 7, text: ['?'] });
    ada.says(ada.chat, 'whoami');
    expect(await posted(inChat)).toHaveLength(1);
    expect(log.filter((line) => line.includes('not understood'))).toHaveLength(1);
  });

  it('is handled even if storing the new id of a group fails, which is retried', async () => {
    const moves: string[] = [];
    const moved = (from: string, to: string) => {
      moves.push(`${from} ${to}`);
      if (moves.length === 1) throw new BosunError('disk', 'no space left');
    };
    const { ada, telegram, posted, settled, runtime, log } = await given({ parts: { moved } });
    const group = telegram.group(-4_000, 'Team', 'administrator');
    ada.says(group, '/quiet');
    await settled();
    telegram.migrate(group, -100_777);
    ada.says(ada.chat, 'whoami');
    expect(await posted(inChat)).toHaveLength(1);
    await settled();
    await telegram.until('it is tried again', () => moves.length === 2);
    expect([new Set(moves).size, runtime.store.thread('tg:-100777')?.quiet]).toEqual([1, true]);
    expect(log.filter((line) => line.includes('is not carried to'))).toHaveLength(1);
  });

  it('is handled once when it repeats, even under another update id', async () => {
    const { ada, telegram, settled, posted } = await given();
    telegram.updates.copyNext(1);
    const { update } = ada.says(ada.chat, 'whoami');
    await settled();
    telegram.updates.push('message', update?.['message'] as Record<string, unknown>);
    await settled();
    expect(await posted(inChat)).toHaveLength(1);
  });

  it('is handled in order of arrival, also after a backlog', async () => {
    const { ada, posted, intake, telegram } = await given({ listens: false });
    for (const text of ['use shop', 'status', 'use blog', 'status']) ada.says(ada.chat, text);
    intake.start();
    const said = await posted(inChat, 4);
    expect(said.map((one) => one.split(/[:.]/)[0])).toEqual([
      'This chat is about shop now',
      'shop',
      'This chat is about blog now',
      'blog',
    ]);
    expect(telegram.ledger.count('getUpdates')).toBeLessThan(5);
  });

  it('is not lost when updates arrive out of order', async () => {
    const { ada, posted, intake, telegram } = await given({ listens: false });
    for (const text of ['use shop', 'whoami', 'status']) ada.says(ada.chat, text);
    telegram.updates.reorder((updates) => [...updates].reverse());
    intake.start();
    expect(await posted(inChat, 3)).toHaveLength(3);
  });
});

describe('polling', () => {
  it('requests exactly four kinds of updates', async () => {
    const { telegram, settled, intake } = await given();
    await settled();
    const asked = telegram.ledger.calls('getUpdates')[0]?.values['allowed_updates'];
    const kinds = typeof asked === 'string' ? JSON.parse(asked) : asked;
    expect(kinds).toEqual(['message', 'edited_message', 'callback_query', 'my_chat_member']);
    expect(intake.health).toMatchObject({ problem: null, me: { username: 'bosun_test_bot' } });
  });

  it('starts without a network and recovers when there is one', async () => {
    const gone = await startTelegram();
    const port = Number(new URL(gone.apiRoot).port);
    await gone.stop();
    const { clock, waits } = hastyClock();
    const ears = await given({ telegram: gone, parts: { clock } });
    await gone.until('it waits', () => ears.intake.health.state === 'waiting');
    expect(ears.intake.health.problem).toMatch(/^Telegram cannot be reached/);
    const back = await startTelegram({ port });
    try {
      const ada = back.person(1000, 'Ada');
      ada.says(ada.chat, 'whoami');
      expect(await ears.posted(inChat)).toHaveLength(1);
      expect(ears.intake.health).toMatchObject({ state: 'polling', problem: null });
      expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
      expect(ears.log.filter((line) => line.includes('cannot be reached')).length).toBeLessThanOrEqual(2);
      expect(ears.log.join('\n')).not.toContain(botToken.slice(12));
    } finally {
      await ears.intake.close();
      await back.stop();
    }
  });

  it('stops on a wrong token and reports it without the token', async () => {
    const wrong = '7000000001:AAanother_token_that_nobody_gave_out';
    const { intake, telegram, log } = await given({ token: wrong });
    await telegram.until('it stops', () => intake.health.state === 'stopped');
    expect(intake.health.problem).toContain('refuses the bot’s token');
    expect(log.filter((line) => line.includes('refuses'))).toHaveLength(1);
    expect(log.join('\n')).not.toContain(wrong.slice(11));
  });

  it('reports a rival poller once, waits, and loses nothing', async () => {
    const { clock, waits } = hastyClock();
    const ears = await given({ listens: false, parts: { clock } });
    const { ada, telegram, intake, log, posted } = ears;
    telegram.plant({ method: 'getUpdates', fault: faults.conflict, times: 9 });
    ada.says(ada.chat, 'whoami');
    intake.start();
    expect(await posted(inChat)).toHaveLength(1);
    expect(log.filter((line) => line.includes('another process polls with this token'))).toHaveLength(1);
    expect(waits.slice(0, 9).every((ms) => ms >= 5_000 && ms <= 60_000)).toBe(true);
  });

  it('does not take a poll that returns at once for the end of a rival', async () => {
    const { clock } = hastyClock();
    const { ada, telegram, intake, log, posted } = await given({ listens: false, parts: { clock } });
    // The rival asks again whenever it was thrown out, and lets only what comes back at once pass.
    for (const before of [0, 1, 2, 3]) telegram.plant({ method: 'getUpdates', fault: faults.conflict, after: before });
    ada.says(ada.chat, 'whoami');
    intake.start();
    expect(await posted(inChat)).toHaveLength(1);
    await telegram.until('it waits for what is new', () => telegram.ledger.count('getUpdates') >= 9, 10_000);
    ada.says(ada.chat, 'projects');
    await telegram.until('the rival is gone', () => intake.health.problem === null, 10_000);
    const told = log.filter((line) => line.includes('another process polls') || line.includes('it goes on'));
    expect(told.map((line) => line.includes('it goes on'))).toEqual([false, true]);
  });

  it('removes a webhook that blocks polling', async () => {
    const { ada, telegram, intake, posted } = await given({ listens: false, parts: { clock: hastyClock().clock } });
    await openApi({ token: botToken, apiRoot: telegram.apiRoot }, 5).setWebhook('http://127.0.0.1:9/hook');
    ada.says(ada.chat, 'whoami');
    intake.start();
    expect(await posted(inChat)).toHaveLength(1);
    expect(telegram.ledger.count('deleteWebhook')).toBe(1);
  });

  it('backs off after a server error and obeys retry-after', async () => {
    const { clock, waits } = hastyClock();
    const { ada, telegram, intake, posted } = await given({ listens: false, parts: { clock } });
    telegram.plant({
      method: 'getUpdates',
      fault: { type: 'refuse', code: 500, description: 'Internal Server Error' },
    });
    ada.says(ada.chat, 'whoami');
    intake.start();
    await posted(inChat);
    expect(waits.filter((ms) => ms >= 500 && ms <= 1_000)).toHaveLength(1);
    telegram.plant({ method: 'getUpdates', fault: faults.flood(1) });
    ada.says(ada.chat, 'projects');
    await telegram.until('it waits', () => waits.includes(1_000));
    expect(await posted(inChat, 2)).toHaveLength(2);
    telegram.plant({ method: 'getUpdates', fault: faults.flood(7_200) });
    ada.says(ada.chat, 'projects');
    await telegram.until('it waits for two hours', () => waits.includes(7_200_000));
  });

  it.each(['request', 'answer', 'body'] as const)('loses nothing when the connection breaks at the %s', async (at) => {
    const { clock } = hastyClock();
    const { ada, telegram, intake, posted, settled } = await given({ listens: false, parts: { clock } });
    telegram.plant({ method: 'getUpdates', fault: { type: 'reset', at }, times: 3 });
    ada.says(ada.chat, 'whoami');
    intake.start();
    await posted(inChat);
    await settled();
    expect(await posted(inChat)).toHaveLength(1);
  });

  it('that hangs is restarted with a new client', async () => {
    const { clock, goOff } = hastyClock();
    let opened = 0;
    const telegram = await startTelegram();
    const place = { token: telegram.token, apiRoot: telegram.apiRoot };
    const openClient = () => {
      opened += 1;
      return openApi(place, 45);
    };
    const { intake, posted, log } = await given({
      telegram,
      listens: false,
      parts: { clock, openApi: openClient },
    });
    telegram.plant({ method: 'getUpdates', fault: { type: 'hang', acts: false } });
    const ada = telegram.person(1000, 'Ada');
    ada.says(ada.chat, 'whoami');
    intake.start();
    await telegram.until('it polls', () => telegram.ledger.count('getUpdates') === 1);
    goOff();
    expect(await posted(inChat)).toHaveLength(1);
    expect([opened, log.filter((line) => line.includes('made anew')).length]).toEqual([2, 1]);
  });

  it('stops at once, both during a poll and during a long wait', async () => {
    const atPoll = await given();
    await atPoll.settled();
    const begin = performance.now();
    await atPoll.intake.close();
    const inWait = await given({ listens: false });
    inWait.telegram.plant({ method: 'getUpdates', fault: faults.flood(7_200) });
    inWait.intake.start();
    await inWait.telegram.until('it waits', () => inWait.intake.health.state === 'waiting');
    await inWait.intake.close();
    expect(inWait.intake.health.state).toBe('closed');
    expect(performance.now() - begin).toBeLessThan(3_000);
  });
});

describe('the command menu', () => {
  it('is set once for private chats and once for groups while it stays the same', async () => {
    const { telegram, home, intake } = await given();
    await telegram.until('the menus', () => existsSync(join(home.dir, 'telegram-commands')));
    const keptMenus = { read: () => keptText(home, 'telegram-commands'), write: () => undefined };
    const [own, groups] = [telegram.commands('all_private_chats'), telegram.commands('all_group_chats')];
    expect(own.map((one) => one.command)).toContain('whoami');
    expect(groups.map((one) => one.command)).not.toContain('whoami');
    await intake.close();
    const again = await given({ telegram, parts: { keptMenus } });
    again.ada.says(again.ada.chat, 'whoami');
    await again.posted(inChat);
    expect(telegram.ledger.count('setMyCommands')).toBe(2);
  });

  it('waits out a rate limit without delaying messages', async () => {
    const { clock, waits } = hastyClock();
    const { telegram, intake, ada, posted } = await given({ listens: false, parts: { clock } });
    telegram.plant({ method: 'setMyCommands', fault: { type: 'refuse', code: 429, description: 'Too Many Requests' } });
    ada.says(ada.chat, 'whoami');
    intake.start();
    await posted(inChat);
    await telegram.until('the menus', () => telegram.commands('all_group_chats').length > 0);
    expect(waits).toContain(60_000);
  });
});

// Faults that a test plants, and what the ledger makes of them.
import { Api } from 'grammy';
import { describe, expect, it } from 'vitest';
import { given, hangingUp, refusalOf } from './given.js';
import { faults, HandClock, platformRates } from './index.js';

const start = 1_800_000_000_000;

describe('a planted fault', () => {
  it('of a flood wait refuses a chat until its time is over and records early calls', async () => {
    const clock = new HandClock(start);
    const { api, telegram } = await given({ clock });
    telegram.person(1001, 'Bob');
    telegram.plant({ method: 'sendMessage', fault: faults.flood(7_728) });
    expect(await refusalOf(api.sendMessage(1000, 'a'))).toBe('429: Too Many Requests: retry after 7728');
    clock.advance(7_000_000);
    const early = await api.sendChatAction(1000, 'typing').catch((error: unknown) => error);
    expect(early).toMatchObject({ error_code: 429, parameters: { retry_after: 728 } });
    await api.sendMessage(1001, 'others are not meant');
    clock.advance(728_000);
    await api.sendMessage(1000, 'b');
    expect(telegram.ledger.violations.map((one) => [one.method, one.at - start])).toEqual([
      ['sendChatAction', 7_000_000],
    ]);
    expect(telegram.sent(telegram.world.chat(1000)).map((one) => one.text)).toEqual(['b']);
  });

  it.each([
    ['badGateway', '502: Bad Gateway'],
    ['internal', '500: Internal Server Error'],
    ['blocked', '403: Forbidden: bot was blocked by the user'],
    ['chatNotFound', '400: Bad Request: chat not found'],
    ['topicClosed', '400: Bad Request: TOPIC_CLOSED'],
    ['unauthorized', '401: Unauthorized'],
  ] as const)('lets one call through and then refuses a set number: %s', async (name, words) => {
    const { api, telegram } = await given();
    telegram.plant({ method: 'sendMessage', fault: faults[name], after: 1, times: 2 });
    const came = [];
    for (const text of ['a', 'b', 'c', 'd']) came.push(await refusalOf(api.sendMessage(1000, text)));
    expect(came).toEqual(['taken', words, words, 'taken']);
  });

  it.each([
    ['request', [], /socket hang up|ECONNRESET/],
    ['answer', ['a'], /socket hang up|ECONNRESET/],
  ] as const)('resets the connection at the %s', async (at, sent, words) => {
    const { api, telegram, ada } = await given();
    telegram.plant({ method: '*', fault: { type: 'reset', at } });
    expect(await refusalOf(api.sendMessage(1000, 'a'))).toMatch(words);
    expect(telegram.sent(ada.chat).map((one) => one.text)).toEqual(sent);
    expect(telegram.ledger.calls().map((one) => one.came)).toEqual(['reset']);
    expect(await refusalOf(api.getMe())).toBe('taken');
  });

  it('cuts the response body, which the default client notices only by its own timeout', async () => {
    const { telegram, ada } = await given();
    telegram.plant({ method: 'sendMessage', fault: { type: 'reset', at: 'body' }, times: 2 });
    const own = new Api(telegram.token, { apiRoot: telegram.apiRoot, timeoutSeconds: 0.3 });
    expect(await refusalOf(own.sendMessage(1000, 'a'))).toMatch(/^network: .*timed out after 0.3 seconds/);
    const withFetch = new Api(telegram.token, { apiRoot: telegram.apiRoot, fetch: globalThis.fetch });
    expect(await refusalOf(withFetch.sendMessage(1000, 'b'))).toBe('network: terminated');
    telegram.plant({ method: 'sendMessage', fault: { type: 'reset', at: 'body of nothing' } });
    expect(await refusalOf(withFetch.sendMessage(1000, 'c'))).toBe('network: terminated');
    expect(telegram.sent(ada.chat).map((one) => one.text)).toEqual(['a', 'b']);
  });

  it('delays or withholds an answer, with or without acting', async () => {
    const clock = new HandClock(start);
    const { api, telegram, ada } = await given({ clock });
    telegram.plant({ method: 'sendMessage', fault: { type: 'slow', delayMs: 5_000 } });
    telegram.plant({ method: 'sendMessage', fault: { type: 'hang', acts: true } });
    telegram.plant({ method: 'sendMessage', fault: { type: 'hang', acts: false } });
    const asked = async (text: string, calls: number) => {
      const hungUp = hangingUp();
      const result = refusalOf(api.sendMessage(1000, text, {}, hungUp.signal));
      await telegram.until('the call', () => telegram.ledger.count('sendMessage') === calls);
      return { hungUp, result };
    };
    const slow = await asked('slow', 1);
    expect(telegram.sent(ada.chat)).toEqual([]);
    clock.advance(5_000);
    expect(await slow.result).toBe('taken');
    const acted = await asked('acted', 2);
    await telegram.until('the act', () => telegram.ledger.calls()[1]?.came === 'hang');
    const idle = await asked('idle', 3);
    for (const { hungUp, result } of [acted, idle]) {
      hungUp.abort();
      expect(await result).toBe('network: The user aborted a request.');
    }
    expect(telegram.sent(ada.chat).map((one) => one.text)).toEqual(['slow', 'acted']);
  });
});

describe("the fake Telegram's rate limits", () => {
  it('count edits and typing like messages in a chat', async () => {
    const clock = new HandClock(start);
    const { api, telegram } = await given({ clock, rates: platformRates });
    const { message_id: id } = await api.sendMessage(1000, 'a');
    expect(await refusalOf(api.editMessageText(1000, id, 'b'))).toBe('429: Too Many Requests: retry after 1');
    clock.advance(1_000);
    expect(await refusalOf(api.sendChatAction(1000, 'typing'))).toBe('taken');
    expect(await refusalOf(api.sendMessage(1000, 'c'))).toBe('429: Too Many Requests: retry after 1');
    expect(telegram.ledger.violations).toEqual([]);
  });

  it('allow a group twenty calls a minute over all of its topics', async () => {
    const clock = new HandClock(start);
    const { api, telegram, ada } = await given({ clock, rates: platformRates });
    const forum = telegram.forum(-1_001, 'Work');
    const topics = [null, telegram.topic(forum, 'a', ada).id, telegram.topic(forum, 'b', ada).id];
    for (let count = 0; count < 20; count += 1) {
      const topic = topics[count % 3] ?? null;
      await api.sendMessage(-1_001, `${count}`, topic === null ? {} : { message_thread_id: topic });
      clock.advance(1_000);
    }
    expect(await refusalOf(api.sendMessage(-1_001, 'x'))).toBe('429: Too Many Requests: retry after 40');
    expect(telegram.ledger.mostWithin(60_000, -1_001)).toBe(21);
    expect(telegram.ledger.smallestGapMs(-1_001)).toBe(1_000);
  });
});

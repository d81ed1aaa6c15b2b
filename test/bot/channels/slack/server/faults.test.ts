// Faults that a test plants, what is too fast, and what the ledger makes of both.
import { describe, expect, it } from 'vitest';
import { given, refusalOf } from './given.js';
import { faults, HandClock, slackRates } from './index.js';

const start = 1_800_000_000_000;

describe('a planted fault', () => {
  it('rate-limits a channel until its time is over and records calls that come too early', async () => {
    const clock = new HandClock(start);
    const { slack, client, general, ada } = await given({ clock });
    slack.plant({ method: 'chat.postMessage', fault: faults.ratelimited(30) });
    const post = (channel: string) => refusalOf(client.chat.postMessage({ channel, text: 'x' }));
    expect(await post(general.id)).toBe('ratelimited 30');
    clock.advance(29_000);
    expect(await post(general.id)).toBe('ratelimited 1');
    expect(await post(ada.chat.id)).toBe('taken');
    clock.advance(1_000);
    expect(await post(general.id)).toBe('taken');
    expect(slack.ledger.violations.map((one) => one.at - start)).toEqual([29_000]);
  });

  it.each([
    ['lostAnswer', 1],
    ['cutAnswer', 1],
    ['lostRequest', 0],
  ] as const)('resets the connection before or after the call takes effect: %s', async (name, posted) => {
    const { slack, client, general } = await given();
    slack.plant({ method: 'chat.postMessage', fault: faults[name] });
    expect(await refusalOf(client.chat.postMessage({ channel: general.id, text: 'x' }))).toContain('network:');
    expect(slack.sent(general)).toHaveLength(posted);
    expect(slack.ledger.calls('chat.postMessage')[0]?.came).toBe('reset');
  });

  it('lets a set number of calls through and then refuses a set number', async () => {
    const { slack, client, general } = await given();
    slack.plant({ method: 'chat.postMessage', fault: faults.refuse('channel_not_found'), after: 1, times: 2 });
    const came = [];
    for (let index = 0; index < 4; index += 1) {
      came.push(await refusalOf(client.chat.postMessage({ channel: general.id, text: 'x' })));
    }
    expect(came).toEqual(['taken', 'channel_not_found', 'channel_not_found', 'taken']);
  });

  it('delays an answer or answers with an HTTP status', async () => {
    const clock = new HandClock(start);
    const { slack, client } = await given({ clock });
    slack.plant({ method: 'auth.test', fault: faults.slow(5_000) });
    let isDone = false;
    const late = client.auth.test().then(() => {
      isDone = true;
    });
    await slack.until('the call came', () => slack.ledger.count('auth.test') === 1);
    expect(isDone).toBe(false);
    clock.advance(5_000);
    await late;
    slack.plant({ method: 'auth.test', fault: faults.status(503) });
    expect(await refusalOf(client.auth.test())).toContain('503');
  });
});

describe("the fake Slack's rate limit", () => {
  it('applies to posts per channel, with a small burst', async () => {
    const clock = new HandClock(start);
    const { slack, client, general, ada } = await given({ clock, rates: slackRates });
    const post = (channel: string) => refusalOf(client.chat.postMessage({ channel, text: 'x' }));
    expect([await post(general.id), await post(general.id), await post(general.id)]).toEqual([
      'taken',
      'taken',
      'taken',
    ]);
    expect(await post(general.id)).toBe('ratelimited 1');
    expect(await post(ada.chat.id)).toBe('taken');
    clock.advance(1_000);
    expect([await post(general.id), await post(general.id)]).toEqual(['taken', 'ratelimited 1']);
    slack.limit(null);
    slack.clearFaults();
    expect(await post(general.id)).toBe('taken');
  });

  it('applies to edits per minute', async () => {
    const clock = new HandClock(start);
    const { slack, client, general } = await given({ clock, rates: slackRates });
    const { ts = '' } = await client.chat.postMessage({ channel: general.id, text: 'x' });
    const edit = () => refusalOf(client.chat.update({ channel: general.id, ts, text: 'y' }));
    for (let index = 0; index < 50; index += 1) expect(await edit()).toBe('taken');
    expect(await edit()).toBe('ratelimited 60');
    clock.advance(60_000);
    expect(await edit()).toBe('taken');
    expect(slack.ledger.mostWithin(60_000, 'chat.update')).toBe(51);
  });
});

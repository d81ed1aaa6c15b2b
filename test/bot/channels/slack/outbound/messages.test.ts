// What people see in a channel, and the calls that it takes.
import { describe, expect, it } from 'vitest';
import { folderWithPicture } from '../../fixture/picture.js';
import { faults } from '../server/index.js';
import { type Delivered, delivered } from './given.js';

const calls = ({ slack }: Delivered) => slack.ledger.calls().map(({ method }) => method);
const long = Array.from({ length: 200 }, (_, line) => `line ${line} ${'x'.repeat(45)}`).join('\n');

describe('a message', () => {
  it('is edited in place and loses its buttons when the new view has none', async () => {
    const given = await delivered();
    const buttons = [{ label: 'Go', press: 'i2.go' }];
    given.say('sl:C01GEN', 'Ready?', { card: 'i2', interaction: 'i2', buttons });
    await given.pass(5_000);
    expect(given.shown(given.gen)[0]?.buttons).toEqual(['Go']);
    given.say('sl:C01GEN', 'done by Ada', { card: 'i2', interaction: 'i2' });
    await given.pass(5_000);
    expect(given.shown(given.gen).map((one) => [one.text, one.buttons, one.isEdited])).toEqual([
      ['done by Ada', [], true],
    ]);
    expect(calls(given)).toEqual(['chat.postMessage', 'chat.update']);
  });

  it('binds its offer buttons to its newest version after an edit', async () => {
    const given = await delivered();
    const value = () => /"value":"([^"]+)"/.exec(JSON.stringify(given.slack.sent(given.gen)[0]?.blocks))?.[1];
    const offered = { card: 'c', buttons: [{ label: 'Continue', press: '.0' }], offers: ['continue shop'] };
    const first = given.say('sl:C01GEN', 'shop: idle', offered);
    await given.pass(5_000);
    expect(value()).toBe(`${first}.0`);
    const second = given.say('sl:C01GEN', 'shop: paused', offered);
    await given.pass(5_000);
    expect(value()).toBe(`${second}.0`);
  });

  it('that is too long is posted with a file in the same thread and is found by its ts', async () => {
    const given = await delivered();
    const { message } = given.ada.says(given.gen, 'log');
    const id = given.say(`sl:C01GEN:${message.ts}`, long, { file: { name: 'out.log', text: 'all of it' } });
    await given.pass(20_000);
    const shown = given.shown(given.gen);
    expect(shown.map(({ threadTs, files }) => [threadTs, files.length])).toEqual([
      [message.ts, 0],
      [message.ts, 1],
      [message.ts, 1],
    ]);
    expect(given.slack.sent(given.gen)[2]?.files[0]?.bytes.toString()).toBe('all of it');
    expect(given.store.deliveries.messageAt('C01GEN', shown[0]?.ts ?? '')).toBe(id);
    expect(given.slack.ledger.smallestGapMs('chat.postMessage', 'C01GEN')).toBeGreaterThanOrEqual(1_000);
  });

  it('uploads its pictures below it, and leaves them there when it is edited', async () => {
    const home = folderWithPicture();
    const given = await delivered({ pictureHome: home.dir });
    given.say('sl:C01GEN', 'Review', { card: 'c', pictures: [home.picture] });
    await given.pass(20_000);
    given.say('sl:C01GEN', 'Approved', { card: 'c', pictures: [home.picture] });
    await given.pass(20_000);
    const [text, file] = given.slack.sent(given.gen);
    expect([text?.text, file?.files[0]?.bytes.toString()]).toEqual(['Approved', 'a picture']);
    expect(calls(given).filter((name) => name === 'files.delete')).toEqual([]);
  });

  it('deletes its file before it is edited to a shorter text', async () => {
    const given = await delivered();
    given.say('sl:C01GEN', long, { card: 'c' });
    await given.pass(10_000);
    given.say('sl:C01GEN', 'short', { card: 'c' });
    await given.pass(10_000);
    expect(calls(given).slice(-2)).toEqual(['files.delete', 'chat.update']);
    expect(given.texts(given.gen)[0]).toBe('short');
  });

  it('is edited even if its file cannot be deleted', async () => {
    const given = await delivered();
    given.say('sl:C01GEN', long, { card: 'c' });
    await given.pass(10_000);
    given.slack.plant({ method: 'files.delete', fault: faults.refuse('some_new_error') });
    given.say('sl:C01GEN', 'short', { card: 'c' });
    await given.pass(10_000);
    expect(given.texts(given.gen)[0]).toBe('short');
    expect(given.failed).toEqual([]);
  });

  it('with progress is throttled so that an answer is posted at once', async () => {
    const given = await delivered();
    const began = given.clock.now();
    for (let at = 0; at < 50; at += 1) {
      given.say('sl:C01GEN', `card ${at}`, { card: 'c', kind: 'progress' });
      if (at === 12) given.say('sl:C01GEN', 'answer');
      await given.pass(200);
    }
    const times = (method: string) => given.slack.ledger.calls(method).map(({ at }) => at - began);
    expect(times('chat.postMessage')).toEqual([0, 2_400]);
    expect(times('chat.update')).toEqual([5_400, 8_400]);
  });

  it('is edited within the rate limit that Slack sets for all channels together', async () => {
    const given = await delivered();
    const channels = Array.from({ length: 6 }, (_, at) => given.slack.channel(`c${at}`, [given.ada]));
    for (let second = 0; second < 180; second += 1) {
      for (const { id } of channels) given.say(`sl:${id}`, `at ${second}`, { card: id, kind: 'progress' });
      await given.pass(1_000);
    }
    expect(given.slack.ledger.mostWithin(60_000, 'chat.update')).toBeLessThanOrEqual(50);
    await given.pass(60_000);
    for (const channel of channels) expect(given.texts(channel)).toEqual(['at 179']);
  });

  it('that is new is posted without waiting for queued edits', async () => {
    const given = await delivered();
    const channels = Array.from({ length: 8 }, (_, at) => given.slack.channel(`c${at}`, [given.ada]));
    for (let second = 0; second < 40; second += 1) {
      for (const { id } of channels) given.say(`sl:${id}`, `at ${second}`, { card: id, kind: 'progress' });
      await given.pass(1_000);
    }
    expect(given.slack.ledger.mostWithin(60_000, 'chat.update')).toBe(48);
    const [first] = channels;
    for (const { id } of channels) given.say(`sl:${id}`, `last of ${id}`, { card: id });
    given.say(`sl:${first?.id}`, 'new');
    await given.pass(4_000);
    expect(first && given.texts(first)).toContain('new');
    expect(given.slack.ledger.mostWithin(60_000, 'chat.update')).toBe(48);
    await given.pass(90_000);
    for (const channel of channels) expect(given.texts(channel)[0]).toBe(`last of ${channel.id}`);
    expect(given.slack.ledger.violations).toEqual([]);
  });

  it('has no typing status, which Slack does not support', async () => {
    const given = await delivered();
    given
      .courier()
      .typing({ id: 'sl:C01GEN', channel: 'slack', address: { chat: 'C01GEN' }, project: null, quiet: false });
    await given.pass(5_000);
    expect(calls(given)).toEqual([]);
  });
});

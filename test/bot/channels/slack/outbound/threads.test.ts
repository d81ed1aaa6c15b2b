// Where messages come to stand: threads that are there, threads that Bosun opens, what one person alone sees, and people.
import { describe, expect, it } from 'vitest';
import { faults } from '../server/index.js';
import { type Delivered, delivered } from './given.js';

const places = (given: Delivered) => given.shown(given.gen).map(({ text, threadTs }) => [text, threadTs]);

describe('a thread', () => {
  it('that people started gets its messages, and the top level of the channel gets its own', async () => {
    const given = await delivered();
    const { message } = given.ada.says(given.gen, 'continue');
    given.say(`sl:C01GEN:${message.ts}`, 'in the thread');
    given.say('sl:C01GEN', 'for all');
    await given.pass(10_000);
    expect(places(given)).toEqual([
      ['in the thread', message.ts],
      ['for all', null],
    ]);
    expect(given.shown(given.gen).some(({ unfurls }) => unfurls)).toBe(false);
  });

  it.each(['r12', 'c0123456789abcdef'])(
    'that Bosun opens as %s starts with its first message and is kept across a restart',
    async (id) => {
      const given = await delivered();
      for (const text of ['one', 'two']) given.say(`sl:C01GEN:${id}`, text);
      await given.pass(10_000);
      await given.courier().close();
      given.restart();
      given.say(`sl:C01GEN:${id}`, 'three');
      await given.pass(10_000);
      const root = given.shown(given.gen)[0]?.ts;
      expect(places(given)).toEqual([
        ['one', null],
        ['two', root],
        ['three', root],
      ]);
      expect(given.store.deliveries.root(`sl:C01GEN:${id}`)).toBe(root);
    },
  );

  it('is opened after a single history lookup in a busy channel', async () => {
    const given = await delivered();
    for (let at = 0; at < 450; at += 1) given.ada.says(given.gen, `chat ${at}`);
    given.say('sl:C01GEN:r1', 'a');
    await given.pass(5_000);
    expect(given.texts(given.gen)).toEqual(['a']);
    expect(given.slack.ledger.count('conversations.history')).toBe(1);
  });

  it('is separate for each run', async () => {
    const given = await delivered();
    for (const text of ['one', 'two']) for (const run of ['r1', 'r2']) given.say(`sl:C01GEN:${run}`, `${run} ${text}`);
    await given.pass(10_000);
    const roots = new Map(given.shown(given.gen, null).map(({ ts, text }) => [text, ts]));
    expect(places(given)).toEqual([
      ['r1 one', null],
      ['r2 one', null],
      ['r1 two', roots.get('r1 one')],
      ['r2 two', roots.get('r2 one')],
    ]);
  });

  it('whose root was deleted fails its messages instead of posting them to the channel', async () => {
    const given = await delivered();
    given.say('sl:C01GEN:r12', 'one');
    await given.pass(5_000);
    for (const message of given.gen.messages.values()) message.isDeleted = true;
    const id = given.say('sl:C01GEN:r12', 'two', { rings: true });
    given.say('sl:C01GEN', 'elsewhere', { rings: true });
    await given.pass(10_000);
    expect(places(given)).toEqual([['elsewhere', null]]);
    expect(given.failed).toEqual([`${id} thread_not_found: its thread is gone or locked`]);
  });

  it('whose stored root is lost fails its messages instead of posting them to the channel', async () => {
    const given = await delivered();
    const file = { name: 'out.log', text: 'all of it' };
    given.slack.plant({ method: 'files.getUploadURLExternal', fault: faults.ratelimited(60) });
    const id = given.say('sl:C01GEN:r12', 'one', { file, rings: true });
    await given.pass(2_000);
    const rows = given.store.deliveries;
    expect(rows.root('sl:C01GEN:r12')).not.toBeNull();
    Object.assign(rows, { root: () => null });
    await given.pass(120_000);
    expect(given.shown(given.gen).map(({ text, files }) => [text, files])).toEqual([['one', []]]);
    expect(given.failed).toEqual([
      `${id} it is not known any more where its thread is, and it is not for the whole channel`,
    ]);
  });

  it.each(['goes on', 'ends, and another one takes over'])(
    'whose first post got no answer is opened once when the process %s and an urgent message overtakes it',
    async (how) => {
      const given = await delivered();
      given.slack.plant({ method: 'chat.postMessage', fault: faults.lostAnswer });
      given.say('sl:C01GEN:r12', 'started');
      await given.pass(10);
      if (how !== 'goes on') {
        await given.courier().close();
        given.restart();
      }
      given.say('sl:C01GEN:r12', 'asks', { rings: true });
      await given.pass(20_000);
      const root = given.shown(given.gen)[0]?.ts;
      expect(places(given)).toEqual([
        ['started', null],
        ['asks', root],
      ]);
      expect(given.slack.ledger.count('chat.postMessage')).toBe(2);
    },
  );

  it('of an earlier Bosun home is not reused for a run with the same name', async () => {
    const [before, after] = [await delivered(), await delivered()];
    before.say('sl:C01GEN:r1', 'before');
    await before.pass(5_000);
    const [old] = before.slack.sent(before.gen);
    if (!old) throw new Error('nothing was said');
    const { text, blocks, metadata } = old;
    const posted = { channel: after.gen, user: after.slack.bot.id, isApps: true, text, blocks };
    after.slack.world.post({ ...posted, metadata });
    await after.courier().close();
    after.restart('another');
    after.say('sl:C01GEN:r1', 'after');
    await after.pass(5_000);
    expect(places(after)).toEqual([
      ['before', null],
      ['after', null],
    ]);
  });
});

describe('an ephemeral message', () => {
  it('is shown to its person alone, and an update is posted anew only if it matters', async () => {
    const given = await delivered();
    given.say('sl:C01GEN:@U01ADA', 'shop: idle', { card: 'c' });
    await given.pass(5_000);
    given.say('sl:C01GEN:@U01ADA', 'shop: busy', { card: 'c', kind: 'progress' });
    await given.pass(5_000);
    given.say('sl:C01GEN:@U01ADA', 'shop: done', { card: 'c', rings: true });
    await given.pass(5_000);
    expect(given.shown(given.gen).map(({ text, ephemeralTo }) => [text, ephemeralTo])).toEqual([
      ['shop: idle', 'U01ADA'],
      ['shop: done', 'U01ADA'],
    ]);
    expect(given.store.deliveries.open('slack', 0, 10)).toEqual([]);
  });

  it('carries no file and points to the direct chat for the rest', async () => {
    const given = await delivered();
    given.say('sl:C01GEN:@U01ADA', 'see the file', { file: { name: 'out.log', text: 'all of it' } });
    await given.pass(5_000);
    expect(given.texts(given.gen)).toEqual([
      'see the file\nThe rest is too long to show here: ask me in a direct message.',
    ]);
    expect(given.slack.ledger.calls().map(({ method }) => method)).toEqual(['chat.postEphemeral']);
  });
});

describe('a direct message', () => {
  it('opens its conversation once, also across a restart', async () => {
    const given = await delivered();
    given.say('sl:U01ADA', 'one');
    given.say('sl:U01ADA', 'two');
    await given.pass(10_000);
    await given.courier().close();
    given.restart();
    given.say('sl:U01ADA', 'three');
    await given.pass(10_000);
    expect(given.texts(given.ada.chat)).toEqual(['one', 'two', 'three']);
    expect(given.slack.ledger.count('conversations.open')).toBe(1);
  });

  it.each([
    ['user_disabled', 'the person has left the workspace'],
    ['cannot_dm_bot', 'it is an app, and apps get no messages of other apps'],
  ])('refused with %s is reported as a failure', async (error, why) => {
    const given = await delivered();
    given.slack.plant({ method: 'conversations.open', fault: faults.refuse(error) });
    const id = given.say('sl:U01ADA', 'one', { rings: true });
    await given.pass(10_000);
    expect(given.failed).toEqual([`${id} ${error}: ${why}`]);
  });
});

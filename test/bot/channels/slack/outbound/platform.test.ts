// What the platform and the network do to messages, and what people see in the end.
import { describe, expect, it } from 'vitest';
import { type Fault, faults } from '../server/index.js';
import { type Delivered, delivered } from './given.js';

const open = ({ store }: Delivered) => store.deliveries.open('slack', 0, 100);
const mark = '(perhaps a repeat)';

describe('a rate-limit response', () => {
  it.each([3, 45, 7_200])(
    'of %i seconds pauses its channel for exactly that time while other channels continue',
    async (seconds) => {
      const given = await delivered();
      const { slack, clock } = given;
      const other = slack.channel('other', [given.ada]);
      slack.plant({ method: 'chat.postMessage', channel: 'C01GEN', fault: faults.ratelimited(seconds) });
      const began = clock.now();
      given.say('sl:C01GEN', 'a');
      given.say(`sl:${other.id}`, 'b');
      await given.pass(seconds * 1_000 - 1);
      expect([given.texts(given.gen), given.texts(other)]).toEqual([[], ['b']]);
      await given.pass(1_000);
      expect(given.texts(given.gen)).toEqual(['a']);
      expect(slack.ledger.calls('chat.postMessage', 'C01GEN').at(-1)?.at).toBe(began + seconds * 1_000);
      expect(slack.ledger.violations).toEqual([]);
    },
  );

  it('to an edit pauses the edits of all channels, because Slack limits them together', async () => {
    const given = await delivered();
    const others = [given.slack.channel('one', [given.ada]), given.slack.channel('two', [given.ada])];
    const all = [given.gen, ...others];
    for (const { id } of all) given.say(`sl:${id}`, 'a', { card: id });
    await given.pass(5_000);
    given.slack.plant({ method: 'chat.update', fault: faults.ratelimited(30) });
    for (const { id } of all) given.say(`sl:${id}`, 'b', { card: id });
    await given.pass(1_000);
    for (const { id } of all) given.say(`sl:${id}`, 'new');
    await given.pass(8_000);
    // What is posted goes on meanwhile.
    for (const channel of all) expect(given.texts(channel)).toEqual(['a', 'new']);
    given.restart();
    await given.pass(20_000);
    expect(given.slack.ledger.count('chat.update')).toBe(1);
    await given.pass(5_000);
    for (const channel of all) expect(given.texts(channel)).toEqual(['b', 'new']);
    expect(given.slack.ledger.violations).toEqual([]);
  });
});

const lostSay: readonly (readonly [what: string, fault: Fault])[] = [
  ['is refused by a gateway', faults.status(502)],
  ['is answered with internal_error', faults.refuse('internal_error')],
  ['is reset before anything happened', faults.lostRequest],
  ['is reset before its answer', faults.lostAnswer],
  ['is reset in the middle of its answer', faults.cutAnswer],
  ['is reset in the middle of an answer to nothing', { type: 'reset', at: 'body of nothing' }],
  ['hangs, and was heard', { type: 'hang', acts: true }],
  ['hangs, and was not heard', { type: 'hang', acts: false }],
];

describe('a call with an unknown outcome', () => {
  it.each(lostSay)('that %s is looked up, and its message appears once', async (_what, fault) => {
    const given = await delivered();
    const { message } = given.ada.says(given.gen, 'continue');
    for (const thread of ['sl:C01GEN', `sl:C01GEN:${message.ts}`, 'sl:C01GEN:r1', 'sl:U01ADA']) {
      given.slack.plant({ method: 'chat.postMessage', fault });
      given.say(thread, `in ${thread}`);
      await given.pass(200_000);
    }
    const [top, inThread, opened] = given.shown(given.gen).map(({ text, threadTs }) => [text, threadTs]);
    expect(top).toEqual(['in sl:C01GEN', null]);
    expect(inThread).toEqual([`in sl:C01GEN:${message.ts}`, message.ts]);
    expect(opened).toEqual(['in sl:C01GEN:r1', null]);
    expect(given.shown(given.gen)).toHaveLength(3);
    expect(given.texts(given.ada.chat)).toEqual(['in sl:U01ADA']);
    expect(given.store.deliveries.root('sl:C01GEN:r1')).toBe(given.shown(given.gen)[2]?.ts);
    expect([open(given), given.failed, given.errors]).toEqual([[], [], []]);
  });

  it('is repeated with a note when the bot may not look it up', async () => {
    const given = await delivered({ scopes: ['chat:write'] });
    given.slack.plant({ method: 'chat.postMessage', fault: faults.lostAnswer });
    given.say('sl:C01GEN', 'a');
    await given.pass(20_000);
    expect(given.texts(given.gen)).toEqual(['a', `a\n${mark}`]);
  });

  it('is found among many messages and not confused with the post of another app', async () => {
    const given = await delivered();
    const { message } = given.ada.says(given.gen, 'continue');
    const thread = `sl:C01GEN:${message.ts}`;
    for (let at = 0; at < 450; at += 1) given.ada.says(given.gen, `chat ${at}`, { thread: message });
    given.slack.plant({ method: 'chat.postMessage', fault: faults.lostAnswer });
    given.say(thread, 'a');
    await given.pass(20_000);
    expect(given.texts(given.gen)).toEqual(['a']);
    expect(given.slack.ledger.count('conversations.replies')).toBe(3);
    const foreign = { ...given.slack.sent(given.gen)[0]?.metadata, event_type: 'bosun_message' };
    const payload = { m: 'm2', h: 'home', t: thread, mark: 'x' };
    given.slack.world.post({
      ...{ channel: given.gen, user: given.ada.id, text: 'mine', threadTs: message.ts },
      metadata: { ...foreign, event_payload: payload },
    });
    given.slack.plant({ method: 'chat.postMessage', fault: faults.lostRequest });
    given.say(thread, 'b');
    await given.pass(20_000);
    expect(given.texts(given.gen)).toEqual(['a', 'b']);
    expect(given.slack.ledger.count('chat.update')).toBe(0);
  });

  it('shows the newest text in the message that arrived', async () => {
    const given = await delivered();
    given.slack.plant({ method: 'chat.postMessage', fault: faults.lostAnswer });
    given.say('sl:C01GEN', 'old', { card: 'c' });
    await given.pass(10);
    given.say('sl:C01GEN', 'new', { card: 'c' });
    await given.pass(20_000);
    expect(given.texts(given.gen)).toEqual(['new']);
    expect(given.slack.ledger.count('chat.postMessage')).toBe(1);
  });

  it('is simply repeated when it is an edit', async () => {
    const given = await delivered();
    given.say('sl:C01GEN', 'a', { card: 'c' });
    await given.pass(5_000);
    given.slack.plant({ method: 'chat.update', fault: faults.cutAnswer, times: 3 });
    given.say('sl:C01GEN', 'b', { card: 'c' });
    await given.pass(60_000);
    expect(given.texts(given.gen)).toEqual(['b']);
  });

  it.each(['files.getUploadURLExternal', 'files.completeUploadExternal'])(
    'during a file upload at %s shows the file once',
    async (method) => {
      for (const fault of [faults.lostAnswer, faults.lostRequest, faults.cutAnswer]) {
        const given = await delivered();
        given.slack.plant({ method, fault });
        given.say('sl:C01GEN:r1', 'see the file', { file: { name: 'a.log', text: 'x' } });
        await given.pass(30_000);
        expect(given.shown(given.gen).map(({ text, files }) => [text, files])).toEqual([
          ['see the file', []],
          ['', ['a.log']],
        ]);
        expect(open(given)).toEqual([]);
      }
    },
  );

  it('sends an empty file with one line break, because Slack rejects files without content', async () => {
    const given = await delivered();
    given.say('sl:C01GEN', 'see the file', { file: { name: 'empty.log', text: '' } });
    await given.pass(10_000);
    expect(given.shown(given.gen).map(({ text, files }) => [text, files])).toEqual([
      ['see the file', []],
      ['', ['empty.log']],
    ]);
    expect(open(given)).toEqual([]);
  });

  it('during a file upload marks the repeat when it may not be looked up', async () => {
    const given = await delivered({ scopes: ['chat:write', 'files:write'] });
    given.slack.plant({ method: 'files.completeUploadExternal', fault: faults.lostAnswer });
    given.say('sl:C01GEN', 'see the file', { file: { name: 'a.log', text: 'x' } });
    await given.pass(30_000);
    expect(given.shown(given.gen).map(({ text, files }) => [text, files])).toEqual([
      ['see the file', []],
      ['', ['a.log']],
      [mark, ['a.log']],
    ]);
  });

  it('uploads the file again when Slack no longer has it', async () => {
    const given = await delivered();
    given.slack.plant({ method: 'files.completeUploadExternal', fault: faults.refuse('file_not_found') });
    given.say('sl:C01GEN', 'see the file', { file: { name: 'a.log', text: 'x' } });
    await given.pass(30_000);
    expect(given.shown(given.gen).map(({ files }) => files)).toEqual([[], ['a.log']]);
    expect(given.slack.ledger.count('files.getUploadURLExternal')).toBe(2);
  });
});

describe('an edit', () => {
  it.each(['message_not_found', 'cant_update_message', 'edit_window_closed'])(
    'that is refused with %s is posted anew if it matters and dropped if it is progress',
    async (error) => {
      const given = await delivered();
      given.say('sl:C01GEN:r1', 'question', { card: 'q', interaction: 'i1', rings: true });
      given.say('sl:C01GEN:r1', 'working', { card: 'p', kind: 'progress' });
      await given.pass(10_000);
      given.slack.plant({ method: 'chat.update', fault: faults.refuse(error), times: 2 });
      given.say('sl:C01GEN:r1', 'answered', { card: 'q', interaction: 'i1' });
      given.say('sl:C01GEN:r1', 'still working', { card: 'p', kind: 'progress' });
      await given.pass(20_000);
      expect(given.texts(given.gen)).toEqual(['question', 'working', 'answered']);
      expect(
        given
          .shown(given.gen)
          .slice(1)
          .every(({ threadTs }) => threadTs !== null),
      ).toBe(true);
      expect(open(given)).toEqual([]);
    },
  );
});

describe('blocks that Slack rejects', () => {
  it('are replaced by plain text, in posts and in edits', async () => {
    const given = await delivered();
    given.slack.plant({ method: 'chat.postMessage', fault: faults.refuse('invalid_blocks') });
    given.say('sl:C01GEN', 'a <b> & c\nd', { card: 'c' });
    await given.pass(10_000);
    expect(given.shown(given.gen).map(({ text }) => text)).toEqual(['a <b> & c\nd']);
    expect(given.slack.sent(given.gen)[0]?.blocks).toEqual([]);
    given.slack.plant({ method: 'chat.update', fault: faults.refuse('msg_blocks_too_long') });
    given.say('sl:C01GEN', 'ü€'.repeat(1_700), { card: 'c' });
    await given.pass(10_000);
    const [shown] = given.slack.sent(given.gen);
    expect(Buffer.byteLength(shown?.text ?? '')).toBeGreaterThan(3_000);
    expect(Buffer.byteLength(shown?.text ?? '')).toBeLessThanOrEqual(3_510);
    expect(shown?.blocks).toEqual([]);
    expect(given.failed).toEqual([]);
  });

  it('fail after one plain-text retry', async () => {
    const given = await delivered();
    given.slack.plant({ method: 'chat.postMessage', fault: faults.refuse('invalid_blocks'), times: 100 });
    given.say('sl:C01GEN', 'a');
    await given.pass(60_000);
    expect([given.failed.length, given.slack.ledger.count('chat.postMessage')]).toEqual([1, 2]);
  });
});

describe('an unreachable channel', () => {
  it('fails its final message, drops progress and delays no other channel', async () => {
    const given = await delivered();
    const other = given.slack.channel('other', [given.ada]);
    given.ada.removes(given.gen);
    given.say('sl:C01GEN', 'working', { card: 'p', kind: 'progress' });
    const final = given.say('sl:C01GEN', 'done', { rings: true });
    given.say(`sl:${other.id}`, 'hello');
    await given.pass(20_000);
    expect(given.failed).toEqual([`${final} not_in_channel: invite me there: /invite @bosun`]);
    expect(given.texts(other)).toEqual(['hello']);
  });
});

describe('a bot whose token is rejected', () => {
  it.each(['invalid_auth', 'token_revoked', 'account_inactive'] as const)(
    'with %s keeps its messages until the token works again, and reports the problem',
    async (standing) => {
      const given = await delivered();
      given.slack.tokens.standing = standing;
      for (const text of ['one', 'two']) given.say('sl:C01GEN', text, { rings: true });
      await given.pass(600_000);
      expect(given.courier().problem).toContain(standing);
      given.slack.tokens.standing = 'fine';
      await given.pass(120_000);
      expect([given.texts(given.gen), given.failed, given.courier().problem]).toEqual([['one', 'two'], [], null]);
    },
  );
});

// What the platform and the network do to messages, and what people see in the end.

import { describe, expect, it } from 'vitest';
import { placedThread } from '../../../../open-store.js';
import { type Fault, faults } from '../server/index.js';
import { type Delivered, delivered } from './given.js';

const hourMs = 3_600_000;
const open = ({ store }: Delivered) => store.deliveries.open('telegram', 0, 100);
const problems = ({ store }: Delivered) =>
  store.deliveries.failed(10).map(({ message, problem }) => [message.id, problem]);

function refusing(code: number, description: string): Fault {
  return { type: 'refuse', code, description };
}

describe('a rate-limit response', () => {
  it.each([3, 45, 7_728])(
    'of %i seconds pauses its chat for exactly that time, including typing and reactions',
    async (seconds) => {
      const given = await delivered();
      const { telegram, clock } = given;
      telegram.person(7, 'Ada');
      telegram.person(8, 'Bob');
      telegram.plant({ method: 'sendMessage', chat: 7, fault: faults.flood(seconds) });
      const began = clock.now();
      given.say('tg:7', 'a');
      given.say('tg:8', 'b');
      await given.pass(100);
      const thread = placedThread('tg:7');
      for (let part = 0; part < 10; part += 1) {
        if (thread) given.courier().typing(thread);
        expect(await given.courier().aside('7', async () => ({ kind: 'unchanged' }))).toBe(false);
        await given.pass((seconds * 1_000 - 100) / 10 - 1);
      }
      expect(given.texts(8)).toEqual(['b']);
      expect(telegram.ledger.calls(undefined, 7)).toHaveLength(1);
      await given.pass(1_000);
      expect(given.texts(7)).toEqual(['a']);
      expect(telegram.ledger.calls('sendMessage', 7).at(-1)?.at).toBe(began + seconds * 1_000);
      expect(telegram.ledger.violations).toEqual([]);
    },
  );

  it('is obeyed across a restart', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.telegram.plant({ method: 'sendMessage', fault: faults.flood(7_200) });
    given.say('tg:7', 'a', { rings: true });
    await given.pass(1_000);
    await given.courier().close();
    given.restart();
    given.say('tg:7', 'b', { rings: true });
    await given.pass(3 * hourMs);
    expect(given.texts(7)).toEqual(['a', 'b']);
    expect(given.telegram.ledger.violations).toEqual([]);
  });

  it('from three chats within seconds pauses all chats', async () => {
    const given = await delivered();
    for (let chat = 1; chat <= 20; chat += 1) given.telegram.person(chat, `P${chat}`);
    given.telegram.plant({ method: 'sendMessage', fault: { type: 'flood', retryAfterS: 60, scope: 'bot' } });
    for (let chat = 1; chat <= 20; chat += 1) given.say(`tg:${chat}`, `hello ${chat}`);
    await given.pass(59_000);
    expect(given.telegram.ledger.calls()).toHaveLength(3);
    await given.pass(60_000);
    for (let chat = 1; chat <= 20; chat += 1) expect(given.texts(chat)).toEqual([`hello ${chat}`]);
  });
});

describe('a call with an unknown outcome', () => {
  const mark = 'a\n(perhaps a repeat)';
  it.each<readonly [what: string, fault: Fault, shown: readonly string[]]>([
    ['is refused by a gateway', faults.badGateway, [mark]],
    ['fails inside the platform', faults.internal, [mark]],
    ['is reset before anything happened', { type: 'reset', at: 'request' }, [mark]],
    ['is reset before its answer', { type: 'reset', at: 'answer' }, ['a', mark]],
    ['is reset in the middle of its answer', { type: 'reset', at: 'body' }, ['a', mark]],
    ['is reset in the middle of an answer to nothing', { type: 'reset', at: 'body of nothing' }, [mark]],
    ['hangs, and was heard', { type: 'hang', acts: true }, ['a', mark]],
    ['hangs, and was not heard', { type: 'hang', acts: false }, [mark]],
  ])('that %s is repeated once with a note', async (_what, fault, shown) => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.telegram.plant({ method: 'sendMessage', fault });
    given.say('tg:7', 'a');
    await given.pass(200_000);
    expect(given.texts(7)).toEqual(shown);
    expect([open(given), problems(given)]).toEqual([[], []]);
  });

  it('is simply repeated when it is an edit', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.say('tg:7', 'a', { card: 'c' });
    await given.pass(5_000);
    given.telegram.plant({ method: 'editMessageText', fault: { type: 'reset', at: 'body' }, times: 3 });
    given.say('tg:7', 'b', { card: 'c' });
    await given.pass(60_000);
    expect(given.texts(7)).toEqual(['b']);
  });

  it('needs no note when the connection was never made', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    const { apiRoot } = given.telegram;
    expect(apiRoot).toContain('127.0.0.1');
    await given.telegram.stop();
    given.say('tg:7', 'a');
    await given.pass(5_000);
    expect(given.telegram.ledger.calls()).toEqual([]);
    expect(open(given)).toMatchObject([{ wasUnderWay: false }]);
  });

  it('is given up while other chats work, so that it blocks none of them', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.telegram.person(8, 'Bob');
    given.telegram.plant({ method: 'sendMessage', chat: 7, fault: faults.internal, times: 1_000 });
    const bad = given.say('tg:7', 'poison', { rings: true });
    for (let minute = 0; minute < 120; minute += 1) {
      given.say('tg:8', `m${minute}`);
      if (minute === 5) given.telegram.plant({ method: 'sendMessage', chat: 7, fault: faults.internal, times: 1_000 });
      await given.pass(60_000);
    }
    expect(problems(given)).toEqual([[bad, 'given up after many tries: Internal Server Error']]);
    expect(given.failed).toHaveLength(1);
  });

  it('is retried for hours while no call gets through', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.telegram.plant({ method: '*', fault: faults.badGateway, times: 300 });
    given.say('tg:7', 'a', { rings: true });
    await given.pass(6 * hourMs);
    expect(given.texts(7)).toEqual(['a\n(perhaps a repeat)']);
  });
});

describe('an edit', () => {
  it('of a deleted message is posted anew if it matters and dropped if it is progress', async () => {
    const given = await delivered();
    const ada = given.telegram.person(7, 'Ada');
    given.say('tg:7', 'question', { card: 'q', interaction: 'i1', rings: true });
    given.say('tg:7', 'working', { card: 'p', kind: 'progress' });
    await given.pass(5_000);
    for (const message of ada.chat.messages.values()) message.isDeleted = true;
    given.say('tg:7', 'answered', { card: 'q', interaction: 'i1' });
    given.say('tg:7', 'still working', { card: 'p', kind: 'progress' });
    await given.pass(20_000);
    expect(given.texts(7)).toEqual(['answered']);
    expect(open(given)).toEqual([]);
  });

  it.each([
    ["Bad Request: message can't be edited", ['a', 'b']],
    ['Bad Request: message is not modified: specified new message content', ['a']],
  ])('that is refused with "%s" leaves the chat showing %j', async (words, shown) => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.say('tg:7', 'a', { card: 'c' });
    await given.pass(5_000);
    given.telegram.plant({ method: 'editMessageText', fault: refusing(400, words) });
    given.say('tg:7', 'b', { card: 'c' });
    await given.pass(20_000);
    expect(given.texts(7)).toEqual(shown);
    expect([open(given), problems(given)]).toEqual([[], []]);
  });

  it('of an answered question overtakes progress', async () => {
    const given = await delivered();
    given.telegram.group(-5, 'Team');
    given.say('tg:-5', 'question', { card: 'q', interaction: 'i1', rings: true });
    await given.pass(3_000);
    given.say('tg:-5', 'x');
    for (const run of ['p1', 'p2', 'p3']) given.say('tg:-5', run, { card: run, kind: 'progress' });
    given.say('tg:-5', 'answered', { card: 'q', interaction: 'i1', kind: 'progress' });
    await given.pass(60_000);
    expect(given.telegram.ledger.calls().map(({ values }) => values['text'])).toEqual(
      ['question', 'x', 'answered', 'p1', 'p2', 'p3'].map((text) => expect.stringContaining(text)),
    );
  });
});

describe('markup that Telegram rejects', () => {
  it('is resent as plain text in its turn', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    const words = "Bad Request: can't parse entities: Unsupported start tag";
    given.telegram.plant({ method: 'sendMessage', fault: refusing(400, words) });
    given.say('tg:7', 'a <b> & c\nd');
    given.say('tg:7', 'next');
    await given.pass(20_000);
    expect(given.texts(7)).toEqual(['a <b> & c\nd', 'next']);
    expect(given.telegram.ledger.smallestGapMs(7)).toBeGreaterThanOrEqual(1_000);
  });

  it('is resent without moments to a server that knows none, and from then on has none', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    const words = `Bad Request: can't parse entities: Unsupported start tag "tg-time" at byte offset 8`;
    given.telegram.plant({ method: 'sendMessage', fault: refusing(400, words) });
    const times = [{ text: '12:40', at: 1_795_178_400_000, hasDate: false }];
    for (const text of ['Done\nby Ada, 12:40', 'Next\nby Bob, 12:40'])
      given.say('tg:7', text, { kind: 'report', times });
    await given.pass(20_000);
    const sent = given.telegram.ledger.calls('sendMessage').map(({ values }) => values['text']);
    expect(sent).toEqual([
      '<b>Done</b>\nby Ada, <tg-time unix="1795178400" format="t">12:40</tg-time>',
      '<b>Done</b>\nby Ada, 12:40',
      '<b>Next</b>\nby Bob, 12:40',
    ]);
  });

  it('fails after one plain-text retry', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    const words = "Bad Request: can't parse entities: whatever";
    given.telegram.plant({ method: 'sendMessage', fault: refusing(400, words), times: 100 });
    given.say('tg:7', 'a');
    await given.pass(60_000);
    expect([given.failed.length, given.telegram.ledger.count('sendMessage')]).toEqual([1, 2]);
  });
});

describe('an unreachable chat', () => {
  it('fails its messages, reports all but progress and delays no other chat', async () => {
    const given = await delivered();
    const ada = given.telegram.person(7, 'Ada');
    given.telegram.person(8, 'Bob');
    ada.blocks();
    const first = given.say('tg:7', 'working', { card: 'p', kind: 'progress' });
    const final = given.say('tg:7', 'done', { rings: true });
    given.say('tg:8', 'hello');
    await given.pass(20_000);
    const why = 'Forbidden: bot was blocked by the user';
    expect(given.failed).toEqual([`${final} ${why}`]);
    expect(problems(given)).toEqual([
      [final, why],
      [first, why],
    ]);
    expect(given.texts(8)).toEqual(['hello']);
  });

  it('gets no progress for a while, and gets it again once the chat is back', async () => {
    const given = await delivered();
    const ada = given.telegram.person(7, 'Ada');
    ada.blocks();
    for (let step = 0; step < 20; step += 1) {
      given.say('tg:7', `step ${step}`, { card: 'p', kind: 'progress' });
      await given.pass(5_000);
    }
    expect(given.telegram.ledger.calls()).toHaveLength(1);
    ada.unblocks();
    given.courier().alive('7');
    given.say('tg:7', 'step 20', { card: 'p', kind: 'progress' });
    await given.pass(5_000);
    expect(given.texts(7)).toEqual(['step 20']);
  });

  it('reports one failure for a card whose text changed while it was refused', async () => {
    const given = await delivered();
    const ada = given.telegram.person(7, 'Ada');
    ada.blocks();
    given.say('tg:7', 'question', { card: 'q', interaction: 'i', rings: true });
    const newest = given.say('tg:7', 'answered', { card: 'q', interaction: 'i' });
    await given.pass(20_000);
    expect(problems(given).map(([id]) => id)).toEqual([newest]);
    expect(given.failed).toHaveLength(1);
  });

  it.each(['closed', 'gone'])('can be a single topic that is %s while other topics work', async (how) => {
    const given = await delivered();
    const ada = given.telegram.person(7, 'Ada');
    const forum = given.telegram.forum(-100, 'Work');
    const [shop, blog] = [given.telegram.topic(forum, 'shop', ada), given.telegram.topic(forum, 'blog', ada)];
    if (how === 'closed') shop.isClosed = true;
    else forum.topics.delete(shop.id);
    given.say(`tg:-100:${shop.id}`, 'lost', { rings: true });
    given.say(`tg:-100:${blog.id}`, 'found', { card: 'p', kind: 'progress' });
    await given.pass(20_000);
    expect(given.telegram.sent(forum).map(({ text }) => text)).toEqual(['found']);
    expect(given.failed).toHaveLength(1);
  });

  it.each([
    ['kicked', 'Forbidden: bot was kicked from the group chat'],
    ['left', 'Forbidden: bot is not a member of the group chat'],
  ] as const)('can be a group where the bot has the status "%s"', async (standing, why) => {
    const given = await delivered();
    given.telegram.group(-5, 'Team', standing);
    const id = given.say('tg:-5', 'a', { rings: true });
    await given.pass(5_000);
    expect(problems(given)).toEqual([[id, why]]);
  });

  it('can be one that never existed', async () => {
    const given = await delivered();
    const id = given.say('tg:99', 'a', { rings: true });
    await given.pass(5_000);
    expect(problems(given)).toEqual([[id, 'Bad Request: chat not found']]);
  });

  it('is not assumed when the token is rejected: everything waits', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.telegram.plant({ method: '*', fault: faults.unauthorized, times: 5 });
    given.say('tg:7', 'a', { rings: true });
    await given.pass(120_000);
    expect([given.texts(7), given.failed]).toEqual([['a'], []]);
  });

  it.each([
    ['401', faults.unauthorized],
    ['404', refusing(404, 'Not Found')],
  ])('is not assumed while the bot is refused with %s, and nothing is given up', async (code, fault) => {
    const given = await delivered();
    for (const chat of [7, 8, 9]) given.telegram.person(chat, `P${chat}`);
    given.telegram.plant({ method: '*', fault, times: 150 });
    for (const chat of [7, 8, 9]) given.say(`tg:${chat}`, 'a', { rings: true });
    await given.pass(2 * hourMs);
    expect(given.courier().problem).toContain(code);
    // One asks for all, once a minute.
    expect(given.telegram.ledger.calls().length).toBeLessThan(130);
    await given.pass(hourMs);
    for (const chat of [7, 8, 9]) expect(given.texts(chat)).toEqual(['a']);
    expect([given.failed, given.courier().problem]).toEqual([[], null]);
  });

  it('is not assumed when a server lacks one method', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.telegram.plant({ method: 'sendChatAction', fault: refusing(404, 'Not Found: method not found') });
    const thread = placedThread('tg:7');
    if (thread) given.courier().typing(thread);
    await given.pass(100);
    expect(given.courier().problem).toBeNull();
  });
});

describe('a group with a new id', () => {
  it('gets all waiting messages under that id, now and after a restart', async () => {
    const given = await delivered();
    const group = given.telegram.group(-5, 'Team');
    for (const text of ['x', 'y']) given.say('tg:-5', text);
    // Its number is that of another message in the new chat.
    given.say('tg:-5', 'before', { card: 'c' });
    await given.pass(30_000);
    const moved = given.telegram.migrate(group, -1_005);
    given.say('tg:-5', 'after', { card: 'c' });
    given.say('tg:-5', 'one', { rings: true });
    given.say('tg:-5', 'two', { rings: true });
    await given.pass(60_000);
    expect(given.telegram.sent(moved).map(({ text }) => text)).toEqual(['one', 'two', 'after']);
    await given.courier().close();
    given.restart();
    given.say('tg:-5', 'three');
    await given.pass(10_000);
    expect(given.telegram.sent(moved).map(({ text }) => text)).toEqual(['one', 'two', 'after', 'three']);
    expect(given.telegram.ledger.calls(undefined, -5)).toHaveLength(4);
    expect([given.failed, open(given)]).toEqual([[], []]);
  });
});

describe('a file', () => {
  it('that is refused fails its message, and the text before it stays', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.telegram.plant({ method: 'sendDocument', fault: refusing(413, 'Request Entity Too Large') });
    given.say('tg:7', 'see the file', { file: { name: 'a.log', text: 'x' } });
    await given.pass(20_000);
    expect([given.texts(7), given.failed.length]).toEqual([['see the file'], 1]);
  });
});

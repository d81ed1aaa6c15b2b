import { describe, expect, it } from 'vitest';
import { HandClock } from '../../fixture/clock.js';
import { startTelegram } from '../server/index.js';
import { given, usualConfig } from './given.js';

const inChat = 'tg:1000';

describe('a member on Telegram', () => {
  it('gets an answer, and a reaction on a message while it is being acted on', async () => {
    const { ada, posted, seen, done, telegram } = await given();
    ada.says(ada.chat, 'projects');
    const { message } = ada.says(ada.chat, '/start shop: add a login');
    const [projects, proposal] = await posted(inChat, 2);
    expect(projects).toContain('shop (A): idle');
    expect(proposal).toContain('add a login');
    expect(seen).toEqual([[inChat, message.id]]);
    await telegram.until('the sign is gone', () => done.length > 0);
    expect(done).toEqual(seen);
  });

  it('sees the reaction as long as the message waits, and none is removed that was never shown', async () => {
    const shows = [true, false];
    const signs: (string | null)[] = [];
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const react = (_thread: string, _message: number, sign: string | null) => {
      signs.push(sign);
      return Promise.resolve(sign === null || shows.shift());
    };
    const { ada, telegram, posted, settled } = await given({
      parts: { react },
      door: (door) => ({ ...door, handle: (row) => opened.then(() => door.handle(row)) }),
    });
    ada.says(ada.chat, 'shop: add a login');
    ada.says(ada.chat, 'blog: write a post');
    await telegram.until('both are seen', () => signs.length === 2);
    open();
    await posted(inChat, 2);
    await settled();
    await telegram.until('one is taken away', () => signs.length === 3);
    expect(signs).toEqual(['👀', '👀', null]);
  });

  it('is greeted, with the projects and three things to write, when opening the chat', async () => {
    const { ada, posted, runtime } = await given();
    ada.says(ada.chat, '/start');
    const [greeting] = await posted(inChat);
    expect(greeting).toMatch(/^Hi Ada\. I run coding agents on your projects/);
    expect(greeting).toContain('blog: idle');
    expect(greeting).toContain('shop: fix the login page\ncontinue shop\nwhat needs me');
    const [menu] = runtime.store.messages(inChat, null, 1);
    expect(menu?.view.offers).toEqual(['status shop', 'status blog', 'help']);
  });

  it('gets a thread row that stores the address of the chat', async () => {
    const { ada, posted, runtime } = await given();
    ada.says(ada.chat, 'use shop');
    await posted(inChat);
    expect(runtime.store.thread(inChat)).toEqual({
      id: inChat,
      channel: 'telegram',
      address: { chat: '1000' },
      project: 'shop',
      quiet: false,
    });
  });

  it('addresses the run of a card by replying to it', async () => {
    const { ada, posted, telegram, shown, runtime, settled } = await given();
    ada.says(ada.chat, 'blog: write a post');
    await posted(inChat);
    const [card] = runtime.store.messages(inChat, null, 1);
    const sent = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
    shown.set(`${inChat}/${sent.id}`, card?.id ?? '');
    ada.says(ada.chat, 'why', { replyTo: sent });
    await settled();
    expect((await posted(inChat, 2))[1]).toContain('blog');
  });

  it.each([
    ['abort', 'I no longer know that message'],
    ['status', 'I no longer know that message'],
    ['use tabs please', 'I no longer know that message'],
    ['status blog', 'blog'],
    ['whoami', 'You are Ada'],
  ])('who replies "%s" to an unknown message never addresses another run', async (text, answer) => {
    const { ada, posted, telegram, seen, runtime } = await given();
    ada.says(ada.chat, 'use shop');
    ada.says(ada.chat, 'shop: add a login');
    await posted(inChat, 2);
    const sent = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'an old card' });
    const before = (await posted(inChat)).length;
    ada.says(ada.chat, text, { replyTo: sent });
    expect((await posted(inChat, before + 1)).at(-1)?.startsWith(answer)).toBe(true);
    expect([seen.length, runtime.store.drafts('shop').length]).toEqual([2, 1]);
  });

  it('replies to no card when only the first message of the topic is referenced', async () => {
    const { ada, telegram, settled, runtime } = await given();
    const forum = telegram.forum(-100_500, 'Forum');
    const from = { id: telegram.bot.id, is_bot: true, first_name: 'Bosun' };
    telegram.updates.push('message', {
      message_id: 9_000,
      from: ada.user,
      chat: { id: forum.id, type: 'supergroup' },
      date: Math.floor(Date.now() / 1000),
      message_thread_id: 77,
      is_topic_message: true,
      reply_to_message: { message_id: 77, from },
      text: '/status@bosun_test_bot',
    });
    await settled();
    expect(runtime.store.messages('tg:-100500:77', null, 9).map(({ view }) => view.text)).toEqual([
      expect.stringMatching(/^Idle: /),
    ]);
  });

  it('gets no answer to a sticker', async () => {
    const { ada, telegram, settled, runtime } = await given();
    telegram.updates.push('message', {
      message_id: 9_000,
      from: ada.user,
      chat: { id: 1000, type: 'private' },
      date: Math.floor(Date.now() / 1000),
      sticker: { file_id: 'x' },
    });
    await settled();
    expect(runtime.store.messages(inChat, null, 10)).toEqual([]);
    const about = { from: ada.user, chat: { id: 1000, type: 'private' }, date: Math.floor(Date.now() / 1000) };
    telegram.updates.push('message', { ...about, message_id: 9_001, animation: { file_id: 'x' }, caption: 'whoami' });
    await settled();
    const said = runtime.store.messages(inChat, null, 10).map(({ view }) => view.text);
    expect(said).toEqual([expect.stringContaining('You are Ada')]);
  });

  it('is asked to write when sending a voice message', async () => {
    const { ada, telegram, posted } = await given();
    telegram.updates.push('message', {
      message_id: 9_001,
      from: ada.user,
      chat: { id: 1000, type: 'private' },
      date: Math.floor(Date.now() / 1000),
      voice: { file_id: 'x', file_unique_id: 'y' },
    });
    expect(await posted(inChat)).toEqual(["I can't follow voice messages. Please write."]);
  });

  it('cannot make Bosun act by forwarding a message', async () => {
    const { ada, telegram, posted, seen } = await given();
    const bob = telegram.person(1001, 'Bob');
    const said = telegram.world.post({ chat: bob.chat, topic: null, from: bob.user, text: 'shop: delete everything' });
    ada.forwards(said, ada.chat);
    expect(await posted(inChat)).toEqual(["I don't act on forwarded messages. Write it yourself."]);
    expect(seen).toEqual([]);
  });

  it('may send twenty messages a minute, is refused once, and then ignored', async () => {
    const { ada, posted, settled, runtime } = await given();
    for (let number = 0; number < 30; number += 1) ada.says(ada.chat, 'whoami');
    await settled();
    const said = await posted(inChat, 21);
    expect(said).toHaveLength(21);
    expect(said.filter((one) => one.startsWith('You are Ada'))).toHaveLength(20);
    expect(said[20]).toMatch(/^Too fast: .* Write again in a minute; "stop" always works\.$/);
    expect(runtime.store.isKnown('telegram', 'm:7000000001:1000:30')).toBe(true);
  });

  it('bypasses the rate limit with stop messages and with presses that deny or abort', async () => {
    const { ada, telegram, posted, settled, runtime } = await given();
    for (let number = 0; number < 25; number += 1) ada.says(ada.chat, 'whoami');
    await settled();
    const before = (await posted(inChat, 21)).length;
    ada.says(ada.chat, 'pause shop');
    ada.says(ada.chat, '/stop all');
    ada.says(ada.chat, 'abort shop');
    await settled();
    expect((await posted(inChat)).slice(before)).toEqual([
      expect.stringContaining('shop has no run'),
      'Nothing is running.',
    ]);
    const sent = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
    const presses = ['i1-1.start', 'i1-1.deny', 'i1-1.abort'].map((data) => ada.pressesData(sent, data).press);
    await settled();
    expect(presses.map(({ answer }) => answer?.text)).toEqual([
      'Too fast: nothing was done. Press again in a minute.',
      'There is nothing to answer.',
      'There is nothing to answer.',
    ]);
    expect(runtime.store.messages(inChat, null, 99)).toHaveLength(before + 2);
  });

  it('gets the same refusal when a rate-limited press repeats, and nothing is done', async () => {
    const { ada, telegram, settled, runtime, posted } = await given();
    ada.says(ada.chat, 'shop: add a login');
    await posted(inChat);
    const start = runtime.store.messages(inChat, null, 1)[0]?.view.buttons[0]?.press ?? '';
    for (let number = 0; number < 25; number += 1) ada.says(ada.chat, 'whoami');
    await settled();
    const sent = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
    const { press, update } = ada.pressesData(sent, start);
    await settled();
    expect(runtime.store.isKnown('telegram', `p:${press.id}`)).toBe(true);
    const answers = () => telegram.ledger.count('answerCallbackQuery');
    expect([press.answer?.text, answers()]).toEqual([expect.stringMatching(/^Too fast: nothing was done/), 1]);
    const again = update?.['callback_query'] as Record<string, unknown>;
    if (update) telegram.updates.replay([update]);
    telegram.updates.push('callback_query', again);
    await telegram.until('the same is said', () => answers() === 3);
    const texts = telegram.ledger.calls('answerCallbackQuery').map(({ values }) => values['text']);
    expect(new Set(texts).size).toBe(1);
    await settled();
    expect(runtime.store.liveRuns('shop')).toEqual([]);
  });

  it('can do what the role allows and is refused the rest', async () => {
    const { telegram, posted } = await given();
    const vic = telegram.person(1002, 'Vic');
    vic.says(vic.chat, 'shop: add a login');
    vic.says(vic.chat, 'status');
    const [refused, status] = await posted('tg:1002', 2);
    expect(refused).toContain("You're a viewer in shop; ");
    expect(status).toContain('shop: idle');
  });
});

describe('an edited message', () => {
  it('that was answered before changes nothing and says so', async () => {
    const { ada, posted, settled, runtime } = await given();
    const { message } = ada.says(ada.chat, 'shop: add a login');
    await posted(inChat);
    ada.edits(message, 'blog: write a post');
    const said = await posted(inChat, 2);
    await settled();
    expect(said[1]).toBe("I don't act on edited messages. Send it again as a new one.");
    expect(runtime.store.drafts('blog')).toEqual([]);
  });

  it('is handled when it soon corrects an unclear one', async () => {
    const { ada, posted } = await given();
    const { message } = ada.says(ada.chat, 'hwoami please thx');
    expect((await posted(inChat))[0]).toContain('I did nothing');
    ada.edits(message, 'whoami');
    expect((await posted(inChat, 2))[1]).toContain('You are Ada');
  });

  it('is answered in place of the first answer, so that no button of that one stays', async () => {
    const { ada, posted, runtime } = await given();
    const { message } = ada.says(ada.chat, 'statsu shop');
    await posted(inChat);
    const [first] = runtime.store.messages(inChat, null, 5);
    expect(first?.view.buttons).toMatchObject([{ label: 'status shop' }]);
    ada.edits(message, 'status shop');
    await posted(inChat, 2);
    const [, second, ...others] = runtime.store.messages(inChat, null, 5);
    expect([second?.edits, second?.card, others]).toEqual([first?.id, first?.card, []]);
    expect(second?.view.text).toContain('shop: idle');
  });

  it('that is answered by a card settles the first answer', async () => {
    const { ada, posted, runtime } = await given();
    const { message } = ada.says(ada.chat, 'statsu shop');
    await posted(inChat);
    ada.edits(message, 'shop: add a login');
    await posted(inChat, 3);
    const [first, ...later] = runtime.store.messages(inChat, null, 5);
    expect(later.find(({ edits }) => edits === first?.id)?.view).toMatchObject({
      text: 'Answered your edited message instead.',
      buttons: [],
      offers: [],
    });
    expect(later.map(({ card }) => card)).toContain('i1-1');
  });

  it('with unchanged text is ignored', async () => {
    const { ada, posted, settled } = await given();
    const { message } = ada.says(ada.chat, 'whoami');
    await posted(inChat);
    ada.edits(message, 'whoami');
    await settled();
    expect(await posted(inChat)).toHaveLength(1);
  });
});

describe('a Telegram button press', () => {
  it('is answered at once and does what its button says', async () => {
    const { ada, telegram, posted, runtime } = await given();
    ada.says(ada.chat, 'shop: add a login');
    await posted(inChat);
    const [card] = runtime.store.messages(inChat, null, 1);
    const start = card?.view.buttons[0];
    const sent = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
    const { press } = ada.pressesData(sent, start?.press ?? '');
    await telegram.until('the answer', () => press.answer !== null);
    expect(press.answer?.text).toBe(`${start?.label}…`);
    await telegram.until('the run starts', () => runtime.store.liveRuns('shop').length === 1);
  });

  it('is refused with a reason when the role does not allow it, and does nothing', async () => {
    const { ada, telegram, posted, runtime, settled } = await given();
    ada.says(ada.chat, 'shop: add a login');
    await posted(inChat);
    const [card] = runtime.store.messages(inChat, null, 1);
    const vic = telegram.person(1002, 'Vic');
    const sent = telegram.world.post({ chat: vic.chat, topic: null, from: telegram.bot, text: 'card' });
    const { press } = vic.pressesData(sent, card?.view.buttons[0]?.press ?? '');
    await telegram.until('the answer', () => press.answer !== null);
    await settled();
    expect(press.answer?.text).toMatch(/^You're a viewer in shop; /);
    expect(runtime.store.liveRuns('shop')).toEqual([]);
  });

  it.each([
    ['a stranger', 5000, 'i1-1.start', "I don't know you yet."],
    ['somebody without a role', 1001, 'i1-1.start', 'There is nothing to answer.'],
    ['anybody, with words that were never a button', 1000, '../x y', 'I no longer understand that button.'],
    ['anybody, of a message that is gone', 1000, 'm99.0', 'I no longer know that button.'],
  ])('by %s is refused with the reason', async (_who, id, data, says) => {
    const { telegram } = await given();
    const person = telegram.person(id, 'Somebody');
    const sent = telegram.world.post({ chat: person.chat, topic: null, from: telegram.bot, text: 'card' });
    const { press } = person.pressesData(sent, data);
    await telegram.until('the answer', () => press.answer !== null);
    expect(press.answer?.text).toBe(says);
  });

  it('is answered before it is stored, and acts once it can be stored', async () => {
    let fails = 1;
    const { ada, telegram, posted } = await given({
      door: (door) => ({
        ...door,
        note(said) {
          if (said.body.type === 'press') fails -= 1;
          if (fails >= 0 && said.body.type === 'press') throw new Error('no space left');
          return door.note(said);
        },
      }),
    });
    ada.says(ada.chat, 'projects');
    await posted(inChat);
    const sent = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
    const { press } = ada.pressesData(sent, 'm1.0');
    await telegram.until('the answer', () => press.answer !== null);
    expect((await posted(inChat, 2))[1]).toContain('shop: idle');
  });

  it('says why it was refused in a message if it is too old for a toast', async () => {
    const clock = new HandClock(1_750_000_000_000);
    const ears = await given({ telegram: await startTelegram({ clock }), listens: false });
    const { ada, telegram, intake, posted, settled } = ears;
    const sent = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
    const { update } = ada.pressesData(sent, 'm99.0');
    clock.advance(20_000);
    intake.start();
    expect(await posted(inChat)).toEqual(['I no longer know that button.']);
    if (update) telegram.updates.replay([update]);
    await settled();
    expect(await posted(inChat)).toHaveLength(1);
  });

  it('gives its toast again when a refused press arrives again', async () => {
    const toasts: string[] = [];
    const { ada, telegram, settled, runtime } = await given({
      parts: { answerPress: async (_press, text) => void toasts.push(text) },
    });
    const sent = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
    const { update } = ada.pressesData(sent, 'm99.0');
    await settled();
    if (update) telegram.updates.replay([update]);
    await settled();
    const text = 'I no longer know that button.';
    await expect.poll(() => toasts).toEqual([text, text]);
    expect(runtime.store.messages(inChat, null, 10)).toEqual([]);
  });

  it('is handled once however often it repeats', async () => {
    const { ada, telegram, posted, settled } = await given();
    ada.says(ada.chat, 'projects');
    await posted(inChat);
    const sent = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
    const { update } = ada.pressesData(sent, 'm1.0');
    await posted(inChat, 2);
    if (update) telegram.updates.replay([update, update]);
    await settled();
    expect(await posted(inChat)).toHaveLength(2);
  });
});

describe('in a group', () => {
  it('only a mention, a command or a reply to the bot is handled', async () => {
    const { ada, telegram, settled, runtime } = await given();
    const group = telegram.group(-4_000, 'Team', 'administrator');
    const hers = ada.says(group, 'status shop').message;
    ada.says(group, 'approve', { replyTo: hers });
    ada.says(group, '/status@other_bot shop');
    ada.says(group, '@bosun_test_bot_2 status shop');
    await settled();
    expect(runtime.store.messages('tg:-4000', null, 10)).toEqual([]);
    ada.says(group, '@Bosun_Test_Bot status shop');
    ada.says(group, '/why@bosun_test_bot shop');
    const sent = telegram.world.post({ chat: group, topic: null, from: telegram.bot, text: 'card' });
    ada.says(group, 'steps shop', { replyTo: sent });
    await settled();
    const said = runtime.store.messages('tg:-4000', null, 10).map(({ view }) => view.text.split(/[.:]/)[0]);
    expect(said).toEqual(['shop', 'shop has no run', 'shop has no run']);
  });

  it("a whole sentence is handled in a project's own chat, and talk between people is not", async () => {
    const { ada, telegram, settled, runtime } = await given({ config: withChats([{ telegram: -4_000 }]) });
    const group = telegram.group(-4_000, 'Team', 'administrator');
    const bob = telegram.person(1001, 'Bob');
    const hers = ada.says(group, 'shall we have lunch?').message;
    for (const text of ['ok', 'no', 'yes', 'well, stop it maybe']) bob.says(group, text);
    bob.says(group, 'status', { replyTo: hers });
    ada.says(group, 'status');
    await settled();
    expect(runtime.store.messages('tg:-4000', null, 10).map(({ view }) => view.text.split(':')[0])).toEqual(['shop']);
  });

  it('a stranger is never answered', async () => {
    const { telegram, settled, runtime } = await given({ config: withChats([{ telegram: -4_000 }]) });
    const group = telegram.group(-4_000, 'Team', 'administrator');
    const eve = telegram.person(6_000, 'Eve');
    eve.says(group, '/status shop');
    eve.says(group, '@bosun_test_bot stop');
    const sent = telegram.world.post({ chat: group, topic: null, from: telegram.bot, text: 'card' });
    const { press } = eve.pressesData(sent, 'i1-1.start');
    await settled();
    await telegram.until('the press is answered', () => press.answer !== null);
    expect(runtime.store.messages('tg:-4000', null, 10)).toEqual([]);
    expect(runtime.store.runs(null, 9, null)).toEqual([]);
  });

  it('an anonymous administrator is refused once', async () => {
    const { ada, telegram, settled, runtime } = await given({ config: withChats([{ telegram: -4_000 }]) });
    const group = telegram.group(-4_000, 'Team', 'administrator');
    ada.saysForTheGroup(group, '/stop shop');
    ada.saysForTheGroup(group, '/stop shop');
    await settled();
    const said = runtime.store.messages('tg:-4000', null, 10).map(({ view }) => view.text);
    expect(said).toEqual([expect.stringContaining('anonymous administrators')]);
    const news = telegram.channel(-1_009, 'News');
    ada.posts(news, '/stop shop');
    telegram.updates.push('message', {
      message_id: 9_000,
      from: { id: 777_000, is_bot: false, first_name: 'Telegram' },
      sender_chat: { id: -1_009, type: 'channel' },
      chat: { id: -4_000, type: 'supergroup' },
      date: Math.floor(Date.now() / 1000),
      text: '/stop shop',
    });
    await settled();
    expect(runtime.store.messages('tg:-1009', null, 10)).toEqual([]);
    expect(runtime.store.messages('tg:-4000', null, 10)).toHaveLength(1);
  });

  it('each topic has its own thread, while General and reply chains belong to the chat', async () => {
    const { ada, telegram, settled, runtime } = await given();
    const forum = telegram.forum(-100_500, 'Forum');
    const topic = telegram.topic(forum, 'Shop', ada);
    ada.says(forum, '/use shop', { topic: topic.id });
    ada.says(forum, '/use blog');
    ada.says(forum, '/status', { topic: topic.id });
    ada.says(forum, '/status');
    telegram.updates.push('message', {
      message_id: 9_000,
      from: ada.user,
      chat: { id: -100_500, type: 'supergroup' },
      date: Math.floor(Date.now() / 1000),
      message_thread_id: topic.id,
      text: '/whoami',
    });
    await settled();
    expect(runtime.store.messages('tg:-100500', null, 10).at(-1)?.view.text).toContain('You are Ada');
    ada.says(forum, '/status');
    await settled();
    const lastIn = (thread: string) => runtime.store.messages(thread, null, 10).at(-1)?.view.text.split(':')[0];
    expect([lastIn(`tg:-100500:${topic.id}`), lastIn('tg:-100500')]).toEqual(['shop', 'blog']);
    expect(runtime.store.thread(`tg:-100500:${topic.id}`)?.address).toEqual({ chat: '-100500', topic: `${topic.id}` });
  });

  it('the project of a topic takes precedence over that of the chat', async () => {
    const config = (folder: string) => {
      const usual = usualConfig(folder);
      const { shop, blog } = usual.projects;
      return {
        ...usual,
        projects: {
          shop: { ...shop, chats: [{ telegram: -100_500 }] },
          blog: { ...blog, chats: [{ telegram: -100_500, topic: 2 }] },
        },
      };
    };
    const { ada, telegram, settled, runtime } = await given({ config });
    const forum = telegram.forum(-100_500, 'Forum');
    const topic = telegram.topic(forum, 'Blog', ada);
    expect(topic.id).toBe(2);
    ada.says(forum, 'status', { topic: 2 });
    ada.says(forum, 'status');
    await settled();
    const lastIn = (thread: string) => runtime.store.messages(thread, null, 10).at(-1)?.view.text.split(':')[0];
    expect([lastIn('tg:-100500:2'), lastIn('tg:-100500')]).toEqual(['blog', 'shop']);
  });

  it('a group that becomes a supergroup keeps its settings, and the owners learn which id to configure', async () => {
    const { ada, telegram, settled, runtime, posted } = await given({ config: withChats([{ telegram: -4_000 }]) });
    const group = telegram.group(-4_000, 'Team', 'administrator');
    ada.says(group, '/quiet');
    await settled();
    telegram.migrate(group, -100_777);
    await settled();
    expect(runtime.store.thread('tg:-100777')).toMatchObject({ quiet: true, address: { chat: '-100777' } });
    for (const thread of ['local', inChat]) {
      expect((await posted(thread)).at(-1)).toContain('replace telegram: -4000 with telegram: -100777');
    }
  });

  it('a member who adds the bot learns the id of the chat, and a stranger does not', async () => {
    const { ada, telegram, settled, runtime, posted } = await given();
    const [hers, theirs] = [telegram.group(-4_001, 'Hers', 'left'), telegram.group(-4_002, 'Theirs', 'left')];
    telegram.seat(theirs, 'member', telegram.person(6_000, 'Eve'));
    telegram.seat(hers, 'member', ada);
    expect((await posted('tg:-4001'))[0]).toContain('chats: [{ telegram: -4001 }]');
    await settled();
    expect(runtime.store.messages('tg:-4002', null, 10)).toEqual([]);
  });

  it('a member who blocks the bot is reported on the host', async () => {
    const { ada, posted } = await given();
    ada.blocks();
    expect(await posted('local')).toEqual(['ada blocked the bot: no message reaches that chat.']);
  });
});

function withChats(chats: readonly object[]) {
  return (folder: string) => {
    const usual = usualConfig(folder);
    return { ...usual, projects: { ...usual.projects, shop: { ...usual.projects.shop, chats } } };
  };
}

// What people see in a chat, and the calls that it takes.
import { describe, expect, it } from 'vitest';
import { folderWithPicture } from '../../fixture/picture.js';
import { delivered } from './given.js';

const long = (parts: number) =>
  Array.from({ length: parts * 60 }, (_, index) => `line ${index} ${'x'.repeat(45)}`).join('\n');

const calls = (given: Awaited<ReturnType<typeof delivered>>) =>
  given.telegram.ledger.calls().map(({ method }) => method);

describe('a message', () => {
  it('arrives silently unless it rings', async () => {
    const given = await delivered();
    const ada = given.telegram.person(7, 'Ada');
    given.say('tg:7', 'started');
    given.say('tg:7', 'done', { rings: true });
    await given.pass(10_000);
    expect(given.telegram.screen(ada.chat).map(({ text, rang }) => [text, rang])).toEqual([
      ['started', false],
      ['done', true],
    ]);
  });

  it('is found by a reply to any of its parts, and by no other id', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    const id = given.say('tg:7', long(2), { file: { name: 'a.log', text: 'log' } });
    await given.pass(10_000);
    const shown = given.telegram.sent(given.telegram.world.chat(7));
    expect(shown.length).toBe(3);
    for (const one of shown) expect(given.store.deliveries.messageAt('7', String(one.id))).toBe(id);
    expect(given.store.deliveries.messageAt('8', String(shown[0]?.id))).toBeNull();
    expect(given.store.deliveries.messageAt('7', '999')).toBeNull();
  });

  it('shows its pictures below it, leaves them there when it is edited, and says which are gone', async () => {
    const home = folderWithPicture();
    const given = await delivered({ pictureHome: home.dir });
    given.telegram.person(7, 'Ada');
    const pictures = [home.picture, { name: 'shots/b.gif', file: home.picture.file.replace('png', 'gif') }];
    given.say('tg:7', 'Review', { card: 'c', pictures });
    await given.pass(20_000);
    given.say('tg:7', 'Approved', { card: 'c', pictures });
    await given.pass(20_000);
    expect(calls(given)).toEqual(['sendMessage', 'sendPhoto', 'sendDocument', 'editMessageText']);
    const shown = given.telegram.sent(given.telegram.world.chat(7));
    expect(shown.map(({ text, file }) => [text, file?.name, file?.bytes.toString('latin1')])).toEqual([
      ['Approved', undefined, undefined],
      ['', 'a.png', 'a picture'],
      ['', 'b.gif.txt', 'shots/b.gif is no longer kept.\n'],
    ]);
  });

  it('sends a picture that is no photo for Telegram as a file', async () => {
    const home = folderWithPicture();
    const given = await delivered({ pictureHome: home.dir });
    given.telegram.person(7, 'Ada');
    const description = 'Bad Request: PHOTO_INVALID_DIMENSIONS';
    given.telegram.plant({ method: 'sendPhoto', fault: { type: 'refuse', code: 400, description } });
    given.say('tg:7', 'Review', { pictures: [home.picture] });
    await given.pass(10_000);
    expect(calls(given)).toEqual(['sendMessage', 'sendPhoto', 'sendDocument']);
  });

  it('is a reply to the message that it names', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    const card = given.say('tg:7', 'card');
    given.say('tg:7', 'its diff', { repliesTo: card });
    await given.pass(10_000);
    const [first, second] = given.telegram.sent(given.telegram.world.chat(7));
    expect([first?.replyTo, second?.replyTo]).toEqual([null, first?.id]);
  });

  it('links to a page, and comes without the link if Telegram refuses the address', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    const link = { label: 'Page', url: 'https://bosun.example.org/runs/r1' };
    given.say('tg:7', 'with a link', { link });
    await given.pass(5_000);
    const description = "Bad Request: inline keyboard button URL 'http://localhost/runs/r1' is invalid: Wrong HTTP URL";
    given.telegram.plant({ method: 'sendMessage', fault: { type: 'refuse', code: 400, description } });
    given.say('tg:7', 'without', { link: { ...link, url: 'http://localhost/runs/r1' } });
    await given.pass(10_000);
    const shown = given.telegram.sent(given.telegram.world.chat(7));
    expect(shown.map(({ text, buttons }) => [text, buttons.flat()])).toEqual([
      ['with a link', [{ text: 'Page ↗', url: link.url }]],
      ['without', []],
    ]);
  });

  it('with several parts and files keeps the pace of its chat', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.say('tg:7', long(3), { file: { name: 'a.log', text: 'log' } });
    await given.pass(20_000);
    expect(calls(given)).toEqual(['sendMessage', 'sendMessage', 'sendMessage', 'sendDocument']);
    expect(given.telegram.ledger.smallestGapMs(7)).toBeGreaterThanOrEqual(1_000);
  });

  it('does not resend its first part when its second part fails', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.telegram.plant({ method: 'sendMessage', fault: { type: 'reset', at: 'request' }, after: 1, times: 2 });
    given.say('tg:7', long(2));
    await given.pass(60_000);
    const [first, second, ...rest] = given.texts(7);
    expect([first?.startsWith('line 0'), second?.endsWith('(perhaps a repeat)'), rest]).toEqual([true, true, []]);
    expect(first).not.toContain('perhaps');
  });

  it('grows and shrinks in place', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.say('tg:7', 'short', { card: 'c' });
    await given.pass(5_000);
    given.say('tg:7', long(2), { card: 'c', buttons: [{ label: 'Go', press: 'm1.0' }] });
    await given.pass(5_000);
    const grown = given.telegram.screen(given.telegram.world.chat(7));
    expect(grown.map(({ buttons, isEdited }) => [buttons.flat(), isEdited])).toEqual([
      [[], true],
      [['Go'], false],
    ]);
    given.say('tg:7', 'short again', { card: 'c' });
    await given.pass(5_000);
    expect(given.texts(7)).toEqual(['short again']);
    expect(calls(given)).toEqual(['sendMessage', 'editMessageText', 'sendMessage', 'deleteMessage', 'editMessageText']);
  });

  it('that asks for text opens a reply, and an edit without buttons removes them', async () => {
    const given = await delivered();
    const ada = given.telegram.person(7, 'Ada');
    given.say('tg:7', 'What is wrong?', { card: 'text:i1:reject:5' });
    given.say('tg:7', 'Ready?', { card: 'i2', interaction: 'i2', buttons: [{ label: 'Go', press: 'i2.go' }] });
    await given.pass(5_000);
    expect(ada.chat.messages.get(1)?.forcesReply).toBe(true);
    given.say('tg:7', '✅ by Ada', { card: 'i2', interaction: 'i2' });
    await given.pass(5_000);
    expect(given.telegram.screen(ada.chat).map(({ text, buttons }) => [text, buttons.flat()])).toEqual([
      ['What is wrong?', []],
      ['✅ by Ada', []],
    ]);
  });

  it('binds its offer buttons to its newest version after an edit', async () => {
    const given = await delivered();
    const ada = given.telegram.person(7, 'Ada');
    const press = () => given.telegram.sent(ada.chat)[0]?.buttons[0]?.[0]?.callback_data;
    const offered = { card: 'c', buttons: [{ label: 'Continue', press: '.0' }], offers: ['continue shop'] };
    const first = given.say('tg:7', 'shop: idle', offered);
    await given.pass(5_000);
    expect(press()).toBe(`${first}.0`);
    const second = given.say('tg:7', 'shop: paused', offered);
    await given.pass(5_000);
    expect(press()).toBe(`${second}.0`);
  });

  it('goes to its topic, with General as the chat itself', async () => {
    const given = await delivered();
    const ada = given.telegram.person(7, 'Ada');
    const forum = given.telegram.forum(-100, 'Work');
    const topic = given.telegram.topic(forum, 'shop', ada);
    given.say(`tg:-100:${topic.id}`, 'in the topic');
    given.say('tg:-100:1', 'in General');
    await given.pass(10_000);
    expect(given.telegram.sent(forum).map((one) => [one.text, one.topic])).toEqual([
      ['in the topic', topic.id],
      ['in General', null],
    ]);
    expect(given.telegram.ledger.smallestGapMs(-100)).toBeGreaterThanOrEqual(3_000);
  });

  it('that already shows its text is not edited, also after a superseded edit', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.say('tg:7', 'one', { card: 'c', kind: 'progress' });
    await given.pass(5_000);
    given.say('tg:7', 'two', { card: 'c', kind: 'progress' });
    given.say('tg:7', 'one', { card: 'c', kind: 'progress' });
    await given.pass(5_000);
    // The first edit goes at once; the last is what people see.
    expect(given.texts(7)).toEqual(['one']);
    given.say('tg:7', 'x', { card: 'other' });
    given.say('tg:7', 'two', { card: 'c', kind: 'progress' });
    given.say('tg:7', 'one', { card: 'c', kind: 'progress' });
    const before = given.telegram.ledger.calls().length;
    await given.pass(5_000);
    expect(calls(given).slice(before)).toEqual(['sendMessage']);
    expect(given.store.deliveries.open('telegram', 0, 10)).toEqual([]);
  });

  it('is edited again after a lost edit, even back to the text shown before', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    given.say('tg:7', 'one', { card: 'c' });
    await given.pass(5_000);
    given.telegram.plant({ method: 'editMessageText', fault: { type: 'reset', at: 'answer' } });
    given.say('tg:7', 'two', { card: 'c' });
    await given.pass(200);
    given.say('tg:7', 'one', { card: 'c' });
    await given.pass(10_000);
    expect(given.texts(7)).toEqual(['one']);
  });

  it('with progress is throttled so that an answer is sent at once', async () => {
    const given = await delivered();
    given.telegram.person(7, 'Ada');
    const began = given.clock.now();
    for (let at = 0; at < 50; at += 1) {
      given.say('tg:7', `card ${at}`, { card: 'c', kind: 'progress' });
      if (at === 12) given.say('tg:7', 'answer');
      await given.pass(200);
    }
    const times = (text: string) =>
      given.telegram.ledger
        .calls()
        .filter(({ values }) => String(values['text']).includes(text))
        .map(({ at }) => at - began);
    expect(times('answer')).toEqual([2_400]);
    expect(times('card')).toEqual([0, 4_900, 7_400, 9_900]);
  });
});

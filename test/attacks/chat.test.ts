// What nobody says who uses a phone: updates and presses made by hand, through the real grammY and Bolt intakes.
import { describe, expect, it } from 'vitest';
import { given as givenSlack, reviewed } from '../bot/channels/slack/inbound/given.js';
import { given, usualConfig } from '../bot/channels/telegram/inbound/given.js';

const zeroWidth = '\u200b';
const rightToLeft = '\u202e';

/** Words that look like commands, and words that break what reads them. */
const lookAlikes: readonly string[] = [
  '\u0430bort shop',
  'st\u043ep all',
  `st${zeroWidth}op shop`,
  `a${zeroWidth}pprove`,
  `${rightToLeft}pohs trats`,
  'approve\u0000 i1-1',
  '\uff53\uff54\uff4f\uff50 \uff53\uff48\uff4f\uff50',
  '/start@another_bot shop: do it',
  `${'shop '.repeat(9_800)}: do it`,
  '\u{1f4a5}'.repeat(2_000),
  '`start shop: do it`',
  'please do not abort shop',
];

function withOlga(folder: string) {
  const { projects, people, ...rest } = usualConfig(folder);
  const shop = { ...projects.shop, members: { ...projects.shop.members, olga: 'owner' } };
  return { ...rest, projects: { ...projects, shop }, people: { ...people, olga: { telegram: 1003 } } };
}

describe('on Telegram', () => {
  it('look-alike letters, invisible characters, other bots, channels and forged presses do nothing', async () => {
    const { ada, telegram, runtime, settled, posted } = await given({ config: withOlga });
    ada.says(ada.chat, 'shop: add a login');
    await posted('tg:1000');
    const before = [runtime.store.run('r1'), runtime.store.events('r1', 0, 100).length];
    const olga = telegram.person(1003, 'Olga');
    for (const text of lookAlikes) olga.says(olga.chat, text);
    const named = telegram.person(7_000, 'Ada Owner');
    named.says(named.chat, 'abort shop');
    const about = { chat: { id: 1000, type: 'private' }, date: Math.floor(Date.now() / 1000), text: 'abort shop' };
    const owner = { id: 1000, is_bot: false, first_name: 'Ada' };
    const pushed: readonly (readonly [string, Record<string, unknown>])[] = [
      ['message', { ...about, message_id: 901, from: owner, via_bot: { id: 5, is_bot: true, first_name: 'x' } }],
      ['message', { ...about, message_id: 902, from: { ...owner, is_bot: true } }],
      ['message', { ...about, message_id: 903, from: owner, sender_chat: { id: -100_9, type: 'channel' } }],
      ['message', { ...about, message_id: 904 }],
      ['channel_post', { ...about, message_id: 905, chat: { id: -100_9, type: 'channel' }, from: owner }],
      ['message', { ...about, message_id: 906, chat: { id: -100_9, type: 'channel' }, from: owner }],
      ['business_message', { ...about, message_id: 907, from: owner }],
      ['inline_query', { id: '1', from: owner, query: 'abort shop', offset: '' }],
    ];
    for (const [type, content] of pushed) telegram.updates.push(type, content);
    const sent = telegram.world.post({ chat: ada.chat, topic: null, from: telegram.bot, text: 'card' });
    const made = ['', '.', '__proto__', '__proto__.start', 'constructor.0', 'i1-1.__proto__', 'i1-1.toString', 'i1-1.'];
    const forged = [...made, 'i01-1.start', 'i1-1.start.start', 'm1.-1', 'm1.999999999999', 'm1.0x0', '../../etc'];
    const presses = forged.map((data) => ada.pressesData(sent, data).press);
    // A card of another person's private chat, pressed by its text from one's own.
    presses.push(telegram.person(1002, 'Vic').pressesData(sent, 'i1-1.start').press);
    await settled();
    await telegram.until('each press is answered', () => presses.every(({ answer }) => answer !== null));
    expect([runtime.store.run('r1'), runtime.store.events('r1', 0, 100).length]).toEqual(before);
    expect(runtime.store.runs(null, 9, null)).toHaveLength(1);
    expect(runtime.store.interaction('i1-1')?.interaction.state).toBe('open');
    // The same person is heard when the words are those of a command.
    olga.says(olga.chat, 'shop: cancel');
    await settled();
    expect(runtime.store.run('r1')).not.toEqual(before[0]);
  });
});

describe('on Slack', () => {
  it('look-alike letters and forged presses do nothing', async () => {
    const { ada, bob, slack, shown, general, root, runtime, settled } = await reviewed();
    const before = runtime.store.events('r1', 0, 100).length;
    for (const text of lookAlikes) bob.says(general, text, { thread: root });
    const vic = slack.person('U04VIC', 'Vic');
    const eve = slack.person('U09EVE', 'Eve');
    general.members.add(eve.id);
    const approve = ada.button(shown, 'Approve');
    const values = [
      '__proto__.approve',
      'i1-2.__proto__',
      'i1-2.constructor',
      'constructor',
      '',
      'i1-2.approve.x',
      'm1.-1',
    ];
    for (const value of values) ada.pressesButton(shown, { ...approve, json: { ...approve.json, value } });
    for (const one of [vic, eve]) one.pressesButton(shown, approve);
    await settled();
    expect(runtime.store.interaction('i1-2')?.interaction.state).toBe('open');
    expect(runtime.store.events('r1', 0, 100)).toHaveLength(before);
    expect(runtime.store.runs(null, 9, null)).toHaveLength(1);
    ada.presses(shown, 'Approve');
    await settled();
    expect(runtime.store.interaction('i1-2')?.interaction.state).not.toBe('open');
  });

  it('a request with an empty or wrong secret or signature is refused', async () => {
    const { slack, ada, textsIn } = await givenSlack({ wanted: { mode: 'http' } });
    const event = {
      type: 'message',
      channel: ada.chat.id,
      channel_type: 'im',
      user: ada.id,
      text: 'status',
      ts: '1.1',
    };
    const payload = { type: 'event_callback', team_id: slack.team.id, event_id: 'Ev1', event };
    const forgeries = [
      { sent: { ...payload, event: { ...event, text: 'stop shop' } } },
      { secret: '' },
      { secret: 'guessed' },
      { signature: '' },
      { signature: 'v0=' },
      { signature: 'v1=00' },
    ];
    for (const forgery of forgeries)
      expect([forgery, (await slack.forge(payload, forgery)).status]).toEqual([forgery, 401]);
    expect(textsIn(`sl:${ada.chat.id}`)).toEqual([]);
  });
});

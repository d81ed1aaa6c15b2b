import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Delivery, Slack } from '../server/index.js';
import { given, reviewed, usualConfig } from './given.js';

describe('a member who writes in the chat with the bot', () => {
  it('is answered there, and a sign is put where something will be done, and taken back when it is', async () => {
    const { ada, posted, seen, unseen, settled } = await given();
    ada.says(ada.chat, 'projects');
    const { message } = ada.says(ada.chat, 'start shop: add a login');
    const [projects, proposal] = await posted(`sl:${ada.chat.id}`, 2);
    expect(projects).toContain('shop (A): idle');
    expect(proposal).toContain('add a login');
    await settled();
    expect([seen, unseen]).toEqual([[[`sl:${ada.chat.id}`, message.ts]], [[`sl:${ada.chat.id}`, message.ts]]]);
  });

  it('has a file saved for the project that the words name, and another one of the same message beside it', async () => {
    const { ada, posted, slack, folder } = await given();
    const files = ['plan.txt', 'more.txt'].map((name) => slack.world.addFile(name, ada.id, Buffer.from(name)));
    ada.says(ada.chat, 'shop', { files });
    const texts = await posted(`sl:${ada.chat.id}`, 2);
    expect(texts.at(-1)).toContain('more.txt');
    const saved = readdirSync(join(folder, 'shop/.ai/inbox')).map((name) => name.replace(/^[\d-]+/, ''));
    expect(saved.sort()).toEqual(['more.txt', 'plan.txt']);
  });

  it('is told that the right to read files is missing, and not given the page that asks for a password', async () => {
    const { ada, posted, slack } = await given();
    slack.tokens.scopes.delete('files:read');
    ada.uploads(ada.chat, 'plan.txt', Buffer.from('x'), { text: 'shop' });
    expect((await posted(`sl:${ada.chat.id}`))[0]).toContain('files:read');
  });

  it('has no file fetched from anywhere but Slack', async () => {
    const { ada, posted, slack } = await given();
    const file = { id: 'F1', name: 'plan.txt', size: 3, url_private_download: 'http://127.0.0.1:9/secret' };
    const message = {
      type: 'message',
      channel: ada.chat.id,
      channel_type: 'im',
      user: ada.id,
      ts: slack.world.nextTs(),
    };
    slack.tell({ ...message, subtype: 'file_share', text: 'shop', files: [file] });
    expect((await posted(`sl:${ada.chat.id}`))[0]).toContain('not kept at Slack');
  });
});

describe('in a channel', () => {
  it('the bot is called once, answers in a thread, and hears whole sentences there without being called', async () => {
    const { ada, general, posted, settled, textsIn } = await given();
    const { message, deliveries } = ada.mentions(general, 'status shop');
    const thread = `sl:${general.id}:${message.ts}`;
    await posted(thread);
    expect(deliveries).toHaveLength(2);
    ada.says(general, 'status shop', { thread: message });
    await posted(thread, 2);
    ada.says(general, 'nice, thanks', { thread: message });
    ada.says(general, 'ok', { thread: message });
    ada.says(general, '<@U03BOB> status shop', { thread: message });
    ada.says(general, '<!here> status shop', { thread: message });
    ada.says(general, 'status shop');
    await settled();
    expect(textsIn(thread)).toHaveLength(2);
  });

  it('commands that begin with ! are heard in every thread, and words that only look so are not', async () => {
    const { ada, bob, general, posted, settled, textsIn } = await given();
    const { message } = bob.says(general, 'lunch?');
    ada.says(general, '!status shop', { thread: message });
    ada.says(general, '!lunch at noon', { thread: message });
    ada.says(general, '!status shop');
    await settled();
    expect(await posted(`sl:${general.id}:${message.ts}`)).toHaveLength(1);
    expect(general.messages.size).toBe(4);
    expect(textsIn(`sl:${general.id}:${[...general.messages.keys()].at(-1)}`)).toEqual([]);
  });

  it('where a project lives, a whole sentence is enough, and means that project', async () => {
    const { slack, ada, bob, posted, settled, textsIn } = await given();
    const shop = slack.channel('shop', [ada, bob], { id: 'C0SHOP' });
    const { message } = ada.says(shop, 'status');
    expect((await posted(`sl:C0SHOP:${message.ts}`))[0]).toContain('shop: idle');
    const { message: other } = ada.says(shop, 'how are you?');
    await settled();
    expect(textsIn(`sl:C0SHOP:${other.ts}`)).toEqual([]);
  });

  it('a thread that Bosun opened is known by its root, and needs no call', async () => {
    const { slack, ada, runtime, posted, shows, general } = await given();
    ada.mentions(general, 'status shop');
    await slack.until('it is answered', () => runtime.store.message('m1') !== null);
    const root = shows(runtime.store.message('m1') ?? undefined, general, { opens: `sl:${general.id}:r77` });
    ada.says(general, 'projects', { thread: root });
    expect((await posted(`sl:${general.id}:r77`))[0]).toContain('shop');
  });

  it('what is written in Slack’s own way means what people see', async () => {
    const { ada, general, posted, slack } = await given();
    const { message } = ada.says(general, `&lt;b&gt; <@${slack.bot.id}>`);
    expect((await posted(`sl:${general.id}:${message.ts}`))[0]).toContain('I did nothing');
    ada.says(ada.chat, `start shop: show &lt;b&gt; &amp;amp; <https://x.example/a?b=1&amp;c=2|the page>`);
    const [proposal] = await posted(`sl:${ada.chat.id}`);
    expect(proposal).toContain('show <b> &amp; ');
    expect(proposal).toContain('https://x.example/a?b=1&c=2');
    expect(proposal).not.toMatch(/&lt;|\|the page>/);
  });

  it('reactions do nothing, and whoever brings the bot along is told how the channel gets a project', async () => {
    const { slack, ada, bob, general, posted, settled, runtime } = await given();
    const { message } = bob.says(general, 'lunch?');
    ada.reacts(message, '+1');
    const joined = { type: 'member_joined_channel', user: slack.bot.id, channel: general.id };
    slack.tell({ ...joined, inviter: 'U09EVE' });
    await settled();
    expect(runtime.store.message('m1')).toBeNull();
    slack.tell({ ...joined, inviter: ada.id });
    expect((await posted(`sl:${general.id}`))[0]).toContain(`chats: [{ slack: ${general.id} }]`);
  });

  it('words to one person alone are not said to all', async () => {
    const { ada, general, posted, settled, textsIn } = await given();
    const { message } = ada.mentions(general, 'status shop');
    for (let number = 0; number < 30; number += 1) ada.says(general, 'status shop', { thread: message });
    await settled();
    expect(await posted(`sl:${general.id}:@${ada.id}`)).toEqual([expect.stringContaining('Too fast')]);
    expect(textsIn(`sl:${general.id}:${message.ts}`)).toHaveLength(20);
  });
});

describe('an edit', () => {
  it('soon after corrects what was not understood, and changes nothing that was', async () => {
    const { ada, settled, textsIn } = await given();
    const { message } = ada.says(ada.chat, 'statsu shop');
    await settled();
    ada.edits(message, 'status shop');
    await settled();
    ada.edits(message, 'stop shop');
    await settled();
    const [unclear, status, word] = textsIn(`sl:${ada.chat.id}`);
    expect(unclear).toContain('I did nothing');
    expect(status).toContain('shop: idle');
    expect(word).toContain("I don't act on edited messages");
  });

  it('by Slack itself, for a preview, is none', async () => {
    const { ada, settled, textsIn, slack } = await given();
    const { message } = ada.says(ada.chat, 'status shop');
    await settled();
    const now = { type: 'message', user: ada.id, ts: message.ts, text: 'status shop', attachments: [{ id: 1 }] };
    slack.tell({ type: 'message', subtype: 'message_changed', channel: ada.chat.id, message: now, ts: '1.2' });
    ada.deletes(message);
    await settled();
    expect(textsIn(`sl:${ada.chat.id}`)).toHaveLength(1);
  });
});

describe('/bosun', () => {
  it('answers what only reads to the one who asked', async () => {
    const { ada, general, posted } = await given();
    const delivery = ada.slash(general, '/bosun', 'status shop');
    expect((await posted(`sl:${general.id}:@${ada.id}`))[0]).toContain('shop: idle');
    expect(delivery.answer).toEqual({});
  });

  it('opens a thread for what drives, which says first who asked for what', async () => {
    const { ada, general, settled, runtime, textsIn } = await given();
    ada.slash(general, '/bosun', 'start shop: add a login');
    await settled();
    const [message] = [runtime.store.message('m1'), runtime.store.message('m2')];
    expect(message?.thread).toMatch(new RegExp(`^sl:${general.id}:c[0-9a-f]{16}$`));
    const [first, second] = textsIn(message?.thread ?? '');
    expect(first).toBe('Ada asks: start shop: add a login');
    expect(second).toMatch(/^Start\? · add a login/);
  });

  it('says where the bot is not that nothing can be said there, and does nothing, until it is brought in', async () => {
    const { ada, slack, settled, posted, runtime } = await given();
    const away = slack.channel('away', [ada]);
    away.members.delete(slack.bot.id);
    const { answer } = await acked(ada.slash(away, '/bosun', 'start shop: add a login'), slack);
    expect(answer).toMatchObject({ text: expect.stringContaining('/invite @bosun') });
    await settled();
    expect(runtime.store.message('m1')).toBeNull();
    away.members.add(slack.bot.id);
    slack.tell({ type: 'member_joined_channel', user: slack.bot.id, channel: away.id, inviter: ada.id });
    await settled();
    ada.slash(away, '/bosun', 'status shop');
    expect((await posted(`sl:${away.id}:@${ada.id}`))[0]).toContain('shop: idle');
  });

  it('is a message like others in the chat with the bot', async () => {
    const { ada, posted } = await given();
    ada.says(ada.chat, 'projects');
    await posted(`sl:${ada.chat.id}`);
    ada.slash(ada.chat, '/bosun', '');
    expect((await posted(`sl:${ada.chat.id}`, 2))[1]).toContain('status');
  });
});

describe('free words', () => {
  it('approve nothing in the chat of two, unless they reply', async () => {
    const { ada, runtime, settled, textsIn, shows } = await given();
    ada.says(ada.chat, 'start shop: add a login');
    await settled();
    ada.says(ada.chat, 'ok');
    await settled();
    expect(runtime.store.interaction('i1-1')?.interaction.state).toBe('open');
    expect(textsIn(`sl:${ada.chat.id}`).at(-1)).toContain('press its button, reply to it, or name its code');
    const card = runtime.store.cardMessage(`sl:${ada.chat.id}`, 'i1-1') ?? undefined;
    ada.says(ada.chat, 'ok', { thread: shows(card, ada.chat) });
    await settled();
    expect(runtime.store.interaction('i1-1')?.interaction.answer).toMatchObject({ option: 'start', by: 'ada' });
  });

  it('that stop are heard however fast somebody writes, in every way in which they are said', async () => {
    const { ada, bob, general, root, runtime, settled, shown } = await reviewed();
    for (let said = 0; said < 25; said += 1) ada.says(ada.chat, `whoami`);
    await settled();
    expect(ada.slash(general, '/bosun', 'status shop')).toBeDefined();
    ada.says(general, 'stop shop', { thread: root });
    await settled();
    expect(runtime.store.run('r1')?.held).toBe(true);
    ada.says(general, 'continue shop', { thread: root });
    await settled();
    expect(runtime.store.run('r1')?.held).toBe(true);
    const go = {
      type: 'continue',
      run: 'r1',
      chain: '',
      by: 'ada',
      node: null,
      instruction: null,
      behind: null,
    } as const;
    await runtime.submit((now) => ({ events: [{ ...go, at: now.at }] }));
    expect(runtime.store.run('r1')?.held).toBe(false);
    ada.slash(general, '/bosun', 'stop shop');
    await settled();
    expect(runtime.store.run('r1')?.held).toBe(true);
    for (let said = 0; said < 25; said += 1) bob.says(bob.chat, `whoami`);
    await settled();
    bob.presses(shown, 'Reject');
    await settled();
    expect(runtime.store.interaction('i1-2')?.interaction.answer).toMatchObject({ option: 'reject', by: 'bob' });
  });
});

describe('a plain reply in a thread', () => {
  it('answers the only card that is open there, with its remark', async () => {
    const { bob, general, root, runtime, settled } = await reviewed();
    bob.says(general, 'looks good, thanks', { thread: root });
    await settled();
    expect(runtime.store.interaction('i1-2')?.interaction.answer).toMatchObject({ option: 'approve', by: 'bob' });
  });

  it('is no answer where it is chatter, of somebody who may not, or said to somebody else', async () => {
    const { bob, ada, slack, general, root, runtime, settled, textsIn, thread } = await reviewed();
    const vic = slack.person('U04VIC', 'Vic');
    general.members.add(vic.id);
    const before = textsIn(thread).length;
    bob.says(general, 'hm, let me see', { thread: root });
    vic.says(general, 'approve', { thread: root });
    bob.says(general, '<@U02ADA> approve?', { thread: root });
    ada.says(general, 'approve');
    await settled();
    expect([runtime.store.interaction('i1-2')?.interaction.state, textsIn(thread).length]).toEqual(['open', before]);
  });

  it('goes to the card under which it hangs, in the chat of two as well', async () => {
    const { ada, runtime, settled, slack, shows } = await reviewed();
    ada.says(ada.chat, 'continue shop');
    await settled();
    const card = runtime.store.messages(`sl:${ada.chat.id}`, null, 9).find(({ interaction }) => interaction === 'i1-2');
    const shown = shows(card, ada.chat);
    ada.says(ada.chat, 'no: use tabs', { thread: shown });
    await slack.until('it is answered', () => runtime.store.interaction('i1-2')?.interaction.state !== 'open');
    expect(runtime.store.interaction('i1-2')?.interaction.answer).toMatchObject({
      option: 'changes',
      text: 'use tabs',
    });
  });

  it('goes to the card under which it hangs, not to another one that is open below it, for as long as it is asked', async () => {
    const { ada, runtime, settled, slack, shows } = await reviewed();
    ada.says(ada.chat, 'continue shop');
    await settled();
    const card = runtime.store.messages(`sl:${ada.chat.id}`, null, 9).find(({ interaction }) => interaction === 'i1-2');
    const shown = shows(card, ada.chat);
    ada.says(ada.chat, 'start blog: write', { thread: shown });
    await settled();
    const below = `sl:${ada.chat.id}:${shown.ts}`;
    expect(runtime.store.cardMessage(below, 'i2-1')).not.toBe(null);
    ada.says(ada.chat, 'approve', { thread: shown });
    await slack.until('it is answered', () => runtime.store.interaction('i1-2')?.interaction.state !== 'open');
    await settled();
    expect(runtime.store.interaction('i1-2')?.interaction.answer).toMatchObject({ option: 'approve', by: 'ada' });
    expect(runtime.store.interaction('i2-1')?.interaction.state).toBe('open');
    ada.says(ada.chat, 'approve', { thread: shown });
    await settled();
    expect(runtime.store.interaction('i2-1')?.interaction.answer).toMatchObject({ option: 'start', by: 'ada' });
  });

  it('in own words goes to the card of a chat of two under which it hangs, and tells nobody where the run is', async () => {
    const { ada, general, runtime, settled, shows, textsIn, root } = await reviewed();
    ada.says(ada.chat, 'start shop with look: more');
    await settled();
    const shown = shows(runtime.store.cardMessage(`sl:${ada.chat.id}`, 'i2-1') ?? undefined, ada.chat);
    ada.says(ada.chat, 'Start', { thread: shown });
    await settled();
    expect(runtime.store.interaction('i2-1')?.interaction.answer).toMatchObject({ option: 'start', by: 'ada' });
    expect(textsIn(`sl:${ada.chat.id}:${shown.ts}`).join()).not.toContain('its own thread');
    expect(textsIn(`sl:${general.id}:${root.ts}`).join()).not.toContain('i2-1');
  });

  it('asks for the code where several cards are open', async () => {
    const config = (folder: string) => {
      const usual = usualConfig(folder);
      return { ...usual, projects: { ...usual.projects, blog: { ...usual.projects.blog, members: { ada: 'owner' } } } };
    };
    const { ada, general, root, settled, runtime, textsIn, thread } = await reviewed({ config });
    ada.says(general, 'start blog: write', { thread: root });
    await settled();
    ada.says(general, 'approve', { thread: root });
    await settled();
    expect(textsIn(thread).at(-1)).toContain('name its code');
    expect(runtime.store.openInteractions(null)).toHaveLength(2);
  });
});

async function acked(delivery: Delivery, slack: Slack): Promise<Delivery> {
  await slack.until('it is answered', () => delivery.isOver);
  return delivery;
}

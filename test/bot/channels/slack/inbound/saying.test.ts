import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyPlan } from '../../../../../src/dispatch/index.js';
import type { Delivery, Slack } from '../server/index.js';
import { asked, given, reviewed, usualConfig } from './given.js';

describe("a member's message in the direct chat", () => {
  it('is answered there, and carries a reaction while it is being acted on', async () => {
    const { ada, posted, seen, unseen, settled } = await given();
    ada.says(ada.chat, 'projects');
    const { message } = ada.says(ada.chat, 'start shop: add a login');
    const [projects, proposal] = await posted(`sl:${ada.chat.id}`, 2);
    expect(projects).toContain('shop (A): idle');
    expect(proposal).toContain('add a login');
    await settled();
    expect([seen, unseen]).toEqual([[[`sl:${ada.chat.id}`, message.ts]], [[`sl:${ada.chat.id}`, message.ts]]]);
  });

  it('saves several attached files for the project that its text names', async () => {
    const { ada, posted, slack, folder } = await given();
    const files = ['plan.txt', 'more.txt'].map((name) => slack.world.addFile(name, ada.id, Buffer.from(name)));
    ada.says(ada.chat, 'shop', { files });
    const texts = await posted(`sl:${ada.chat.id}`, 2);
    expect(texts.at(-1)).toContain('more.txt');
    const saved = readdirSync(join(folder, 'shop/.ai/inbox')).map((name) => name.replace(/^[\d-]+/, ''));
    expect(saved.sort()).toEqual(['more.txt', 'plan.txt']);
  });

  it('reports a missing files:read scope when its file cannot be read', async () => {
    const { ada, posted, slack } = await given();
    slack.tokens.scopes.delete('files:read');
    ada.uploads(ada.chat, 'plan.txt', Buffer.from('x'), { text: 'shop' });
    expect((await posted(`sl:${ada.chat.id}`))[0]).toContain('files:read');
  });

  it('never fetches a file from a host other than Slack', async () => {
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
  it('a mention opens a thread in which whole sentences need no further mention', async () => {
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

  it('a message that starts with ! is handled in a thread if it is a command, and ignored otherwise', async () => {
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

  it("a whole command in a project's own channel needs no mention and means that project", async () => {
    const { slack, ada, bob, posted, settled, textsIn } = await given();
    const shop = slack.channel('shop', [ada, bob], { id: 'C0SHOP' });
    const { message } = ada.says(shop, 'status');
    expect((await posted(`sl:C0SHOP:${message.ts}`))[0]).toContain('shop: idle');
    const { message: other } = ada.says(shop, 'how are you?');
    await settled();
    expect(textsIn(`sl:C0SHOP:${other.ts}`)).toEqual([]);
  });

  it('a message in a thread that Bosun opened needs no mention', async () => {
    const { slack, ada, runtime, posted, shows, general } = await given();
    ada.mentions(general, 'status shop');
    await slack.until('it is answered', () => runtime.store.message('m1') !== null);
    const root = shows(runtime.store.message('m1') ?? undefined, general, { opens: `sl:${general.id}:r77` });
    ada.says(general, 'projects', { thread: root });
    expect((await posted(`sl:${general.id}:r77`))[0]).toContain('shop');
  });

  it('a mention after escaped markup is recognized as addressed to the bot', async () => {
    const { ada, general, posted, slack } = await given();
    const { message } = ada.says(general, `&lt;b&gt; <@${slack.bot.id}>`);
    expect((await posted(`sl:${general.id}:${message.ts}`))[0]).toContain('I did nothing');
    ada.says(ada.chat, `start shop: show &lt;b&gt; &amp;amp; <https://x.example/a?b=1&amp;c=2|the page>`);
    const [proposal] = await posted(`sl:${ada.chat.id}`);
    expect(proposal).toContain('show <b> &amp; ');
    expect(proposal).toContain('https://x.example/a?b=1&c=2');
    expect(proposal).not.toMatch(/&lt;|\|the page>/);
  });

  it('reactions are ignored, and a member who invites the bot learns how to bind the channel to a project', async () => {
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

  it('a rate-limit notice is shown to the sender alone', async () => {
    const { ada, general, posted, settled, textsIn } = await given();
    const { message } = ada.mentions(general, 'status shop');
    for (let number = 0; number < 30; number += 1) ada.says(general, 'status shop', { thread: message });
    await settled();
    expect(await posted(`sl:${general.id}:@${ada.id}`)).toEqual([expect.stringContaining('Too fast')]);
    expect(textsIn(`sl:${general.id}:${message.ts}`)).toHaveLength(20);
  });
});

describe('an edit', () => {
  it('soon after an unclear message corrects it, but changes nothing once the message was understood', async () => {
    const { ada, settled, textsIn, runtime } = await given();
    const { message } = ada.says(ada.chat, 'statsu shop');
    await settled();
    ada.edits(message, 'status shop');
    await settled();
    ada.edits(message, 'stop shop');
    await settled();
    const [unclear, status, word] = textsIn(`sl:${ada.chat.id}`);
    expect(unclear).toContain('I did nothing');
    expect(status).toContain('shop: idle');
    expect(runtime.store.message('m2')?.edits).toBe('m1');
    expect(word).toContain("I don't act on edited messages");
  });

  it('that Slack makes for a link preview is ignored', async () => {
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
  it('answers a read-only command to its sender alone', async () => {
    const { ada, general, posted } = await given();
    const delivery = ada.slash(general, '/bosun', 'status shop');
    expect((await posted(`sl:${general.id}:@${ada.id}`))[0]).toContain('shop: idle');
    expect(delivery.answer).toEqual({});
  });

  it('opens a public thread for a command that drives work, and first quotes who asked for what', async () => {
    const { ada, general, settled, runtime, textsIn } = await given();
    ada.slash(general, '/bosun', 'start shop: add a login');
    await settled();
    const [message] = [runtime.store.message('m1'), runtime.store.message('m2')];
    expect(message?.thread).toMatch(new RegExp(`^sl:${general.id}:c[0-9a-f]{16}$`));
    const [first, second] = textsIn(message?.thread ?? '');
    expect(first).toBe('Ada asks: start shop: add a login');
    expect(second).toMatch(/^Start\? · add a login/);
  });

  it('answers a refused command to its sender alone, without a public line', async () => {
    const { ada, bob, general, settled, textsIn, runtime, slack } = await reviewed();
    const before = slack.screen(general, null).length;
    // Without the right to it, and refused by the run itself.
    bob.slash(general, '/bosun', 'continue shop');
    ada.slash(general, '/bosun', 'retry shop');
    await settled();
    expect(textsIn(`sl:${general.id}:@${bob.id}`)).toEqual([expect.stringContaining("You're a reviewer in shop")]);
    expect(textsIn(`sl:${general.id}:@${ada.id}`)).toEqual([expect.stringContaining('review')]);
    const threads = Array.from({ length: 40 }, (_, number) => runtime.store.message(`m${number}`)?.thread ?? '');
    expect(threads.filter((one) => /:c[0-9a-f]{16}$/.test(one))).toEqual([]);
    expect(slack.screen(general, null)).toHaveLength(before);
  });

  it('refuses to act in a channel that the bot has not joined until the bot is invited', async () => {
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

  it('works like a plain message in the direct chat', async () => {
    const { ada, posted } = await given();
    ada.says(ada.chat, 'projects');
    await posted(`sl:${ada.chat.id}`);
    ada.slash(ada.chat, '/bosun', '');
    expect((await posted(`sl:${ada.chat.id}`, 2))[1]).toContain('status');
  });
});

describe('free text', () => {
  it('approves nothing in a direct chat unless it replies to the card', async () => {
    const { ada, runtime, settled, textsIn, shows } = await given();
    ada.says(ada.chat, 'start shop: add a login');
    await settled();
    ada.says(ada.chat, 'ok');
    await settled();
    expect(runtime.store.interaction('i1-1')?.interaction.state).toBe('open');
    expect(textsIn(`sl:${ada.chat.id}`).at(-1)).toContain('Only a button, a reply to the card or its code counts.');
    const card = runtime.store.cardMessage(`sl:${ada.chat.id}`, 'i1-1') ?? undefined;
    ada.says(ada.chat, 'ok', { thread: shows(card, ada.chat) });
    await settled();
    expect(runtime.store.interaction('i1-1')?.interaction.answer).toMatchObject({ option: 'start', by: 'ada' });
  });

  it('a stop message and a reject press bypass the rate limit', async () => {
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
    await runtime.submit((now) => ({ ...emptyPlan, events: [{ ...go, at: now.at }] }));
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
  it('answers the only open card of that thread, even with a remark added', async () => {
    const { bob, general, root, runtime, settled } = await reviewed();
    bob.says(general, 'looks good, thanks', { thread: root });
    await settled();
    expect(runtime.store.interaction('i1-2')?.interaction.answer).toMatchObject({ option: 'approve', by: 'bob' });
  });

  it('answers nothing when it is chatter, addresses another person or comes from a person without the right', async () => {
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

  it('in a direct chat answers the card it hangs under', async () => {
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

  it('answers the card at the root of the thread before another card that is open below it', async () => {
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

  it("with the label of a button answers the card of a direct chat without pointing to the run's thread", async () => {
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

  it.each(['approve', 'ok', '👍', 'no', 'sounds good'])('is asked back when a question gets only %j', async (words) => {
    const { ada, general, root, runtime, settled, textsIn, thread } = await asked();
    ada.says(general, words, { thread: root });
    await settled();
    expect(runtime.store.interaction('i1-2')?.interaction.state).toBe('open');
    const told = textsIn(thread).at(-1);
    expect(told).toContain('Question · Which currency? (i1-2)');
    const last = runtime.store.messages(thread, null, 99).at(-1);
    expect(last?.view.buttons.map(({ label }) => label)).toEqual([
      'Show Question · Which currency?',
      'Use it as the answer',
    ]);
    expect(last?.view.offers.at(-1)).toBe(`@answer i1-2 answer ${words}`);
    ada.says(general, 'the order’s own, ok?', { thread: root });
    await settled();
    expect(runtime.store.interaction('i1-2')?.interaction.answer).toMatchObject({ text: 'the order’s own, ok?' });
  });

  it('asks which card is meant when several cards are open', async () => {
    const config = (folder: string) => {
      const usual = usualConfig(folder);
      return { ...usual, projects: { ...usual.projects, blog: { ...usual.projects.blog, members: { ada: 'owner' } } } };
    };
    const { ada, general, root, settled, runtime, textsIn, thread } = await reviewed({ config });
    ada.says(general, 'start blog: write', { thread: root });
    await settled();
    ada.says(general, 'approve', { thread: root });
    await settled();
    expect(textsIn(thread).at(-1)).toContain('Which one?');
    expect(runtime.store.openInteractions(null)).toHaveLength(2);
  });
});

async function acked(delivery: Delivery, slack: Slack): Promise<Delivery> {
  await slack.until('it is answered', () => delivery.isOver);
  return delivery;
}

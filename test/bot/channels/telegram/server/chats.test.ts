// What people do and see, and what the bot is told of it.
import { InputFile } from 'grammy';
import { describe, expect, it } from 'vitest';
import { given } from './given.js';

describe('a chat in the fake Telegram', () => {
  it('shows messages in their final state', async () => {
    const { api, telegram, ada } = await given();
    const { message: asked } = ada.says(ada.chat, 'hello');
    const quiet = await api.sendMessage(1000, ' <b>Hi</b> &amp; <i>you</i>\n', {
      parse_mode: 'HTML',
      disable_notification: true,
      reply_parameters: { message_id: asked.id },
      reply_markup: { inline_keyboard: [[{ text: 'A', callback_data: 'a' }], []] },
    });
    expect(quiet).toMatchObject({
      text: 'Hi & you',
      entities: [
        { type: 'bold', offset: 0, length: 2 },
        { type: 'italic', offset: 5, length: 3 },
      ],
      reply_to_message: { message_id: asked.id },
    });
    const file = await api.sendDocument(1000, new InputFile(Buffer.from('1 < 2'), 'out – 1.txt'), { caption: 'Here' });
    await api.setMessageReaction(1000, asked.id, [{ type: 'emoji', emoji: '👀' }]);
    await api.pinChatMessage(1000, quiet.message_id);
    await api.editMessageReplyMarkup(1000, quiet.message_id);
    const gone = await api.sendMessage(1000, 'gone');
    await api.deleteMessage(1000, gone.message_id);
    expect(file.document).toMatchObject({ file_name: 'out – 1.txt', file_size: 5 });
    expect(telegram.screen(ada.chat)).toMatchObject([
      { by: 'Ada', text: 'hello', reaction: '👀' },
      { by: 'Bosun', text: 'Hi & you', rang: false, isEdited: true, isPinned: true, buttons: [], replyTo: asked.id },
      { by: 'Bosun', text: 'Here', file: 'out – 1.txt', rang: true },
    ]);
  });

  it('shows link previews unless they are turned off, and forced replies', async () => {
    const { api, telegram, ada } = await given();
    await api.sendMessage(1000, 'https://x.example');
    await api.sendMessage(1000, 'https://x.example', { link_preview_options: { is_disabled: true } });
    await api.sendMessage(1000, 'Which?', { reply_markup: { force_reply: true } });
    expect(telegram.sent(ada.chat).map((one) => [one.showsPreview, one.forcesReply])).toEqual([
      [true, false],
      [false, false],
      [false, true],
    ]);
  });

  it('with topics keeps messages and replies in their topic', async () => {
    const { api, telegram, ada } = await given();
    const forum = telegram.forum(-1_001, 'Work');
    const { message_thread_id: shop } = await api.createForumTopic(-1_001, 'shop');
    const { message, update } = ada.says(forum, 'hi', { topic: shop });
    expect(update).toMatchObject({
      message: { message_thread_id: shop, is_topic_message: true, reply_to_message: { message_id: shop } },
    });
    const reply = await api.sendMessage(-1_001, 'hello', { reply_parameters: { message_id: message.id } });
    expect(reply).toMatchObject({ message_thread_id: shop, is_topic_message: true });
    await api.sendMessage(-1_001, 'to all');
    await api.sendChatAction(-1_001, 'typing', { message_thread_id: 1 });
    const texts = (topic: number | null) => telegram.screen(forum, topic).map((one) => one.text);
    expect([texts(shop), texts(null)]).toEqual([['hi', 'hello'], ['to all']]);
    expect(await api.getChat(-1_001)).toMatchObject({ type: 'supergroup', is_forum: true, title: 'Work' });
    expect(await api.getChatMember(-1_001, telegram.bot.id)).toMatchObject({ status: 'administrator' });
  });

  it('keeps the commands of each scope', async () => {
    const { api, telegram } = await given();
    await api.setMyCommands([{ command: 'status', description: 'How it stands' }]);
    await api.setMyCommands([{ command: 'stop', description: 'Halt' }], { scope: { type: 'chat', chat_id: 1000 } });
    expect([telegram.commands(), telegram.commands('chat:1000')]).toMatchObject([
      [{ command: 'status' }],
      [{ command: 'stop' }],
    ]);
    await api.setMyCommands([{ command: 'stand', description: 'Wie es steht' }], { language_code: 'de' });
    expect(await api.getMyCommands({ language_code: 'de' })).toMatchObject([{ command: 'stand' }]);
    expect(await api.getMyCommands()).toEqual([{ command: 'status', description: 'How it stands' }]);
  });
});

describe('a person in the fake Telegram', () => {
  it('is heard in a group only when addressing the bot, unless the bot is an administrator', async () => {
    const { api, telegram, ada } = await given();
    const group = telegram.group(-7, 'Team');
    const { message_id: id } = await api.sendMessage(-7, 'Which?');
    const asked = group.messages.get(id);
    if (!asked) throw new Error('nothing was sent');
    const heard = (text: string, how = {}) => ada.says(group, text, how).update !== null;
    expect([
      heard('just talk'),
      heard('/status'),
      heard('/status@other_bot'),
      heard(`hey @${telegram.bot.username} status`),
      heard('this one', { replyTo: asked }),
    ]).toEqual([false, true, false, true, true]);
    telegram.seat(group, 'administrator', ada);
    expect(heard('just talk')).toBe(true);
  });

  it('can edit, forward, send files, speak for the group and post in a channel', async () => {
    const { api, telegram, ada } = await given();
    const group = telegram.group(-7, 'Team', 'administrator');
    const { message } = ada.says(group, 'continue shop');
    expect(ada.edits(message, 'stop shop').update).toMatchObject({
      edited_message: { message_id: message.id, text: 'stop shop', edit_date: expect.any(Number) },
    });
    expect(ada.forwards(message, ada.chat).update).toMatchObject({
      message: { text: 'stop shop', forward_origin: { type: 'user', sender_user: { id: 1000 } } },
    });
    expect(ada.saysForTheGroup(group, 'status').update).toMatchObject({
      message: { from: { username: 'GroupAnonymousBot' }, sender_chat: { id: -7 } },
    });
    expect(ada.posts(telegram.channel(-1_009, 'News'), 'x').update).toMatchObject({
      channel_post: { sender_chat: { id: -1_009 }, chat: { type: 'channel' } },
    });
    const file = telegram.world.addFile('spec.md', Buffer.from('# Spec'));
    const { update } = ada.sends(ada.chat, file, { caption: 'shop: build it' });
    expect(update).toMatchObject({
      message: { caption: 'shop: build it', document: { file_name: 'spec.md', file_size: 6 } },
    });
    const { file_path: path } = await api.getFile(file.id);
    const body = await fetch(`${telegram.apiRoot}/file/bot${telegram.token}/${path}`);
    expect(await body.text()).toBe('# Spec');
  });

  it('cannot press a button that is not shown', async () => {
    const { api, telegram, ada } = await given();
    await api.sendMessage(1000, 'x', { reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data: 'g' }]] } });
    const [sent] = telegram.sent(ada.chat);
    if (!sent) throw new Error('nothing was sent');
    expect(() => ada.presses(sent, 'Stop')).toThrow('No button "Stop" below message 1; there are: Go');
  });
});

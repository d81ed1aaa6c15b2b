// What the platform refuses, in its words, as the real client tells them.
import { type Api, InputFile } from 'grammy';
import { describe, expect, it } from 'vitest';
import { given, refusalOf } from './given.js';
import { HandClock, type Telegram } from './index.js';

const forumId = -1_001_234;

async function world() {
  const all = await given();
  const forum = all.telegram.forum(forumId, 'Work');
  const topic = all.telegram.topic(forum, 'shop', all.ada);
  const closed = all.telegram.topic(forum, 'old', all.ada);
  closed.isClosed = true;
  const sent = await all.api.sendMessage(1000, 'first');
  return { ...all, forum, topic, closed, sent };
}

type World = Awaited<ReturnType<typeof world>>;

function button(data: string, text = 'Go') {
  return { reply_markup: { inline_keyboard: [[{ text, callback_data: data }]] } };
}

const notModified =
  '400: Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';
const tooOld = '400: Bad Request: query is too old and response timeout expired or query ID is invalid';

const refused: readonly (readonly [what: string, call: (given: World) => Promise<unknown>, words: string])[] = [
  ['an empty text', ({ api }) => api.sendMessage(1000, ''), '400: Bad Request: message text is empty'],
  ['a blank text', ({ api }) => api.sendMessage(1000, ' \n '), '400: Bad Request: text must be non-empty'],
  ['a text of no width', ({ api }) => api.sendMessage(1000, '\u200b'), '400: Bad Request: text must be non-empty'],
  ['4097 units', ({ api }) => api.sendMessage(1000, 'x'.repeat(4097)), '400: Bad Request: message is too long'],
  ['2049 pairs', ({ api }) => api.sendMessage(1000, '🎉'.repeat(2049)), '400: Bad Request: message is too long'],
  ['half a pair', ({ api }) => api.sendMessage(1000, 'x\ud83c'), '400: Bad Request: strings must be encoded in UTF-8'],
  [
    'an open tag',
    ({ api }) => api.sendMessage(1000, '<b>x', { parse_mode: 'HTML' }),
    `400: Bad Request: can't parse entities: Can't find end tag corresponding to start tag "b"`,
  ],
  ['an unknown chat', ({ api }) => api.sendMessage(5, 'x'), '400: Bad Request: chat not found'],
  [
    'General by its number',
    ({ api }) => api.sendMessage(forumId, 'x', { message_thread_id: 1 }),
    '400: Bad Request: message thread not found',
  ],
  [
    'an unknown topic',
    ({ api }) => api.sendMessage(forumId, 'x', { message_thread_id: 99 }),
    '400: Bad Request: message thread not found',
  ],
  [
    'a closed topic',
    ({ api, closed }) => api.sendMessage(forumId, 'x', { message_thread_id: closed.id }),
    '400: Bad Request: TOPIC_CLOSED',
  ],
  [
    'a reply to nothing',
    ({ api }) => api.sendMessage(1000, 'x', { reply_parameters: { message_id: 77 } }),
    '400: Bad Request: message to be replied not found',
  ],
  ['data of no byte', ({ api }) => api.sendMessage(1000, 'x', button('')), '400: Bad Request: BUTTON_DATA_INVALID'],
  [
    'data of 65 bytes',
    ({ api }) => api.sendMessage(1000, 'x', button(`é${'x'.repeat(63)}`)),
    '400: Bad Request: BUTTON_DATA_INVALID',
  ],
  [
    'a button without words',
    ({ api }) => api.sendMessage(1000, 'x', button('a', ' ')),
    "400: Bad Request: can't parse inline keyboard button: Text must be non-empty",
  ],
  [
    '101 buttons',
    ({ api }) =>
      api.sendMessage(1000, 'x', {
        reply_markup: { inline_keyboard: Array.from({ length: 101 }, () => [{ text: 'a', callback_data: 'a' }]) },
      }),
    '400: Bad Request: reply markup is too long',
  ],
  ['an edit that changes nothing', ({ api, sent }) => api.editMessageText(1000, sent.message_id, 'first'), notModified],
  [
    'the same keyboard again',
    ({ api, sent }) => api.editMessageReplyMarkup(1000, sent.message_id, { reply_markup: { inline_keyboard: [] } }),
    notModified,
  ],
  [
    'an edit of nothing',
    ({ api }) => api.editMessageText(1000, 77, 'x'),
    '400: Bad Request: message to edit not found',
  ],
  [
    'an edit of what was deleted',
    async ({ api, sent }) => {
      await api.deleteMessage(1000, sent.message_id);
      return api.editMessageText(1000, sent.message_id, 'x');
    },
    '400: Bad Request: message to edit not found',
  ],
  [
    "an edit of a person's message",
    ({ api, ada }) => api.editMessageText(1000, ada.says(ada.chat, 'hi').message.id, 'x'),
    "400: Bad Request: message can't be edited",
  ],
  ['deleting nothing', ({ api }) => api.deleteMessage(1000, 77), '400: Bad Request: message to delete not found'],
  [
    'an empty file',
    ({ api }) => api.sendDocument(1000, new InputFile(Buffer.alloc(0), 'a.txt')),
    '400: Bad Request: file must be non-empty',
  ],
  [
    'a long caption',
    ({ api }) => api.sendDocument(1000, new InputFile(Buffer.from('x'), 'a.txt'), { caption: 'x'.repeat(1025) }),
    '400: Bad Request: message caption is too long',
  ],
  ['an unknown press', ({ api }) => api.answerCallbackQuery('1'), tooOld],
  [
    'an emoji that is not of the list',
    ({ api, sent }) =>
      api.raw.setMessageReaction(
        JSON.parse(`{"chat_id":1000,"message_id":${sent.message_id},"reaction":[{"type":"emoji","emoji":"✅"}]}`),
      ),
    '400: Bad Request: REACTION_INVALID',
  ],
  [
    'a command in capitals',
    ({ api }) => api.setMyCommands([{ command: 'Status', description: 'x' }]),
    '400: Bad Request: BOT_COMMAND_INVALID',
  ],
  [
    'a topic in a private chat',
    ({ api }) => api.createForumTopic(1000, 'x'),
    '400: Bad Request: the chat is not a forum',
  ],
  [
    'a topic without the right to it',
    ({ api, forum }) => {
      forum.lacks.add('can_manage_topics');
      return api.createForumTopic(forumId, 'x');
    },
    '400: Bad Request: not enough rights to create a topic',
  ],
  [
    'a file beyond 20 MB',
    ({ api, telegram }) => api.getFile(telegram.world.addFile('big', Buffer.from('x'), 21 * 1024 * 1024).id),
    '400: Bad Request: file is too big',
  ],
  [
    'who blocked the bot',
    ({ api, ada }) => {
      ada.blocks();
      return api.sendChatAction(1000, 'typing');
    },
    '403: Forbidden: bot was blocked by the user',
  ],
  [
    'a group that threw the bot out',
    ({ api, telegram, forum, ada }) => {
      telegram.seat(forum, 'kicked', ada);
      return api.sendMessage(forumId, 'x');
    },
    '403: Forbidden: bot was kicked from the supergroup chat',
  ],
  ['an unknown method', ({ api }) => callUnknown(api), '404: Not Found: method not found'],
];

function callUnknown(api: Api): Promise<unknown> {
  const raw: Readonly<Record<string, unknown>> = Object(api.raw);
  const call = raw['sendNonsense'];
  return typeof call === 'function' ? call({}) : Promise.reject(new Error('no such call'));
}

describe('the fake Telegram', () => {
  it.each(refused)('refuses %s', async (_what, call, words) => {
    expect(await refusalOf(call(await world()))).toBe(words);
  });

  it('refuses an unknown token and a malformed one', async () => {
    const { telegram } = await given();
    const ask = async (token: string) => (await fetch(`${telegram.apiRoot}/bot${token}/getMe`)).status;
    expect([await ask('123:abc'), await ask('nonsense')]).toEqual([401, 404]);
  });

  it('refuses a press answer after 15 s and a second answer', async () => {
    const clock = new HandClock(1_800_000_000_000);
    const { api, ada } = await given({ clock });
    await api.sendMessage(1000, 'x', button('a'));
    const [message] = [...ada.chat.messages.values()];
    if (!message) throw new Error('nothing was sent');
    const inTime = ada.presses(message, 'Go').press;
    clock.advance(15_000);
    expect(await refusalOf(api.answerCallbackQuery(inTime.id, { text: 'Done' }))).toBe('taken');
    expect(inTime.answer).toEqual({ text: 'Done', isAlert: false });
    expect(await refusalOf(api.answerCallbackQuery(inTime.id))).toBe(tooOld);
    const late = ada.presses(message, 'Go').press;
    clock.advance(15_001);
    expect(await refusalOf(api.answerCallbackQuery(late.id))).toBe(tooOld);
  });

  it('names the new chat id after a group has moved', async () => {
    const { api, telegram } = await given();
    const group = telegram.group(-50, 'Team');
    telegram.migrate(group, -1_009_999);
    const error = await api.sendMessage(-50, 'x').catch((one: unknown) => one);
    expect(error).toMatchObject({ error_code: 400, parameters: { migrate_to_chat_id: -1_009_999 } });
    await api.sendMessage(-1_009_999, 'x');
    expect(shownTexts(telegram, -1_009_999)).toEqual(['x']);
  });
});

function shownTexts(telegram: Telegram, chat: number): readonly string[] {
  return telegram.screen(telegram.world.chat(chat)).map((one) => one.text);
}

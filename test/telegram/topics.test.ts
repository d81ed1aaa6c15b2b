// A topic of its own for a project: asked for with a button, made once, bound in config.yaml.
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { startTelegram } from '../../src/bot/telegram/index.js';
import { loadConfig } from '../../src/dispatch/index.js';
import { type Ears, given } from './intake/given.js';
import type { Chat, Message } from './server/index.js';

const limitMs = 15_000;

async function opened(standing: 'administrator' | 'member' = 'administrator') {
  const ears = await given({ listens: false });
  const { telegram, home, room, door } = ears;
  const place = { token: telegram.token, apiRoot: telegram.apiRoot };
  const config = () => loadConfig(home, {});
  const channel = startTelegram({ home, room, door, config }, place, (line) => ears.log.push(line));
  onTestFinished(() => channel.close());
  const forum = telegram.forum(-1001234, 'Work', standing);
  return { ...ears, forum };
}

async function seen({ telegram }: Pick<Ears, 'telegram'>, chat: Chat, text: RegExp): Promise<Message> {
  const find = () => telegram.sent(chat).findLast((one) => text.test(one.text));
  await telegram.until(`${text}`, () => find() !== undefined, limitMs);
  const found = find();
  if (found === undefined) throw new Error(`nobody sees ${text}`);
  return found;
}

it('is made once, however often the button is pressed, and means its project from then on', async () => {
  const ears = await opened();
  const { telegram, forum, ada, home } = ears;
  ada.says(forum, '/use@bosun_test_bot shop');
  const offer = await seen(ears, forum, /Here I now mean shop/);
  const [button] = offer.buttons.flat();
  expect(button?.text).toBe('Make a topic for shop');
  ada.presses(offer, 'Make a topic for shop');
  ada.pressesData(offer, button?.callback_data ?? '');
  const hello = await seen(ears, forum, /This is the place of shop/);
  await telegram.until('the topic is bound', () => (loadConfig(home, {}).projects[0]?.chats.length ?? 0) > 0, limitMs);
  const [topic, ...others] = [...forum.topics.values()];
  expect([topic?.name, others, hello.topic]).toEqual(['shop', [], topic?.id]);
  expect(loadConfig(home, {}).projects[0]?.chats).toEqual([{ channel: 'telegram', chat: forum.id, topic: topic?.id }]);
  ada.says(forum, 'status', { topic: topic?.id ?? 0 });
  expect((await seen(ears, forum, /shop/)).text).not.toContain('Which project');
  expect(telegram.ledger.count('createForumTopic')).toBe(1);
}, 30_000);

it('is no secret where Telegram refuses it, and the configuration stays as it is', async () => {
  const ears = await opened('member');
  const { forum, ada, home } = ears;
  const before = readFileSync(home.configPath, 'utf8');
  ada.says(forum, '/use@bosun_test_bot shop');
  ada.presses(await seen(ears, forum, /Here I now mean shop/), 'Make a topic for shop');
  expect((await seen(ears, forum, /does not let me/)).text).toContain('may manage topics');
  expect(readFileSync(home.configPath, 'utf8')).toBe(before);
}, 30_000);

it('is offered to owners alone', async () => {
  const ears = await opened();
  const bob = ears.telegram.person(1001, 'Bob');
  bob.says(ears.forum, '/use@bosun_test_bot shop');
  expect((await seen(ears, ears.forum, /Here I now mean shop/)).buttons).toEqual([]);
}, 30_000);

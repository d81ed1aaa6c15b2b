// A topic of its own for a project: asked for with a button, made once, bound in config.yaml.

import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it, type TestContext } from 'vitest';
import { machineClock } from '../../../../src/base/async/clock.js';
import { openApi } from '../../../../src/bot/channels/telegram/client.js';
import { startTelegram } from '../../../../src/bot/channels/telegram/index.js';
import { telegramCarrier } from '../../../../src/bot/channels/telegram/outbound/carrier.js';
import { topicCalls } from '../../../../src/bot/channels/telegram/topics/topic-calls.js';
import { Topics } from '../../../../src/bot/channels/telegram/topics/topics.js';
import { Courier } from '../../../../src/bot/delivery/index.js';
import { pictureReader } from '../../../../src/bot/render/picture-file.js';
import { loadConfig } from '../../../../src/config/file/read-config.js';
import { keepText, keptText } from '../../../../src/config/home/small-files.js';
import { emptyPlan } from '../../../../src/dispatch/index.js';
import { courierParts } from '../../../courier-parts.js';
import { type Ears, given } from './inbound/given.js';
import { type Chat, type Fault, faults, type Message } from './server/index.js';

/** In a group three seconds lie between two calls. */
const limitMs = 40_000;

type Test = Pick<TestContext, 'onTestFinished'>;

/** Side by side, for most of it is waiting for that pace. */
async function opened({ onTestFinished }: Test, standing: 'administrator' | 'member' = 'administrator') {
  const ears = await given({ listens: false, onTestFinished });
  const forum = ears.telegram.forum(-1001234, 'Work', standing);
  return { ...ears, onTestFinished, forum, listen: () => listening({ ...ears, onTestFinished }) };
}

function listening({ telegram, home, runtime, door, log, onTestFinished }: Ears & Test): void {
  const place = { token: telegram.token, apiRoot: telegram.apiRoot };
  const config = () => loadConfig(home, {});
  const channel = startTelegram({ home, runtime, door, config }, place, (line) => log.push(line));
  onTestFinished(() => channel.close());
}

/** The same without the pauses that a group takes, so that only what is asked about takes time. */
function quickly({ telegram, home, runtime, door, log, onTestFinished }: Ears & Test) {
  const api = openApi({ token: telegram.token, apiRoot: telegram.apiRoot }, 30);
  const carrier = {
    ...telegramCarrier(api, pictureReader({ dir: tmpdir() })),
    limitsOf: () => ({ gapMs: 0, perMinute: 1_000 }),
  };
  const { deliveries: rows } = runtime.store;
  const courier = new Courier({
    ...courierParts,
    ...{ carrier, rows, clock: machineClock, random: () => 0.5 },
    onFailed: () => undefined,
    onError: (error) => log.push(String(error)),
  });
  const pauses: number[] = [];
  const topics = new Topics({
    services: { home, runtime, door, config: () => loadConfig(home, {}) },
    calls: topicCalls(courier, api),
    log: (line) => log.push(line),
    pause: async (ms) => void pauses.push(ms),
  });
  onTestFinished(async () => void (await Promise.all([topics.close(), courier.close()])));
  runtime.onWants((want) => topics.make(want));
  return { pauses, courier, topics };
}

const saidIn = ({ runtime }: Ears, thread: string) =>
  runtime.store.messages(thread, null, 99).map(({ view }) => view.text);

async function seen({ telegram }: Pick<Ears, 'telegram'>, chat: Chat, text: RegExp): Promise<Message> {
  const find = () => telegram.sent(chat).findLast((one) => text.test(one.text));
  await telegram.until(`${text}`, () => find() !== undefined, limitMs);
  const found = find();
  if (found === undefined) throw new Error(`nobody sees ${text}`);
  return found;
}

/** As the desk plans it when the button is pressed. */
function wanted({ runtime }: Ears, forum: Chat, project = 'shop') {
  const want = { type: 'topic', chat: `${forum.id}`, project, thread: `tg:${forum.id}` } as const;
  return runtime.submit(() => ({ ...emptyPlan, effects: [{ type: 'want', request: want }] }));
}

async function made(ears: Ears): Promise<void> {
  await ears.telegram.until('nothing waits', () => ears.runtime.store.wants.open().length === 0, limitMs);
}

const chatsOfShop = ({ home }: Ears) => loadConfig(home, {}).projects.find(({ name }) => name === 'shop')?.chats;
const creations = ({ telegram }: Ears) => telegram.ledger.calls('createForumTopic').filter(({ came }) => came === 'ok');

describe.concurrent('a requested topic', () => {
  it('is made once despite repeated presses and means its project from then on', async (test) => {
    const ears = await opened(test);
    ears.listen();
    const { telegram, forum, ada } = ears;
    ada.says(forum, '/use@bosun_test_bot shop');
    const offer = await seen(ears, forum, /This chat is about shop now/);
    const [button] = offer.buttons.flat();
    expect(button?.text).toBe('Make a topic for shop');
    ada.presses(offer, 'Make a topic for shop');
    ada.pressesData(offer, button?.callback_data ?? '');
    const hello = await seen(ears, forum, /This topic is about shop/);
    const [topic, ...others] = [...forum.topics.values()];
    expect([topic?.name, others, hello.topic]).toEqual(['shop', [], topic?.id]);
    expect(chatsOfShop(ears)).toEqual([{ channel: 'telegram', chat: forum.id, topic: topic?.id }]);
    ada.says(forum, 'status', { topic: topic?.id ?? 0 });
    expect((await seen(ears, forum, /shop/)).text).not.toContain('Which project');
    await made(ears);
    expect(telegram.ledger.count('createForumTopic')).toBe(1);
  }, 60_000);

  it('is made at the next start after a crash', async (test) => {
    const ears = await opened(test);
    await wanted(ears, ears.forum);
    expect(ears.runtime.store.wants.open()).toHaveLength(1);
    ears.listen();
    await seen(ears, ears.forum, /This topic is about shop/);
    expect(ears.runtime.store.wants.open()).toEqual([]);
  }, 60_000);

  it('is found by its stored number after a crash before it was bound', async (test) => {
    const ears = await opened(test);
    const { telegram, forum, home, ada } = ears;
    const topic = telegram.topic(forum, 'shop', ada).id;
    keepText(home, 'telegram-topics', `${forum.id} shop ${topic}`);
    quickly(ears);
    await wanted(ears, forum);
    await made(ears);
    expect([chatsOfShop(ears), creations(ears)]).toEqual([[{ channel: 'telegram', chat: forum.id, topic }], []]);
    expect(keptText(home, 'telegram-topics')).toBe('');
  });

  it('is offered only to owners', async (test) => {
    const ears = await opened(test);
    ears.listen();
    const bob = ears.telegram.person(1001, 'Bob');
    bob.says(ears.forum, '/use@bosun_test_bot shop');
    expect((await seen(ears, ears.forum, /This chat is about shop now/)).buttons).toEqual([]);
  }, 60_000);
});

describe.concurrent('creating a topic', () => {
  it('names the missing right and leaves config.yaml unchanged when it is refused', async (test) => {
    const ears = await opened(test, 'member');
    const { home, forum } = ears;
    const before = readFileSync(home.configPath, 'utf8');
    quickly(ears);
    await wanted(ears, forum);
    await made(ears);
    expect(saidIn(ears, `tg:${forum.id}`)).toEqual([expect.stringMatching(/does not let me[\s\S]*may manage topics/)]);
    expect(readFileSync(home.configPath, 'utf8')).toBe(before);
  });

  it('waits out a rate limit without blaming missing rights', async (test) => {
    const ears = await opened(test);
    const { telegram, forum } = ears;
    telegram.plant({ method: 'createForumTopic', fault: faults.flood(2) });
    quickly(ears);
    await wanted(ears, forum);
    await made(ears);
    const [refused, taken, ...others] = telegram.ledger.calls('createForumTopic');
    expect(others).toEqual([]);
    expect((taken?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(2_000);
    expect(saidIn(ears, `tg:${forum.id}`)).toEqual(['shop has its own topic now.']);
  });

  it('retries with backoff after network and gateway failures, and warns of a possible duplicate', async (test) => {
    const ears = await opened(test);
    const { telegram, forum } = ears;
    const steps: Fault[] = [{ type: 'reset', at: 'request' }, faults.badGateway, { type: 'reset', at: 'answer' }];
    for (const fault of steps) telegram.plant({ method: 'createForumTopic', fault });
    const { pauses } = quickly(ears);
    await wanted(ears, forum);
    await made(ears);
    expect(pauses).toEqual([1_000, 2_000, 4_000]);
    expect(chatsOfShop(ears)).toHaveLength(1);
    expect(saidIn(ears, `tg:${forum.id}`)).toEqual([expect.stringContaining('second, empty topic of that name')]);
  });

  it('gives up after twenty retries and says why', async (test) => {
    const ears = await opened(test);
    ears.telegram.plant({ method: 'createForumTopic', fault: faults.badGateway, times: 1_000 });
    const { pauses } = quickly(ears);
    await wanted(ears, ears.forum);
    await made(ears);
    expect([pauses.length, Math.max(...pauses)]).toEqual([20, 300_000]);
    expect(saidIn(ears, `tg:${ears.forum.id}`)).toEqual(["I couldn't create the topic: Bad Gateway. Try again later."]);
  });

  it('does not delay another group while it waits, and stops at once on shutdown', async (test) => {
    const ears = await opened(test);
    const other = ears.telegram.forum(-1005678, 'Play');
    ears.telegram.plant({ method: 'createForumTopic', fault: faults.flood(3_600), chat: ears.forum.id });
    const { topics, courier } = quickly(ears);
    await wanted(ears, ears.forum);
    await ears.telegram.until('it is refused', () => ears.telegram.ledger.count('createForumTopic') === 1);
    await wanted(ears, other, 'blog');
    await ears.telegram.until('one is made', () => ears.runtime.store.wants.open().length === 1);
    await Promise.all([topics.close(), courier.close()]);
    expect(ears.runtime.store.wants.open().map(({ project }) => project)).toEqual(['shop']);
  });
});

describe.concurrent('a topic requested again', () => {
  it('is replaced after it was deleted, in config.yaml too', async (test) => {
    const ears = await opened(test);
    const { forum, home, ada } = ears;
    ears.listen();
    await wanted(ears, forum);
    await seen(ears, forum, /This topic is about shop/);
    const [first] = [...forum.topics.keys()];
    expect(keptText(home, 'telegram-topics')).toBe('');
    forum.topics.delete(first ?? 0);
    await ears.runtime.submit(({ at }) => ({
      ...emptyPlan,
      messages: [
        {
          ...{ thread: `tg:${forum.id}:${first}`, run: null, interaction: null, card: null, at },
          view: { kind: 'report', text: 'lost', buttons: [], offers: [], rings: true, file: null },
        },
      ],
    }));
    await ears.telegram.until('it is known', () => ears.runtime.store.deliveries.failed(1).length === 1, limitMs);
    ada.says(forum, '/use@bosun_test_bot shop');
    ada.presses(await seen(ears, forum, /This chat is about shop now/), 'Make a topic for shop');
    await ears.telegram.until('another one is bound', () => forum.topics.size === 1, limitMs);
    await made(ears);
    const [second] = [...forum.topics.keys()];
    expect(second).not.toBe(first);
    expect(chatsOfShop(ears)).toEqual([{ channel: 'telegram', chat: forum.id, topic: second }]);
  }, 90_000);

  it('is not replaced while it still exists', async (test) => {
    const ears = await opened(test);
    quickly(ears);
    await wanted(ears, ears.forum);
    await made(ears);
    const bound = chatsOfShop(ears);
    await wanted(ears, ears.forum);
    await made(ears);
    expect(saidIn(ears, `tg:${ears.forum.id}`)).toContain('shop already has its topic in this group.');
    expect([chatsOfShop(ears), creations(ears).length]).toEqual([bound, 1]);
  });
});

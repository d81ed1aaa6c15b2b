// The buttons that a message offers by itself: where they work, for whom, and how often.
import { expect, it } from 'vitest';
import { emptyPlan } from '../../../../../src/dispatch/index.js';
import type { NewMessage } from '../../../../../src/store/messages/message-types.js';
import type { Chat, Person } from '../server/index.js';
import { type Ears, given } from './given.js';

const inChat = 'tg:1000';

async function offered({ runtime }: Ears, thread: string, says: readonly string[], more: Partial<NewMessage> = {}) {
  const buttons = says.map((one, index) => ({ label: `Do ${one}`, press: `.${index}` }));
  const view = { kind: 'answer', text: 'Which?', buttons, offers: says, rings: false, file: null };
  const message = { thread, run: null, interaction: null, card: null, view, at: 1, ...more };
  const { messages } = await runtime.submit(() => ({ ...emptyPlan, messages: [message] }));
  return messages[0]?.id ?? '';
}

async function pressed({ telegram, settled }: Ears, person: Person, press: string, chat: Chat = person.chat) {
  const sent = telegram.world.post({ chat, topic: null, from: telegram.bot, text: 'card' });
  const { press: shown } = person.pressesData(sent, press);
  await telegram.until('the answer', () => shown.answer !== null);
  await settled();
  return shown.answer?.text;
}

/** A refusal is a toast, and no message besides. */
function textsIn({ runtime }: Ears, thread: string): readonly string[] {
  return runtime.store.messages(thread, null, 100).map(({ view: { text } }) => text);
}

it('an offer button works only in the chat of its message and reveals nothing elsewhere', async () => {
  const ears = await given();
  const group = ears.telegram.group(-4_000, 'Team', 'administrator');
  const id = await offered(ears, 'tg:-4000', ['start shop: add a login']);
  expect(await pressed(ears, ears.ada, `${id}.0`)).toBe('I no longer know that button.');
  expect(textsIn(ears, inChat)).toEqual([]);
  expect(ears.runtime.store.drafts('shop')).toEqual([]);
  expect(await pressed(ears, ears.ada, `${id}.0`, group)).toBe('Do start shop: add a login…');
  expect(ears.runtime.store.drafts('shop')).toHaveLength(1);
});

it('an offer button still works after its group became a supergroup', async () => {
  const ears = await given();
  const group = ears.telegram.group(-4_000, 'Team', 'administrator');
  const id = await offered(ears, 'tg:-4000', ['status shop']);
  ears.runtime.store.deliveries.move('telegram', '-4000', '-100777');
  const large = ears.telegram.migrate(group, -100_777);
  expect(await pressed(ears, ears.ada, `${id}.0`, large)).toBe('Do status shop…');
});

it.each([
  ['status blog', {}],
  ['@topic blog', {}],
  ['status', { run: 'r1' }],
])('an offer button hides its label from people who may not read its project: %s', async (says, more) => {
  const ears = await given();
  const { ada, telegram, runtime, posted } = ears;
  ada.says(ada.chat, 'blog: write a post');
  await posted(inChat);
  expect(runtime.store.run('r1')?.project).toBe('blog');
  const group = telegram.group(-4_000, 'Team', 'administrator');
  const id = await offered(ears, 'tg:-4000', [says], more);
  expect(await pressed(ears, telegram.person(1001, 'Bob'), `${id}.0`, group)).toBe('I no longer know that button.');
  expect(textsIn(ears, 'tg:-4000')).toEqual(['Which?']);
  expect(await pressed(ears, ada, `${id}.0`, group)).toBe(`Do ${says}…`);
});

it('a used offer button disappears from its message while the others stay', async () => {
  const ears = await given();
  const { ada, runtime } = ears;
  const id = await offered(ears, inChat, ['start shop: add a login', 'start blog: write a post', 'status shop']);
  expect(await pressed(ears, ada, `${id}.0`)).toBe('Do start shop: add a login…');
  const edit = runtime.store.cardMessage(inChat, id);
  expect(edit).toMatchObject({
    edits: id,
    view: { text: 'Which?', offers: ['start blog: write a post', 'status shop'] },
  });
  expect(edit?.view.buttons).toEqual([
    { label: 'Do start blog: write a post', press: '.0' },
    { label: 'Do status shop', press: '.1' },
  ]);
  expect(await pressed(ears, ada, `${id}.0`)).toBe('That button was already used, or a newer card replaced it.');
  expect(textsIn(ears, inChat).join()).not.toContain('was already used');
  expect(runtime.store.drafts('shop')).toHaveLength(1);
  // From a phone that shows the message as it was, and from one that shows it as it is.
  expect(await pressed(ears, ada, `${id}.1`)).toBe('Do start blog: write a post…');
  expect(await pressed(ears, ada, `${edit?.id}.1`)).toBe('Do status shop…');
  expect([runtime.store.drafts('blog').length, runtime.store.cardMessage(inChat, id)?.view.offers]).toEqual([
    1,
    ['status shop'],
  ]);
});

it('an offer button that only reads or was refused stays', async () => {
  const ears = await given();
  const { ada, telegram, runtime } = ears;
  const group = telegram.group(-4_000, 'Team', 'administrator');
  const id = await offered(ears, 'tg:-4000', ['status shop', 'start shop: add a login']);
  const vic = telegram.person(1002, 'Vic');
  for (const press of [`${id}.0`, `${id}.0`, `${id}.1`]) await pressed(ears, vic, press, group);
  expect(runtime.store.cardMessage('tg:-4000', id)).toMatchObject({ id, edits: null });
  expect(runtime.store.drafts('shop')).toEqual([]);
  expect(await pressed(ears, ada, `${id}.1`, group)).toBe('Do start shop: add a login…');
});

it('an offer button of an older version of a card no longer works', async () => {
  const ears = await given();
  const id = await offered(ears, inChat, ['status shop'], { card: 'c' });
  const newer = await offered(ears, inChat, ['status blog'], { card: 'c' });
  expect(await pressed(ears, ears.ada, `${id}.0`)).toBe('That button was already used, or a newer card replaced it.');
  expect(await pressed(ears, ears.ada, `${newer}.0`)).toBe('Do status blog…');
});

it("an offer button that answers a question gives the same refusals as the card's own button", async () => {
  const ears = await given();
  const { ada, telegram, runtime, posted } = ears;
  ada.says(ada.chat, 'start shop: add a login');
  await posted(inChat);
  const group = telegram.group(-4_000, 'Team', 'administrator');
  const id = await offered(ears, 'tg:-4000', ['@answer i1-1 cancel no']);
  expect(await pressed(ears, telegram.person(1002, 'Vic'), `${id}.0`, group)).toMatch(/^You're a viewer in shop; /);
  expect(await pressed(ears, ada, `${id}.0`, group)).toBe('Do @answer i1-1 cancel no…');
  expect(runtime.store.interaction('i1-1')?.interaction.state).not.toBe('open');
  const again = await offered(ears, 'tg:-4000', ['@answer i1-1 cancel no']);
  const before = textsIn(ears, 'tg:-4000');
  expect(await pressed(ears, ada, `${again}.0`, group)).toMatch(/^Too late, already decided\. .*by .*, \d+ s ago/);
  expect(textsIn(ears, 'tg:-4000')).toEqual(before);
});

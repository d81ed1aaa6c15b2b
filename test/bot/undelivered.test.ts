// A message that a chat refuses is told in another one, with buttons that still do what they say, once, whatever dies.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { tellOfEarlierFailures, tellOfFailure } from '../../src/bot/channels/undelivered-notice.js';
import { threadAt } from '../../src/bot/commands/message-context.js';
import { outgoingMessageOf } from '../../src/bot/delivery/outgoing-message.js';
import { perform } from '../../src/bot/index.js';
import { view, withButtons } from '../../src/bot/views/view.js';
import { openApp } from '../../src/cli/app.js';
import { emptyPlan } from '../../src/dispatch/index.js';
import type { NewMessage } from '../../src/store/messages/message-types.js';
import { openHome } from '../open-home.js';
import { newFolder } from './channels/fixture/inbox.js';
import { usualConfig } from './channels/telegram/inbound/given.js';
import { givenDesk } from './channels/terminal/given.js';

const silent = () => undefined;

async function given() {
  const folder = newFolder();
  const home = openHome(join(folder, 'home'));
  writeFileSync(home.configPath, JSON.stringify(usualConfig(folder)), { mode: 0o600 });
  const app = await openApp({ home, work: false });
  onTestFinished(() => app.close());
  return { app, ...tellerOf(app) };
}

function tellerOf(app: Awaited<ReturnType<typeof givenDesk>>['app']) {
  const { store } = app.runtime;
  const said = async (id: string, parts: Partial<NewMessage> = {}, project: string | null = null) => {
    const shown = view('report', 'It is done.', [{ label: 'Who', says: 'whoami' }]);
    const thread = { ...threadAt(store, id), project };
    const message = { thread: id, run: null, interaction: null, card: null, at: 1, view: shown, ...parts };
    const { messages } = await app.runtime.submit(() => ({
      ...emptyPlan,
      effects: [{ type: 'thread', thread }],
      messages: [message],
    }));
    const [sent] = messages;
    if (!sent) throw new Error('nothing is sent');
    return { sent, thread };
  };
  /** As delivery does it. */
  const fails = async (...what: Parameters<typeof said>) => {
    const { sent, thread } = await said(...what);
    store.deliveries.fail(Number(sent.id.slice(1)), 'chat not found', 5, true);
    return { sent, parcel: outgoingMessageOf(sent, thread, '7') };
  };
  const told = (thread: string) =>
    store
      .messages(thread, null, 100)
      .filter(({ view: { text } }) => text.startsWith('This message could not be delivered'));
  const untold = () => store.deliveries.untold('telegram', 10).length;
  return { store, fails, told, untold };
}

it("a failed message is reported to the project's owners and the host, without its offer buttons", async () => {
  const { app, fails, told, untold } = await given();
  const rings = { ...view('report', 'It is done.', [{ label: 'Who', says: 'whoami' }]), rings: true };
  const { parcel } = await fails('tg:7', { view: rings }, 'shop');
  tellOfFailure(app, parcel, 'chat not found', silent);
  await vi.waitFor(() => expect(untold()).toBe(0));
  for (const thread of ['local', 'tg:1000']) {
    expect(told(thread).map(({ view: { text, buttons, rings } }) => [text, buttons, rings])).toEqual([
      ['This message could not be delivered to tg:7: chat not found\n\nIt is done.', [], true],
    ]);
  }
  expect(told('tg:1001')).toEqual([]);
});

it('a failure report names the person of the chat and rings only if the message would have rung', async () => {
  const { app, fails, told, untold } = await given();
  tellOfFailure(app, (await fails('tg:1001', {}, 'shop')).parcel, 'Forbidden', silent);
  await vi.waitFor(() => expect(untold()).toBe(0));
  expect(told('tg:1000').map(({ view: { text, rings } }) => [text.split('\n')[0], rings])).toEqual([
    ['This message could not be delivered to bob (tg:1001): Forbidden', false],
  ]);
});

it('a failure without a project is reported to all owners, but never in the unreachable chat', async () => {
  const { app, fails, told, untold } = await given();
  for (const thread of ['tg:9', 'tg:1000']) tellOfFailure(app, (await fails(thread)).parcel, 'chat not found', silent);
  await vi.waitFor(() => expect(untold()).toBe(0));
  expect(['local', 'tg:1000', 'tg:1001'].map((thread) => told(thread).length)).toEqual([2, 1, 0]);
});

it('a failure report lost in a crash is sent once at the next start, and failed reports cause none', async () => {
  const { app, store, fails, told, untold } = await given();
  const { sent } = await fails('tg:7');
  await fails('tg:8', { card: 'undelivered:m1' });
  tellOfEarlierFailures(app, 'slack', silent);
  expect(untold()).toBe(2);
  tellOfEarlierFailures(app, 'telegram', silent);
  await vi.waitFor(() => expect(untold()).toBe(0));
  expect([told('local').length, told('tg:1000').length]).toEqual([1, 1]);
  // As if it had died between the two.
  store.deliveries.fail(Number(sent.id.slice(1)), 'chat not found', 5, true);
  tellOfEarlierFailures(app, 'telegram', silent);
  await vi.waitFor(() => expect(untold()).toBe(0));
  expect([told('local').length, told('tg:1000').length]).toEqual([1, 1]);
});

it('a failed question can be answered from its failure report', async () => {
  const { app, say } = await givenDesk({ work: true });
  const { store, fails, told } = tellerOf(app);
  await say('continue demo');
  const [open] = await vi.waitFor(
    () => {
      const found = app.runtime.store.openInteractions(null);
      if (found.length === 0) throw new Error('nothing is asked');
      return found;
    },
    { timeout: 15_000, interval: 50 },
  );
  if (!open) throw new Error('nothing is asked');
  const { id, options } = open.interaction;
  const buttons = options.map((one) => ({ label: one.label, press: `${id}.${one.id}` }));
  const asks = {
    run: open.run,
    interaction: id,
    view: { ...withButtons(view('review', 'Ready?'), buttons), rings: true },
  };
  const { parcel } = await fails('tg:7', asks);
  tellOfFailure(app, parcel, 'chat not found', silent);
  const [notice] = await vi.waitFor(() => {
    if (told('local').length === 0) throw new Error('nothing is told');
    return told('local');
  });
  expect([notice?.view.buttons, notice?.interaction]).toEqual([buttons, id]);
  const [{ press } = { press: '' }] = notice?.view.buttons ?? [];
  await perform(app, { do: 'press', press, text: null, thread: 'local', as: null, cwd: '/' });
  expect(store.interaction(id)?.interaction.state).not.toBe('open');
});

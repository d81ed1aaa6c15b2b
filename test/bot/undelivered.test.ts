// A message that a chat refuses is told in another one, with buttons that still do what they say.
import { expect, it, vi } from 'vitest';
import { threadAt } from '../../src/bot/desk/thread-at.js';
import { tellOfFailure } from '../../src/bot/telegram/undelivered.js';
import { view } from '../../src/bot/views/view.js';
import { parcelOf } from '../../src/dispatch/delivery/parcel.js';
import { givenDesk } from './local/given.js';

it('what it offers is pressed as the offer of the message that could not be delivered', async () => {
  const { app } = await givenDesk();
  const shown = view({ kind: 'report', text: 'Next is US-001.', offers: [{ label: 'Who', says: 'whoami' }] });
  const parts = { run: null, interaction: null, card: null, at: 1, view: shown };
  const thread = threadAt('tg:7');
  const { messages } = await app.room.submit(() => ({
    events: [],
    threads: [thread],
    messages: [{ ...parts, thread: 'tg:7' }],
  }));
  const [sent] = messages;
  if (!sent) throw new Error('nothing is sent');
  const parcel = parcelOf(sent, thread, '7');
  tellOfFailure(app, parcel, 'chat not found', () => undefined);
  const told = await vi.waitFor(() => {
    const found = app.room.store.messages('local', null, 50).find(({ view }) => view.text.includes('chat not found'));
    if (!found) throw new Error('nothing is told');
    return found;
  });
  expect(told.view.buttons).toEqual([{ label: 'Who', press: `${sent.id}.0` }]);
});

import { expect, it } from 'vitest';
import { openHome } from '../open-home.js';
import { openStore } from '../open-store.js';
import { aMessage, batch } from '../store/given.js';
import { bosun, newFolder } from './given.js';

async function examined(folder: string) {
  const { out } = await bosun(['doctor', '--json'], { home: folder });
  const { checks }: { checks: { name: string; state: string; text: string; mend: string | null }[] } = JSON.parse(out);
  return checks.filter(({ name }) => name === 'telegram delivery').map(({ state, text }) => `${state} ${text}`);
}

it('bosun doctor reports waiting, blocked and undeliverable messages', async () => {
  const folder = newFolder();
  const store = openStore(openHome(folder).dbPath);
  const at = Date.now();
  const message = (thread: string, old: number) => aMessage(thread, 'hello', { at: at - old });
  expect(await examined(folder)).toEqual([]);

  store.commit(batch({ messages: [message('tg:7', 10), message('tg:-100:5', 20), message('tg:-100:6', 5)] }));
  expect(await examined(folder)).toEqual([
    `ok 3 messages not sent yet in 2 chats, since ${new Date(at - 20).toISOString()}`,
  ]);

  store.commit(batch({ messages: [message('tg:7', 600_000)] }));
  store.deliveries.fail(2, 'Bad Request: TOPIC_CLOSED', at);
  store.deliveries.block('telegram', '7', at + 3_600_000);
  store.deliveries.block('telegram', '8', at - 1);
  expect(await examined(folder)).toEqual([
    `warn rate limited in one chat until ${new Date(at + 3_600_000).toISOString()}`,
    `warn 3 messages not sent yet in 2 chats, since ${new Date(at - 600_000).toISOString()}`,
    `warn one message could not be delivered (tg:-100:5), the last one on ${new Date(at).toISOString()}: Bad Request: TOPIC_CLOSED`,
  ]);
  store.close();
});

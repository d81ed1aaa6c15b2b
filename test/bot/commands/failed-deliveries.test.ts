// What could not be delivered is not lost: the inbox tells of it, in the chat and at the terminal.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { threadAt } from '../../../src/bot/commands/message-context.js';
import { failedDeliveries, perform } from '../../../src/bot/index.js';
import { view } from '../../../src/bot/views/view.js';
import { openApp } from '../../../src/cli/app.js';
import { emptyPlan } from '../../../src/dispatch/index.js';
import { bosun } from '../../cli/given.js';
import { openHome } from '../../open-home.js';
import { newFolder } from '../channels/fixture/inbox.js';
import { usualConfig } from '../channels/telegram/inbound/given.js';

const day = 24 * 60 * 60_000;

async function given() {
  const folder = newFolder();
  const home = openHome(join(folder, 'home'));
  writeFileSync(home.configPath, JSON.stringify(usualConfig(folder)), { mode: 0o600 });
  const app = await openApp({ home, work: false });
  onTestFinished(() => app.close());
  const { store } = app.runtime;
  const fail = async (thread: string, text: string, { project = null as string | null, at = Date.now() } = {}) => {
    const shown = view('report', text);
    const { messages } = await app.runtime.submit((now) => ({
      ...emptyPlan,
      effects: [{ type: 'thread', thread: { ...threadAt(now.reader, thread), project } }],
      messages: [{ thread, run: null, interaction: null, card: null, view: shown, at: now.at }],
    }));
    const [id = ''] = messages.map((one) => one.id);
    store.deliveries.fail(Number(id.slice(1)), 'Forbidden: bot was\nblocked by the user', at);
    return id;
  };
  const inbox = async (thread = 'local', as: string | null = null) => {
    const asked = { do: 'say', text: 'inbox', replyTo: null, thread, as, cwd: '/' } as const;
    return (await perform(app, asked)).messages.at(-1)?.view.text;
  };
  return { app, home, store, fail, inbox };
}

it('the inbox lists recent failed deliveries, newest first, with recipient, reason and age', async () => {
  const { fail, inbox, app } = await given();
  expect(await inbox()).toBe('Nothing needs you.');
  const first = await fail('tg:1000', 'Approve?\nIt is urgent', { at: Date.now() - 2 * 60 * 60_000 - 5_000 });
  const second = await fail('tg:-100:7', 'is done');
  await fail('tg:1001', 'long ago', { at: Date.now() - 8 * day });
  const why = '(Forbidden: bot was blocked by the user)';
  const [title, head, ...rows] = (await inbox())?.split('\n') ?? [];
  expect([title, head]).toEqual(['Nothing needs you.', 'Not delivered:']);
  expect(rows[0]).toMatch(new RegExp(`^${second} to tg:-100:7 \\(Forbidden.*\\), .* ago: is done$`));
  expect(rows[1]).toMatch(
    new RegExp(`^${first} to ada \\(tg:1000\\) \\(Forbidden.*\\), 2 h.* ago: Approve\\? It is urgent$`),
  );
  expect(rows.every((row) => row.includes(why))).toBe(true);
  expect(rows).toHaveLength(2);
  for (let n = 0; n < 12; n++) await fail('tg:-100', `message ${n}`);
  const many = (await inbox())?.split('\n') ?? [];
  expect(many).toHaveLength(13);
  expect(many.at(-1)).toBe('… and 4 more');
  expect(failedDeliveries(app.runtime, app.config(), Date.now())).toHaveLength(14);
});

it('the inbox shows a person only failed deliveries of projects they may read', async () => {
  const { fail, inbox } = await given();
  await fail('tg:-100', 'of the blog', { project: 'blog' });
  await fail('tg:-200', 'of the shop', { project: 'shop' });
  await fail('tg:-300', 'of nothing');
  const bobs = await inbox('tg:1001', 'bob');
  expect(bobs).toContain('of the shop');
  expect(bobs).not.toContain('of the blog');
  expect(bobs).not.toContain('of nothing');
  const all = await inbox();
  for (const text of ['of the shop', 'of the blog', 'of nothing']) expect(all).toContain(text);
});

it('"bosun inbox" lists failed deliveries, and --json puts them under failed_delivery', async () => {
  const { fail, home } = await given();
  const id = await fail('tg:1000', 'is done', { project: 'shop' });
  const { out } = await bosun(['inbox'], { home: home.dir });
  expect(out).toMatch(
    new RegExp(`^Nothing needs you\\.\nNot delivered:\n {2}${id} to ada .*blocked by the user.*: is done\n$`),
  );
  const json = JSON.parse((await bosun(['inbox', '--json'], { home: home.dir })).out);
  expect(json).toEqual([
    {
      failed_delivery: {
        ...{ id, channel: 'telegram', thread: 'tg:1000', to: 'ada', project: 'shop', text: 'is done' },
        why: 'Forbidden: bot was blocked by the user',
        failed_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    },
  ]);
});

// What is to be carried to chat platforms, and how far it got.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SqliteStore, StoredPost, Thread } from '../../src/store/index.js';
import { deliveryRows } from '../../src/store/messages/deliveries.js';
import { openWriter } from '../../src/store/open-store.js';
import { openStore, placedThread } from '../open-store.js';
import { aMessage, batch, tempFolder } from './given.js';

const channel = 'telegram';

function opened(path = join(tempFolder(), 'bosun.db')): SqliteStore {
  const store = openStore(path);
  onTestFinished(() => store.close());
  return store;
}

function say(store: SqliteStore, thread: string, text: string, card: string | null = null): number {
  const [message] = store.commit(batch({ messages: [aMessage(thread, text, { card })] }));
  return Number(message?.id.slice(1));
}

const open = (store: SqliteStore) => store.deliveries.open(channel, 0, 100).map(({ message }) => message.view.text);

function aPost(n: number, parts: Partial<StoredPost> = {}): StoredPost {
  return { lane: '7', place: `at ${n}`, ids: [`${n}`], n, shown: 'x', ...parts };
}

function aThread(id: string, parts: Partial<Thread>): Thread {
  return { id, channel: 'local', address: {}, project: null, quiet: false, ...parts };
}

test('messages in chats are queued for delivery, and those for the terminal and the web are not', () => {
  const store = opened();
  const threads = [
    aThread('term', {}),
    aThread('page', { channel: 'web' }),
    aThread('sl:C1', { channel: 'slack', address: { chat: 'C1' } }),
    aThread('tg:9', { channel: 'local', project: 'shop' }),
  ];
  store.commit(batch({ threads }));
  for (const thread of ['term', 'page', 'unknown', 'sl:C1', 'tg:7', 'tg:-100:5', 'tg:9']) say(store, thread, thread);
  expect(store.deliveries.open(channel, 0, 10).map(({ thread }) => thread)).toEqual([
    { id: 'tg:7', channel, address: { chat: '7' }, project: null, quiet: false },
    { id: 'tg:-100:5', channel, address: { chat: '-100', topic: '5' }, project: null, quiet: false },
    { id: 'tg:9', channel, address: { chat: '9' }, project: 'shop', quiet: false },
  ]);
  expect(store.deliveries.open('slack', 0, 10).map(({ message }) => message.view.text)).toEqual(['sl:C1']);
});

test('the first topic of a forum is the chat itself, and a malformed thread id resolves to nothing', () => {
  expect(placedThread('tg:-100:1')?.address).toEqual({ chat: '-100' });
  for (const id of ['tg:', 'tg:x', 'tg:7:x', 'tg:7:5:6', 'xtg:7', `tg:${'7'.repeat(30)}`]) {
    expect(placedThread(id)).toBeNull();
  }
});

test('a message and its delivery are stored together or not at all', () => {
  const store = opened();
  const bad = { ...aMessage('tg:7', 'b'), thread: null as never };
  expect(() => store.commit(batch({ messages: [aMessage('tg:7', 'a'), bad] }))).toThrow();
  expect([open(store), store.message('m1')]).toEqual([[], null]);
});

test('deliveries are listed oldest first in pages, across a restart, marking those under way', () => {
  const path = join(tempFolder(), 'bosun.db');
  const store = opened(path);
  const [a, b, c] = ['a', 'b', 'c'].map((text) => say(store, 'tg:7', text));
  store.deliveries.begin(b ?? 0, `m${b}`, null);
  store.close();
  const again = opened(path);
  const all = again.deliveries.open(channel, 0, 2);
  expect(all.map(({ message, wasUnderWay }) => [message.view.text, wasUnderWay])).toEqual([
    ['a', false],
    ['b', true],
  ]);
  expect(again.deliveries.open(channel, b ?? 0, 2).map(({ message }) => message.id)).toEqual([`m${c}`]);
  again.deliveries.pause(b ?? 0);
  expect(again.deliveries.open(channel, a ?? 0, 1)).toMatchObject([{ wasUnderWay: false }]);
});

test('an edit that changes nothing is not delivered again', () => {
  const store = opened();
  say(store, 'tg:7', 'same', 'c');
  const n = say(store, 'tg:7', 'same', 'c');
  expect(open(store)).toEqual(['same']);
  store.deliveries.end(n, 'sent', { root: `m${n}`, post: aPost(n) });
  say(store, 'tg:7', 'same', 'c');
  expect([open(store), store.deliveries.isOpen(n)]).toEqual([[], false]);
});

test('a post is stored with its ids, is unknown while a call is under way, and can be forgotten', () => {
  const { deliveries, ...store } = opened();
  const n = say({ deliveries, ...store }, 'tg:7', 'a');
  const root = `m${n}`;
  deliveries.begin(n, root, null);
  expect(deliveries.post(root)).toBeNull();
  deliveries.step(n, root, aPost(n, { ids: ['11'] }));
  expect([deliveries.post(root)?.shown, deliveries.isOpen(n)]).toEqual([null, true]);
  deliveries.end(n, 'sent', { root, post: aPost(n, { ids: ['11', '12'] }) });
  expect(deliveries.post(root)).toEqual(aPost(n, { ids: ['11', '12'] }));
  expect(['11', '12', '13'].map((id) => deliveries.messageAt('7', id))).toEqual([root, root, null]);
  expect(deliveries.messageAt('8', '11')).toBeNull();
  deliveries.begin(n, root, 'perhaps');
  expect(deliveries.post(root)).toMatchObject({ shown: null, place: 'perhaps', ids: ['11', '12'] });
  deliveries.forget(root);
  expect([deliveries.post(root), deliveries.messageAt('7', '11')]).toEqual([null, root]);
});

test('a finished delivery stays finished', () => {
  const store = opened();
  const [a = 0, b = 0] = ['a', 'b'].map((text) => say(store, 'tg:7', text));
  store.deliveries.end(a, 'superseded', null);
  store.deliveries.fail(b, 'bot was blocked', 5);
  for (const n of [a, b]) store.deliveries.pause(n);
  for (const n of [a, b]) store.deliveries.end(n, 'sent', null);
  expect([open(store), store.deliveries.failed(9)]).toMatchObject([
    [],
    [{ problem: 'bot was blocked', at: 5, channel }],
  ]);
});

test('waiting deliveries are counted per lane, with all topics of a forum in one lane', () => {
  const store = opened();
  for (const thread of ['tg:-100:5', 'tg:7', 'tg:-100:6', 'tg:-100']) say(store, thread, thread);
  expect(store.deliveries.counts()).toEqual([
    { channel, lane: '-100', waiting: 3, since: 1 },
    { channel, lane: '7', waiting: 1, since: 1 },
  ]);
});

test('rate limit penalties and chat migrations are kept, and a shorter penalty never shortens a longer one', () => {
  const path = join(tempFolder(), 'bosun.db');
  const { deliveries, close } = opened(path);
  deliveries.block(channel, '7', 9_000);
  deliveries.block(channel, '7', 5_000);
  deliveries.move(channel, '-5', '-1005');
  deliveries.block(channel, '-5', 100);
  close();
  const again = opened(path).deliveries;
  expect(again.blocks(channel)).toEqual([
    { lane: '-5', until: 100 },
    { lane: '7', until: 9_000 },
  ]);
  expect([...again.moves(channel)]).toEqual([['-5', '-1005']]);
  expect([again.blocks('slack'), again.moves('slack').size]).toEqual([[], 0]);
});

test('only the newest delivered and failed rows are kept, and all waiting ones', () => {
  const path = join(tempFolder(), 'bosun.db');
  const store = opened(path);
  const db = openWriter(path, {});
  onTestFinished(() => void db.close());
  const rows = deliveryRows(db, () => null, { done: 50, failed: 10, posts: 100 });
  const waits = say(store, 'tg:7', 'waits');
  for (let at = 0; at < 260; at += 1) {
    const n = say(store, 'tg:7', `t${at}`);
    if (at % 10 === 0) rows.fail(n, 'gone', at);
    else rows.end(n, 'sent', null);
  }
  const states = db.prepare('SELECT state, count(*) AS n FROM deliveries GROUP BY state').all();
  const count = (state: string) =>
    (states as { state: string; n: number }[]).find((one) => one.state === state)?.n ?? 0;
  expect([count('waiting'), rows.isOpen(waits)]).toEqual([1, true]);
  expect(count('sent')).toBeLessThanOrEqual(50 + 100);
  expect(count('failed')).toBeLessThanOrEqual(10 + 10);
  expect(rows.failed(3).map(({ at }) => at)).toEqual([250, 240, 230]);
});

test('frequent delivery queries use an index', () => {
  const path = join(tempFolder(), 'bosun.db');
  opened(path);
  const db = openWriter(path, {});
  onTestFinished(() => void db.close());
  const asked: string[] = [];
  const prepare = db.prepare.bind(db);
  db.prepare = ((sql: string) => {
    asked.push(sql);
    return prepare(sql);
  }) as typeof db.prepare;
  deliveryRows(db, () => null);
  for (const sql of asked.filter((one) => !one.startsWith('INSERT'))) {
    const values = Array.from(sql.matchAll(/\?/g), () => null);
    const plan = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
    const scans = plan
      .map(({ detail }) => detail)
      .filter((detail) => /^SCAN (deliveries|posts|post_ids|outbox)/.test(detail));
    for (const scan of scans)
      expect([sql, scan]).toEqual([sql, expect.stringMatching(/USING (COVERING )?INDEX deliveries_(open|failed)/)]);
  }
  expect(asked.length).toBeGreaterThan(10);
});

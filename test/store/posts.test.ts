// What is shown where, for how long that is remembered, and what threads begin with.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SqliteStore, StoredPost } from '../../src/store/index.js';
import { deliveryRows } from '../../src/store/messages/deliveries.js';
import { inbox } from '../../src/store/messages/inbox.js';
import { openWriter } from '../../src/store/open-store.js';
import { openStore } from '../open-store.js';
import { aMessage, batch, tempFolder } from './given.js';

const day = 24 * 3_600_000;

function opened() {
  const path = join(tempFolder(), 'bosun.db');
  const store = openStore(path);
  const db = openWriter(path, {});
  onTestFinished(() => {
    store.close();
    db.close();
  });
  const count = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0]);
  return { path, store, db, count };
}

function say(store: SqliteStore, thread: string, parts: Partial<Parameters<typeof aMessage>[2]> = {}): number {
  const [message] = store.commit(batch({ messages: [aMessage(thread, `${Math.random()}`, parts)] }));
  return Number(message?.id.slice(1));
}

const aPost = (n: number): StoredPost => ({ lane: '7', place: `at ${n}`, ids: [`a${n}`, `b${n}`], n, shown: 'x' });
const shown = (n: number) => ({ root: `m${n}`, post: aPost(n) });

test('old posts and their ids are deleted in batches, except open questions and cards being edited', () => {
  const { store, db, count } = opened();
  const rows = deliveryRows(db, store.thread, { done: 50, failed: 10, posts: 100 });
  db.exec(`PRAGMA foreign_keys = OFF;
    INSERT INTO interactions VALUES ('i1', 'r1', 'p', '', 'open', 'review', 1, '{}'), ('i2', 'r1', 'p', '', 'answered', 'review', 1, '{}')`);
  const asks = say(store, 'tg:7', { interaction: 'i1' });
  const asked = say(store, 'tg:7', { interaction: 'i2' });
  const edited = say(store, 'tg:7', { card: 'c' });
  for (const n of [asks, asked, edited]) rows.end(n, 'sent', shown(n));
  const edit = say(store, 'tg:7', { card: 'c' });
  for (let at = 0; at < 1_000; at += 1) {
    const n = say(store, 'tg:7');
    rows.end(n, 'sent', shown(n));
  }
  expect([asks, asked, edited].map((n) => rows.post(`m${n}`) !== null)).toEqual([true, false, true]);
  expect([asks, asked, edited].map((n) => rows.messageAt('7', `a${n}`))).toEqual([`m${asks}`, null, `m${edited}`]);
  expect(count('SELECT count(*) FROM posts')).toBeLessThanOrEqual(202);
  expect(count('SELECT count(*) FROM post_ids')).toBeLessThanOrEqual(404);
  expect(rows.isOpen(edit)).toBe(true);
  expect(rows.post('m1000')).not.toBeNull();
});

test('deletes of old posts and messages use an index', () => {
  const { db } = opened();
  const asked: string[] = [];
  const prepare = db.prepare.bind(db);
  db.prepare = ((sql: string) => {
    asked.push(sql);
    return prepare(sql);
  }) as typeof db.prepare;
  deliveryRows(db, () => null);
  inbox(db);
  const deletes = asked.filter((sql) =>
    /^DELETE FROM (posts|post_ids|inbox) WHERE (root|id|\(lane, id\)) IN/.test(sql),
  );
  expect(deletes).toHaveLength(3);
  for (const sql of deletes) {
    const values = Array.from(sql.matchAll(/\?/g), () => 1);
    const plan = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
    expect([sql, plan.filter(({ detail }) => /^SCAN /.test(detail))]).toEqual([sql, []]);
  }
});

test('an inbound message is remembered for a week, then deleted if it is done', () => {
  const { db, count } = opened();
  const rows = inbox(db, { ms: 7 * day, rows: 50 });
  const receive = (id: string, at: number) =>
    rows.receive({
      source: 's',
      externalId: id,
      thread: 't',
      by: null,
      at,
      body: { type: 'text', text: '', replyTo: null },
    });
  const pending = receive('pending', 0);
  for (let at = 0; at < 500; at += 1) rows.done([receive(`old ${at}`, at)?.id ?? 0]);
  for (let at = 0; at < 300; at += 1) rows.done([receive(`young ${at}`, 6 * day + at)?.id ?? 0]);
  expect([rows.isKnown('s', 'old 0'), rows.isKnown('s', 'young 0')]).toEqual([true, true]);
  for (let at = 0; at < 400; at += 1) rows.done([receive(`new ${at}`, 8 * day + at)?.id ?? 0]);
  expect([rows.isKnown('s', 'old 0'), rows.isKnown('s', 'old 499'), rows.isKnown('s', 'young 0')]).toEqual([
    false,
    false,
    true,
  ]);
  expect(rows.pendingInbox().map(({ id }) => id)).toEqual([pending?.id]);
  expect(receive('young 0', 8 * day)).toBeNull();
  expect(count('SELECT count(*) FROM inbox')).toBe(701);
});

test('the newest inbound messages are remembered regardless of age', () => {
  const { db } = opened();
  const rows = inbox(db, { ms: day, rows: 250 });
  for (let at = 0; at < 250; at += 1) {
    const row = rows.receive({
      source: 's',
      externalId: `${at}`,
      thread: 't',
      by: null,
      at: at * day,
      body: { type: 'text', text: '', replyTo: null },
    });
    rows.done([row?.id ?? 0]);
  }
  expect(rows.isKnown('s', '0')).toBe(true);
});

test('old messages are forgotten although hundreds of older ones are still pending', () => {
  const { db, count } = opened();
  const rows = inbox(db, { ms: day, rows: 50 });
  const body = { type: 'text', text: '', replyTo: null } as const;
  const receive = (id: string, at: number) =>
    rows.receive({ source: 's', externalId: id, thread: 't', by: null, at, body })?.id ?? 0;
  for (let at = 0; at < 320; at += 1) receive(`pending ${at}`, at);
  for (let at = 0; at < 100; at += 1) rows.done([receive(`old ${at}`, at)]);
  for (let at = 0; at < 200; at += 1) rows.done([receive(`new ${at}`, 3 * day + at)]);
  expect([rows.isKnown('s', 'old 0'), rows.pendingInbox().length]).toEqual([false, 320]);
  expect(count('SELECT count(*) FROM inbox')).toBe(520);
});

test('a new bot account sees no posts of the previous one, and keeps its own on return', () => {
  const { store } = opened();
  const { deliveries } = store;
  const [n, other] = [say(store, 'tg:7'), say(store, 'sl:C01')];
  expect(deliveries.belongTo('telegram', '1')).toBe(false);
  deliveries.end(n, 'sent', shown(n));
  deliveries.end(other, 'sent', { root: `m${other}`, post: { ...aPost(other), lane: 'C01' } });
  deliveries.block('telegram', '7', 9_000);
  expect([deliveries.belongTo('telegram', '1'), deliveries.post(`m${n}`)]).toEqual([false, aPost(n)]);
  expect(deliveries.belongTo('telegram', '2')).toBe(true);
  expect([deliveries.post(`m${n}`), deliveries.messageAt('7', `a${n}`), deliveries.blocks('telegram')]).toEqual([
    null,
    null,
    [],
  ]);
  expect([deliveries.post(`m${other}`) !== null, deliveries.messageAt('C01', `a${other}`)]).toEqual([
    true,
    `m${other}`,
  ]);
  expect(deliveries.belongTo('slack', 'T1:U1')).toBe(false);
  expect(deliveries.belongTo('telegram', '2')).toBe(false);
});

test('a thread’s root is stored with the post that opened it, and the first root stays', () => {
  const { store } = opened();
  const { deliveries } = store;
  const [a, b] = [say(store, 'sl:C01:r12'), say(store, 'sl:C01:r12')];
  const thread = 'sl:C01:r12';
  expect([deliveries.root(thread), deliveries.threadAt('C01', '1.5')]).toEqual([null, null]);
  const post = { ...aPost(a), lane: 'C01' };
  deliveries.step(a, `m${a}`, post, { thread, root: '1.5' });
  deliveries.end(b, 'sent', { root: `m${b}`, post: { ...aPost(b), lane: 'C01' }, opened: { thread, root: '1.6' } });
  deliveries.end(a, 'sent', { root: `m${a}`, post, opened: { thread: 'sl:C01:r13', root: '1.5' } });
  expect([deliveries.root(thread), deliveries.root('sl:C01:r13')]).toEqual(['1.5', null]);
  expect([deliveries.threadAt('C01', '1.5'), deliveries.threadAt('C02', '1.5')]).toEqual([thread, null]);
});

test('failures to be reported are listed oldest first until they are marked as reported', () => {
  const { store } = opened();
  const { deliveries } = store;
  const [a, b, c] = [say(store, 'tg:7'), say(store, 'tg:8'), say(store, 'tg:9')];
  deliveries.fail(b, 'gone', 5, true);
  deliveries.fail(c, 'gone', 5);
  deliveries.fail(a, 'blocked', 6, true);
  const untold = () => deliveries.untold('telegram', 10).map(({ message, problem }) => [message.id, problem]);
  expect(untold()).toEqual([
    [`m${a}`, 'blocked'],
    [`m${b}`, 'gone'],
  ]);
  deliveries.told(a);
  expect([untold(), deliveries.untold('slack', 10)]).toEqual([[[`m${b}`, 'gone']], []]);
});

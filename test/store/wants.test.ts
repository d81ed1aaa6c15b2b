import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openWriter } from '../../src/store/open-store.js';
import { openStore } from '../open-store.js';
import { batch, tempFolder } from './given.js';

const want = (project: string) => ({ type: 'topic', chat: '-1001', project, thread: 'tg:-1001' }) as const;

it('keeps channel requests over a restart until they are done', () => {
  const path = join(tempFolder(), 'bosun.db');
  const before = openStore(path);
  before.commit(batch({ wants: [want('shop'), want('blog')] }));
  before.close();
  const store = openStore(path);
  expect(store.wants.open()).toEqual([
    { n: 1, ...want('shop') },
    { n: 2, ...want('blog') },
  ]);
  store.commit(batch({ wantsDone: [1] }));
  expect(store.wants.open().map(({ project }) => project)).toEqual(['blog']);
  store.close();
});

it('keeps only the newest 200 channel requests', () => {
  const path = join(tempFolder(), 'bosun.db');
  const store = openStore(path);
  store.commit(batch({ wants: Array.from({ length: 250 }, (_, index) => want(`p${index}`)) }));
  const open = store.wants.open();
  expect([open.length, open[0]?.project, open.at(-1)?.project]).toEqual([200, 'p50', 'p249']);
  const db = openWriter(path, {});
  expect(db.prepare('SELECT count(*) AS rows FROM wants').get()).toEqual({ rows: 200 });
  db.close();
  store.close();
});

it('skips malformed channel requests', () => {
  const path = join(tempFolder(), 'bosun.db');
  const store = openStore(path);
  store.commit(batch({ wants: [want('shop')] }));
  const db = openWriter(path, {});
  const put = db.prepare('INSERT INTO wants (body) VALUES (?)');
  for (const body of ['', '{', 'null', '{"type":"party"}', JSON.stringify({ ...want('shop'), chat: 'rm -rf' })])
    put.run(body);
  db.close();
  expect(store.wants.open().map(({ n }) => n)).toEqual([1]);
  store.close();
});

// Words in messages, commits and logs: each is found where it stands, in a bounded part that the page names.
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { projectNamed } from '../../src/config/index.js';
import type { Interaction } from '../../src/engine/index.js';
import type { SqliteStore } from '../../src/store/open-store.js';
import { batchOf } from '../empty-batch.js';
import { aMessage, anInteraction, aRun, aState, batch } from '../store/values.js';
import { given } from './given.js';

function found(html: string) {
  const part = /<section id="found"([\s\S]*?)<\/section>/.exec(html)?.[1] ?? '';
  const items = part.split('<li>').slice(1);
  return {
    hits: items.map((item) => ({
      href: /href="([^"]*)"/.exec(item)?.[1]?.replaceAll('&amp;', '&'),
      text: /dir="auto">(.*?)<\/a>/s.exec(item)?.[1],
      where: [...item.matchAll(/<span>([^<]*)<\/span>/g)].map(([, one]) => one),
    })),
    further: /href="([^"]*)">Search further back/.exec(part)?.[1]?.replaceAll('&amp;', '&'),
  };
}

it('finds what Bosun and people wrote, once for each card, and goes on where a search ended', async () => {
  const { app, get, post } = await given();
  await post('/api/say', { text: 'shop: draw the <b>Zebra</b>' });
  const store = app.runtime.store as SqliteStore;
  const say = (text: string, card: string | null = null) =>
    store.commit(batchOf({ messages: [aMessage('web', text, { run: 'r1', card })] }));
  say('first of\nthe zebra crossing', 'c1');
  say('edited: the zebra crossing', 'c1');
  for (let n = 0; n < 5_100; n += 1) say(`nothing ${n}`);
  const newest = found((await get('/history?q=zebra&in=messages')).text);
  expect(newest.hits.map(({ text }) => text)).toEqual(['shop: draw the &lt;b&gt;<mark>Zebra</mark>&lt;/b&gt;']);
  const older = found((await get(newest.further ?? '')).text);
  expect(older.hits.filter(({ text }) => text?.includes('crossing'))).toEqual([
    { href: '/runs/r1', text: 'edited: the <mark>zebra</mark> crossing', where: ['Bosun', 'r1', 'page'] },
  ]);
  expect(older.further).toBeUndefined();
});

it('finds the subjects and ids of commits, in the projects that the viewer sees', async () => {
  const { app, get } = await given();
  const root = projectNamed(app.config(), 'shop')?.root ?? '';
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  git('commit', '-q', '--allow-empty', '-m', 'Share the parser\twith gift cards');
  const sha = git('rev-parse', 'HEAD');
  const by = { href: '/projects/shop', where: ['shop', sha.slice(0, 10), 'Test'] };
  expect(found((await get('/history?q=GIFT%20card&in=commits')).text).hits).toEqual([
    { ...by, text: 'Share the parser with <mark>gift card</mark>s' },
  ]);
  expect(found((await get(`/history?q=${sha.slice(0, 8)}&in=commits`)).text).hits.length).toBe(1);
  expect(found((await get('/history?q=gift&in=commits&project=bank')).text).hits).toEqual([]);
});

it('leads from a commit to the run that made it', async () => {
  const { app, get, post } = await given({ work: true });
  await post('/api/requests', { do: 'run', project: 'shop', task: 'draw a zebra', wait: true, timeoutMs: 20_000 });
  const [asked] = app.runtime.store.openInteractions('shop');
  await post('/api/press', { press: `${asked?.interaction.id}.approve` });
  await app.runtime.whenAtRest('shop', 20_000);
  const root = projectNamed(app.config(), 'shop')?.root ?? '';
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const commits = async () => found((await get('/history?q=zebra&in=commits')).text).hits;
  expect(await commits()).toMatchObject([{ href: '/runs/r1', where: ['shop', 'r1', expect.any(String), 'Test'] }]);
  const trailer = /^Bosun: .*$/m.exec(git('log', '-1', '--format=%B'))?.[0] ?? '';
  expect(trailer).toMatch(/^Bosun: r1-/);
  // A clone of another home's work, where another run has that number.
  git('commit', '-q', '--amend', '-m', `a zebra of another home\n\n${trailer.slice(0, -1)}`);
  expect(await commits()).toMatchObject([{ href: '/projects/shop', where: ['shop', expect.any(String), 'Test'] }]);
});

it('finds lines of logs and leads to each', async () => {
  const agent = 'cat > /dev/null\necho one\necho "a zebra at line two"\necho "STATUS: pass"\n';
  const { get, post } = await given({ agent, work: true });
  await post('/api/requests', { do: 'run', project: 'shop', task: 'draw', wait: true, timeoutMs: 20_000 });
  const { hits } = found((await get('/history?q=zebra&in=logs')).text);
  const [hit] = hits.filter(({ text }) => text?.includes('at line two'));
  expect(hit?.text).toBe('a <mark>zebra</mark> at line two');
  expect(hit?.href).toMatch(/^\/runs\/r1\/attempts\/[^?]+\?line=2#L2$/);
  expect(hit?.where).toEqual(['shop', 'r1', expect.stringMatching(/attempt 1$/), 'line 2']);
  expect((await get(hit?.href?.split('#')[0] ?? '')).text).toContain('id="L2"');
});

it('finds a run with an open failure as failed, as its line says, and not as waiting', async () => {
  const { app, get } = await given();
  const waiting = (number: number, task: string, kind: Interaction['kind']) => ({
    before: null,
    after: aState(aRun(number, { task, status: 'paused' }), {
      interactions: [anInteraction(`i${number}-1`, { kind })],
    }),
  });
  const states = [waiting(1, 'mend the cart', 'escalation'), waiting(2, 'paint the door', 'review')];
  app.runtime.store.commit(batch({ states }));
  const tasks = async (filter: string) => {
    const { text } = await get(`/history?${filter}`);
    const rows = /<section id="runs"([\s\S]*?)<\/section>/.exec(text)?.[1] ?? '';
    return ['mend the cart', 'paint the door'].filter((task) => rows.replaceAll(/<[^>]*>/g, '').includes(task));
  };
  expect(await tasks('status=failed')).toEqual(['mend the cart']);
  expect(await tasks('q=state:failed')).toEqual(['mend the cart']);
  expect(await tasks('q=mend&status=failed')).toEqual(['mend the cart']);
  expect(await tasks('status=paused')).toEqual(['paint the door']);
  expect((await get('/history')).text).toMatch(/failed <span class="soft num">1</);
});

it('shows a failed run once although many waiting ones are newer', async () => {
  const { app, get } = await given();
  const paused = Array.from({ length: 100 }, (_, n) => ({
    before: null,
    after: aState(aRun(n + 2, { task: `waits ${n}`, status: 'paused' })),
  }));
  const failed = { before: null, after: aState(aRun(1, { task: 'mend the cart', status: 'failed' })) };
  app.runtime.store.commit(batch({ states: [failed, ...paused] }));
  let seen = 0;
  let path: string | undefined = '/history?status=failed';
  for (let pages = 0; path !== undefined && pages < 10; pages += 1) {
    const { text } = await get(path);
    seen += /<section id="runs"([\s\S]*?)<\/section>/.exec(text)?.[1]?.split('mend the cart').length ?? 1;
    seen -= 1;
    path = /<p class="more"><a href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  expect([seen, path]).toEqual([1, undefined]);
});

import { existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openWriter } from '../../src/store/open-store.js';
import { storiesText } from '../../src/web/pages/run/stories.js';
import { def, item, loop, Player, workflow } from '../engine/builders.js';
import { aMessage, anInteraction, aRun, aState, aWalk, batch, stepped } from '../store/values.js';
import { type Given, given, openLines, waitingAgent } from './given.js';

const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)> \u202egnp.exe & {{x}} </title></style>';

it('the home page shows open cards with their buttons, running work and projects', async () => {
  const { get, post } = await given();
  await post('/api/say', { text: 'A: mend the cart' });
  const reply = await get('/');
  expect(reply.headers['content-type']).toContain('text/html');
  expect(reply.text).toMatch(/Needs you[\s\S]*mend the cart[\s\S]*Working[\s\S]*Projects[\s\S]*shop/);
  expect(reply.text).toMatch(/<button[^>]* value="i1-1\.\w+"/);
});

it('the answered cards name who started a task, also after its end', async () => {
  const { app, get, post } = await given();
  await post('/api/say', { text: 'start shop: mend the cart', thread: 'local' });
  await post('/api/press', { press: 'i1-1.start', thread: 'local' });
  await post('/api/say', { text: 'abort shop', thread: 'local' });
  await post('/api/press', { press: 'i1-2.abort', thread: 'local' });
  expect(app.runtime.store.run('r1')?.status).toBe('cancelled');
  expect(app.runtime.store.cardMessage('local', 'i1-1')?.view.text).toMatch(/^⏹ Aborted · mend the cart/);
  expect((await get('/inbox?show=answered')).text).toMatch(/mend the cart[\s\S]*Started by Owner/);
});

it('pages escape hostile text and allow only scripts and styles of this server', async () => {
  const { get, post } = await given();
  await post('/api/say', { text: `A: ${hostile}`, thread: '<b>t</b>' });
  await post('/api/say', { text: hostile, thread: 'web' });
  for (const path of ['/', '/chat', '/inbox', '/history', '/runs/r1', '/runs/r1/history', '/audit']) {
    const { text, headers } = await get(path);
    expect(`${path} ${text.includes('&lt;script&gt;alert(1)')}`).toBe(`${path} true`);
    expect(text).not.toMatch(
      /<script(?! type="module" src="\/assets\/[0-9a-f]{16}\/page\.js")|<img|<b>|<iframe|<style/i,
    );
    expect(text).not.toMatch(/<[^>]*\s(on\w+|style)=/i);
    expect(text).not.toContain('\u202e');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|data:|\*/);
    expect(headers['x-frame-options']).toBe('DENY');
  }
});

it('style sheets and scripts are served as immutable under a content hash', async () => {
  const { get, call } = await given();
  const { text } = await get('/');
  const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(paths.map((path) => path.split('/').at(-1))).toEqual(
    expect.arrayContaining(['icon.svg', 'style.css', 'page.js', 'freshness.js']),
  );
  for (const path of paths) {
    const { status, headers, text } = await call(path);
    expect(status).toBe(200);
    expect(headers['cache-control']).toContain('immutable');
    // What the code imports lies where it looks for it, and the page names it beforehand.
    const imported = [...text.matchAll(/^import (?:.* from )?'(.+)';$/gm)].map(([, to = '']) => to);
    for (const to of imported) expect(paths).toContain(new URL(to, `http://bosun${path}`).pathname);
    expect((await call(path.replace(/[0-9a-f]{16}/, '0000000000000000'))).status).toBe(404);
  }
  expect((await call('/assets/..%2fapp.ts')).status).toBe(404);
});

it('an unknown address gets an HTML page in a browser and a problem in a program', async () => {
  const { call, get, home } = await given();
  const headers = { authorization: `Bearer ${home.apiToken}`, accept: 'text/html' };
  const page = await call('/nothing/<b>here', { headers });
  expect(page.status).toBe(404);
  expect(page.text).toMatch(/Not found[\s\S]*\/nothing\/(&lt;|%3C)b[\s\S]*<a href="\/">Home/);
  for (const reply of [await get('/nothing'), await call('/api/nothing', { headers })]) {
    expect(reply.status).toBe(404);
    expect(reply.headers['content-type']).toContain('application/problem+json');
  }
});

it('a project with a draft is ready to start', async () => {
  const { get, post } = await given();
  const stories = [{ id: 'US-1', title: 'First', description: 'x', acceptanceCriteria: ['y'] }];
  await post('/api/requests', { do: 'import', project: 'shop', stories, file: 'prd.json' });
  for (const path of ['/', '/projects/shop']) {
    const { text } = await get(path);
    expect(text).toContain('not started');
    expect(text).not.toContain('waiting for');
  }
});

it('a visitor without a login learns only how to log in', async () => {
  const { call, post } = await given();
  await post('/api/say', { text: 'A: a secret plan' });
  for (const path of ['/', '/chat', '/runs/r1', '/projects/shop', '/audit', '/nothing']) {
    const reply = await call(path, { headers: { accept: 'text/html' } });
    expect(reply.status).toBe(401);
    expect(reply.text).toContain('bosun web');
    expect(reply.text).not.toMatch(/shop|secret plan/);
  }
  expect((await call('/live')).status).toBe(401);
});

it('the list of workflows says of each what it does and its steps', async () => {
  const { get } = await given();
  const { text } = await get('/workflows');
  expect(text).toMatch(
    /href="\/workflows\/quick"[\s\S]*?used by shop[\s\S]*?<p class="soft" dir="auto">[^<]*implement → [^<]*review/,
  );
  expect(text).not.toContain('It has a problem');
});

it('a run page lists its stories with their acceptance criteria', async () => {
  const { get, post } = await given();
  const stories = [
    { id: 'US-1', title: hostile, acceptanceCriteria: ['orders are listed', hostile] },
    { id: 'US-2', title: 'second', depends_on: ['US-1'] },
  ];
  await post('/api/requests', {
    do: 'import',
    project: 'shop',
    file: 'prd.json',
    workflow: 'micro-waterfall',
    stories,
  });
  const { text } = await get('/runs/r1');
  expect(text).toMatch(/<strong>US-1<\/strong>[\s\S]*orders are listed/);
  expect(text).not.toMatch(/<img|\u202e/i);
  expect((await get('/history')).text).toContain('href="/runs/r1"');
  // A run leads to what was said about it.
  expect((await get('/runs/r1')).text).toContain('href="/projects/shop?about=r1#talk"');
});

it('counts the retries of a story that was sent back', async () => {
  const player = Player.start(workflow([loop('stories', [def('build')], { maxRejections: 3 })]), {
    items: [item('US-1')],
  });
  const { run, items, chain, workflow: flow } = player.state;
  const spine = { run, items, chain, workflow: flow, interactions: [] };
  const shown = (rejections: number) =>
    storiesText({ chain: () => null }, { ...spine, items: items.map((one) => ({ ...one, rejections })) });
  expect(await shown(2)).toContain('2 of 3 retries');
  expect(await shown(0)).not.toContain('retries');
});

it.each([
  ['/runs/r9', 404, 'No run &quot;r9&quot;'],
  ['/runs/r1/attempts/none', 404, 'No attempt &quot;none&quot;'],
  ['/projects/none', 404, 'No project &quot;none&quot;'],
  ['/workflows/none', 404, 'No workflow &quot;none&quot;'],
  ['/workflows/..%2F..%2Fetc%2Fpasswd', 404, 'No workflow'],
])('answers %s with a 404 page', async (path, status, words) => {
  const { get, post } = await given();
  await post('/api/say', { text: 'A: mend the cart' });
  const reply = await get(path);
  expect(reply.status).toBe(status);
  expect(reply.text).toContain(words);
  expect(reply.headers['content-type']).toContain('text/html');
});

it('an unreadable database is reported on the page without internals', async () => {
  const levels: unknown[] = [];
  const { get, app, logged } = await given({ onLog: (_, more) => levels.push(more?.level) });
  app.runtime.store.close();
  for (const path of ['/', '/chat', '/runs/r1']) {
    const reply = await get(path);
    expect(reply.status).toBeGreaterThanOrEqual(500);
    expect(reply.text).toMatch(/<h1[^>]*>(Something went wrong|Bosun failed)/);
    expect(reply.text).not.toMatch(/node_modules|\.ts:|SELECT/);
  }
  expect(logged.join('\n')).toContain('page /');
  expect(new Set(levels)).toEqual(new Set(['error']));
});

it('pages accept any query value without failing', async () => {
  const { get, post } = await given();
  await post('/api/say', { text: 'A: mend the cart' });
  const odd = ['-1', '1e9', 'x', '%00', '9'.repeat(300), '<b>'];
  for (const value of odd) {
    for (const path of [
      `/runs/r1?steps=${value}&items=${value}&attempts=${value}`,
      `/runs/r1/history?at=${value}`,
      `/history?project=${value}&status=${value}&before=${value}`,
      `/history?q=${value}&before=${value}`,
      `/audit?by=${value}&before=${value}`,
    ]) {
      expect(`${path}: ${(await get(path)).status}`).toBe(`${path}: 200`);
    }
  }
});

it('an expensive page asks to be refreshed rarely or not at all', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  const { get, post, app, attempt, goPath } = bosun;
  await post('/api/requests', { do: 'run', project: 'shop', task: 'x' });
  const path = `/runs/r1/attempts/${encodeURIComponent(await attempt())}`;
  const saidBy = async (of: string) => /<html [^>]*(data-still|data-gap="\d+")/.exec((await get(of)).text)?.[1];
  const running = [`${path}`, `${path}?show=diff`, `${path}?more=1`, `${path}?show=prompt`];
  const seldom = 'data-gap="5000"';
  expect(await Promise.all(running.map(saidBy))).toEqual([undefined, seldom, seldom, 'data-still']);
  writeFileSync(goPath, '');
  await app.runtime.whenAtRest('shop', 20_000);
  const over = [`${path}`, `${path}?show=diff`, `${path}?more=1`, `${path}?show=prompt`];
  expect(await Promise.all(over.map(saidBy))).toEqual([undefined, 'data-still', 'data-still', 'data-still']);
  expect(await saidBy('/runs/r1/changes')).toBe(seldom);
});

it('an expensive page counts against the limit of open streams', async () => {
  const bosun = await given({ work: true });
  const { get, post, app } = bosun;
  await post('/api/requests', { do: 'run', project: 'shop', task: 'x', wait: true, timeoutMs: 20_000 });
  const [row] = app.runtime.store.attemptsOfRun('r1', 1);
  const path = `/runs/r1/attempts/${encodeURIComponent(row?.attempt.id ?? '')}`;
  const open = Array.from({ length: 200 }, () => openLines(`${bosun.web.url}/live`, withToken(bosun)));
  const lines = await Promise.all(open);
  for (const dear of [`${path}?show=diff`, `${path}?show=prompt`, '/runs/r1/history'])
    expect([dear, (await get(dear)).status]).toEqual([dear, 503]);
  await Promise.all(lines.map((one) => one.close()));
});

const withToken = ({ home }: Given) => ({ headers: { authorization: `Bearer ${home.apiToken}` } });

it('concurrent audit checks share one walk of the event chain without blocking other requests', async () => {
  const { get, app } = await given();
  const { store } = app.runtime;
  let [walks, isHeld] = [0, true];
  Object.assign(store, {
    auditBreak: () => null,
    *auditWalk() {
      walks += 1;
      while (isHeld) yield;
      return null;
    },
  });
  const asked = [get('/audit?check=1'), get('/audit?check=1')];
  await expect.poll(() => walks).toBe(1);
  expect((await get('/healthz')).status).toBe(200);
  isHeld = false;
  for (const reply of await Promise.all(asked)) expect(reply.text).toContain('events are consistent');
  expect(walks).toBe(1);
});

it('the audit page pages back from any event', async () => {
  const { get, home } = await given();
  const db = openWriter(home.dbPath, {});
  const insert = db.prepare(
    `INSERT INTO events (seq, run, chain, type, at, "by", payload, hash) VALUES (?, 'r1', '', 'pause', 1, 'ada', ?, '')`,
  );
  const payload = JSON.stringify({ type: 'pause', run: 'r1', chain: '', at: 1, by: 'ada' });
  for (let seq = 2_000_001; seq <= 2_000_060; seq += 1) insert.run(seq, payload);
  db.close();
  const { text } = await get('/audit');
  const [, earlier = ''] = /href="(\/audit\?[^"]+before=[^"]+)"/.exec(text) ?? [];
  const next = await get(earlier.replaceAll('&amp;', '&'));
  expect(next.text).toContain('>2000001<');
  expect(next.text).not.toContain('>2000059<');
});

it('the audit page offers the members as filters, and a set one as a chip that takes it away', async () => {
  const { get } = await given({ people: { ada: {} }, project: { members: { ada: 'operator' } } });
  const all = (await get('/audit')).text;
  const offered = [...all.matchAll(/<a href="(\/audit\?by=[^"]+)"[^>]*>([^<]+)</g)].map(([, ...one]) => one);
  expect(offered).toEqual([
    ['/audit?by=owner', 'Owner'],
    ['/audit?by=ada', 'Ada'],
  ]);
  expect(all).not.toContain('remove this filter');
  const gone = (await get('/audit?by=gone%20<b>')).text;
  expect(gone).toMatch(/href="\/audit"><span class="soft">person<\/span> Gone &lt;b&gt;/);
});

it('the chat page shows each card once in its newest version and links to earlier messages', async () => {
  const { get, post, app } = await given();
  await post('/api/say', { text: 'help', thread: 'web' });
  const at = Date.now() + 1_000;
  const posted = (n: number, text: string, card: string | null = null) => aMessage('web', text, { card, at: at + n });
  const edits = Array.from({ length: 150 }, (_, n) => posted(2, `progress ${n} of 150`, 'card-1'));
  app.runtime.store.commit(batch({ messages: [posted(1, 'a first word'), ...edits] }));
  const one = (await get('/chat')).text;
  expect(one).toContain('a first word');
  expect(one.match(/progress \d+ of 150/g)).toEqual(['progress 149 of 150']);
  expect(one).not.toContain('Earlier');
  app.runtime.store.commit(batch({ messages: Array.from({ length: 120 }, (_, n) => posted(3 + n, `word ${n}.`)) }));
  const two = (await get('/chat')).text;
  expect(two).not.toMatch(/a first word|progress/);
  expect([two.includes('word 0.'), two.includes('word 119.')]).toEqual([true, true]);
  const [, earlier = ''] = /href="(\/chat\?before=m\d+)"/.exec(two) ?? [];
  const three = (await get(earlier)).text;
  expect(three).toMatch(/help[\s\S]*a first word[\s\S]*progress 149[\s\S]*<\/ol>/);
  expect(three).not.toContain('word 0.');
  expect(three.match(/<pre dir="auto">help<\/pre>/g)).toHaveLength(1);
});

const openFiles = '/proc/self/fd';

it.skipIf(!existsSync(openFiles))('a HEAD request for a log leaves no file open', async () => {
  const agent = 'cat > /dev/null\nseq 1 20000\necho "STATUS: pass"\n';
  const { get, post, app, call, home } = await given({ work: true, agent });
  await post('/api/requests', { do: 'run', project: 'shop', task: 'x', wait: true, timeoutMs: 20_000 });
  const [row] = app.runtime.store.attemptsOfRun('r1', 1);
  const path = `/runs/r1/attempts/${encodeURIComponent(row?.attempt.id ?? '')}/log`;
  const headers = { authorization: `Bearer ${home.apiToken}` };
  expect((await get(path)).headers['content-disposition']).toContain('.jsonl');
  const open = () =>
    readdirSync(openFiles).filter((name) => {
      try {
        return readlinkSync(join(openFiles, name)).startsWith(join(home.dir, 'attempt-logs'));
      } catch {
        // The one that this list was read with.
        return false;
      }
    });
  for (let n = 0; n < 30; n += 1)
    expect((await call(path, { method: 'HEAD', headers })).headers['content-disposition']).toContain('.jsonl');
  // The last of them may be about to be closed; what is left to whoever collects garbage is open for long.
  expect(open().length).toBeLessThan(5);
});

it('the chat page leaves out the result codes that its JSON keeps', async () => {
  const { get, post } = await given();
  const said = await post('/api/say', { text: 'continue shop', thread: 'web' });
  expect(said.text).toContain('shop is idle (E006).');
  const { text } = await get('/chat');
  expect(text).toContain('shop is idle. Give it a task');
  expect(text).not.toContain('E006');
});

it('long lists say how much is left out and link to it', async () => {
  const { get, app } = await given();
  const { projects } = app.config();
  const many = Array.from({ length: 121 }, (_, n) => ({ ...projects[0], name: n === 0 ? 'shop' : `p${n}` }));
  const config = { ...app.config(), projects: many };
  Object.assign(app, { config: () => config });
  expect((await get('/')).text).toContain('1 to 100 of 121');
  expect((await get('/?projects=100')).text).toMatch(/101 to 121 of 121[\s\S]*href="\/\?projects=0#projects"/);
  const interactions = Array.from({ length: 310 }, (_, n) => anInteraction(`i1-${n}`));
  const walk = { ...aWalk(1, 1), interactions };
  app.runtime.store.commit(batch({ states: [{ before: null, after: walk }] }));
  expect((await get('/runs/r1')).text).toContain('And 300 more');
  expect((await get('/inbox?all=1')).text).toContain('And 10 more');
});

it('the history finds runs by their task and by what was asked and answered', async () => {
  const { get, post } = await given();
  await post('/api/say', { text: 'A: mend the cart' });
  await post('/api/say', { text: 'A: paint the door' });
  await post('/api/press', { press: 'i2-1.cancel', text: 'the carpenter comes first' });
  const found = async (words: string) => {
    const { text } = await get(`/history?q=${encodeURIComponent(words)}`);
    return [...new Set([...text.matchAll(/href="\/runs\/(r\d+)" dir/g)].map(([, run]) => run))];
  };
  expect(await found('CART')).toEqual(['r1']);
  expect(await found('carpenter')).toEqual(['r2']);
  expect(await found('shop')).toEqual(['r2', 'r1']);
  expect(await found('nothing like it')).toEqual([]);
  expect((await get('/history?q=CART')).text).toContain('mend the <mark>cart</mark>');
});

it('the history is narrowed by links, each with its count, and each filter can be removed', async () => {
  const { get, post, app } = await given();
  await post('/api/say', { text: 'A: mend the cart' });
  await post('/api/say', { text: 'A: paint the door' });
  await post('/api/press', { press: 'i2-1.cancel', text: 'the carpenter comes first' });
  const old = aRun(7, { task: 'long ago', createdBy: 'bob', workflow: 'quick', status: 'completed', createdAt: 1 });
  app.runtime.store.commit(batch({ states: [{ before: null, after: aState(old) }] }));
  const found = async (query: string) => {
    const { text } = await get(`/history?${query}`);
    return [...new Set([...text.matchAll(/href="\/runs\/(r\d+)" dir/g)].map(([, run]) => run))];
  };
  const { text } = await get('/history');
  expect(text).toMatch(/href="\/history\?by=bob">Bob <span class="soft num">1</);
  expect(text).toMatch(/href="\/history\?status=cancelled">aborted <span class="soft num">1</);
  expect(await found('')).toEqual(['r7', 'r2', 'r1']);
  expect(await found('by=bob')).toEqual(['r7']);
  expect(await found('since=day')).toEqual(['r2', 'r1']);
  expect(await found('since=day&status=cancelled')).toEqual(['r2']);
  expect(await found('workflow=quick&q=ago')).toEqual(['r7']);
  expect(await found('by=bob&q=cart')).toEqual([]);
  const narrowed = await get('/history?q=cart&since=day');
  expect(narrowed.text).toContain('<a class="token" href="/history?q=cart">');
});

it('a button says the words of chat, and only where the role allows them', async () => {
  const { get, post } = await given();
  await post('/api/say', { text: 'A: mend the cart' });
  const { text } = await get('/runs/r1');
  expect(text).toMatch(/<button type="submit" name="text" value="abort shop"[^>]* data-confirm="Abort this run\?/);
  expect(text).toContain('value="continue shop"');
  expect(text).not.toContain('value="stop shop"');
});

it('a page reads a run once, however many of its attempts are running', async () => {
  const { get, app } = await given();
  const { store } = app.runtime;
  const live = Array.from({ length: 15 }, (_, n) => {
    return { attempt: `a${n}`, chain: '', node: 'n1', step: 'impl', startedAt: null };
  });
  const running = stepped(aWalk(1, 2));
  const after = { ...running, run: { ...running.run, live } };
  store.commit(batch({ states: [{ before: null, after }] }));
  const spine = store.spine.bind(store);
  let reads = 0;
  Object.assign(store, {
    spine: (id: string) => {
      reads += 1;
      return spine(id);
    },
  });
  const { text } = await get('/');
  expect(text.match(/attempt 1/g)?.length).toBeGreaterThan(10);
  expect(reads).toBeLessThan(4);
  reads = 0;
  await get('/runs/r1');
  expect(reads).toBe(1);
});

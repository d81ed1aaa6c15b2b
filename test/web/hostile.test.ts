// Every text that a page may show, made hostile at once: whatever the store, the config and the workers tell. No page is
// asked which of them it shows.
import { expect, it, onTestFinished, vi } from 'vitest';
import { perform } from '../../src/bot/index.js';
import type { WebServices } from '../../src/web/context/web-context.js';
import { startWeb } from '../../src/web/index.js';
import { given } from './given.js';

// It renders every page twice.
vi.setConfig({ testTimeout: 60_000 });

const e = '\u001b';
const hostile = `"'><script>alert(1)</script><img src=//evil.example/x onerror=alert(1)>${e}]8;;http://evil.example\u0007l${e}[31m\u202egnp</title></style>javascript:{{x}}`;

/** Words of Bosun's own, ids, and what pages look things up by: nobody else writes them. */
const own = new Set([
  ...['id', 'run', 'node', 'loop', 'attempt', 'interaction', 'edits', 'thread', 'press', 'token', 'hash', 'at'],
  ...['kind', 'state', 'status', 'type', 'outcome', 'pauseReason', 'level', 'deliver', 'mode', 'role', 'over', 'to'],
  ...['logPath', 'checkpoint', 'day', 'card', 'redis', 'source', 'route', 'severity', 'access', 'op', 'on', 'when'],
]);

function tainter(text: string) {
  const isTainted = (value: string) => value.endsWith(text);
  const taint = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return own.has(key) || value === '' || isTainted(value) ? value : value + text;
    if (value === null || typeof value !== 'object' || value instanceof Date) return value;
    if (Array.isArray(value)) return value.map((one) => taint(one, key));
    if (value instanceof Map) return new Map([...value].map(([name, one]) => [name, taint(one)]));
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, taint(one, name)]));
  };
  const plain = (value: unknown): unknown =>
    typeof value === 'string' && isTainted(value) ? value.slice(0, -text.length) : value;
  /** Answers are tainted; who asks with such a text means the one behind it. */
  const around = <T extends object>(target: T, more: Readonly<Record<string, unknown>> = {}): T =>
    new Proxy(target, {
      get(_, key) {
        if (typeof key === 'string' && key in more) return more[key];
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value === 'function')
          return (...args: readonly unknown[]) => taint(Reflect.apply(value, target, args.map(plain)));
        return key === 'browsing' && typeof value === 'object' && value !== null ? around(value) : value;
      },
    });
  return { taint, around };
}

async function tainted(text: string) {
  const { app, home, post } = await given({ work: true, agent: 'cat > /dev/null\necho "SUMMARY: no"\nexit 1\n' });
  const stories = [
    { id: 'US-1', title: 'first', description: 'd', acceptanceCriteria: ['a'] },
    { id: 'US-2', title: 'second', depends_on: ['US-1'] },
  ];
  const speaker = { thread: 'web', as: null, cwd: '/' };
  await perform(app, { do: 'import', project: 'shop', file: 'prd.json', workflow: 'feature-dev', stories, ...speaker });
  await post('/api/say', { text: 'continue shop', thread: 'web' });
  await post('/api/say', { text: 'A: mend the cart', thread: 'web' });
  await app.runtime.whenAtRest(null, 15_000);
  const [row] = app.runtime.store.attemptsOfRun('r1', 1);
  const { taint, around } = tainter(text);
  const store = around(app.runtime.store);
  const self = {
    ...{ host: 'h', isAway: true, can: ['gpu'], version: '9', isForeign: true, isDraining: false },
    runs: [row?.attempt.id ?? ''],
  };
  const workers = () => [taint({ name: 'w', seenAt: 1, load: { running: 1, slots: 2 }, self })];
  const work = {
    attempt: row?.attempt.id ?? '',
    needs: ['gpu', 'n'],
    since: 1,
    notBefore: Date.now() * 2,
    worker: 'w',
  };
  const part = { count: 1, oldest: [work] };
  const groups = [{ project: 'shop', needs: ['gpu'], count: 1 }];
  const redis = { kind: 'away', problem: 'gone' };
  const queueView = () => taint({ redis, waiting: part, offered: part, running: part, groups });
  const lastSign = () => taint({ action: 'a', text: 't', line: 'l', at: 1, silentMs: 1e6, tokensIn: 1, tokensOut: 1 });
  const runtime = around(app.runtime, { store, reader: store, workers, queueView, lastSign });
  const config = () => taint(app.config()) as ReturnType<typeof app.config>;
  const services: WebServices = { ...app, runtime, config };
  const log: string[] = [];
  const web = await startWeb(services, {
    host: '127.0.0.1',
    port: 0,
    version: '1',
    log: (line) => void log.push(line),
  });
  onTestFinished(() => web.close());
  const attempt = `/runs/r1/attempts/${encodeURIComponent(row?.attempt.id ?? '')}`;
  const headers = { authorization: `Bearer ${home.apiToken}`, accept: 'text/html' };
  return { attempt, log, text, get: (path: string) => fetch(`${web.url}${path}`, { headers }) };
}

const name = (word: string) => encodeURIComponent(word + hostile);
const pages = (attempt: string) => [
  ...['/', '/chat', '/inbox', '/history', '/workflows', '/costs', '/workers', '/queue', '/audit?check=1'],
  ...['/runs/r1', '/runs/r1/history', '/runs/r1/history?at=9', '/runs/r1/workflow', '/runs/r2', '/runs/r2/history'],
  ...['', '?show=report', '?show=prompt', '?show=diff'].map((query) => `${attempt}${query}`),
  ...[`/projects/${name('shop')}`, `/projects/${name('x')}`, `/workflows/${name('x')}`, `/runs/${name('r')}`],
];

it('hostile text is shown as plain text on every page', async () => {
  const { get, attempt, log } = await tainted(hostile);
  const shown: string[] = [];
  for (const path of pages(attempt)) {
    const reply = await get(path);
    const html = await reply.text();
    expect(`${path}: ${reply.headers.get('content-type')}`).toBe(`${path}: text/html; charset=utf-8`);
    expect(`${path}: ${reply.status >= 500}: ${log.join('\n')}`).toBe(`${path}: false: `);
    const own = html.replace(/<script type="module" src="\/assets\/[0-9a-f]{16}\/page\.js"><\/script>/, '');
    const alive = [
      /<script/i,
      /<img/i,
      /\son\w+=[^ ]*alert\(1\)>/,
      /\u202e/,
      new RegExp(e),
      /(href|src|action)="javascript/i,
    ];
    expect(`${path}: ${alive.filter((one) => one.test(own)).join()}`).toBe(`${path}: `);
    expect(`${path}: ${(own.match(/<\/title>|<\/style>/g) ?? []).length - (own.match(/<title>/g) ?? []).length}`).toBe(
      `${path}: 0`,
    );
    if (own.includes('&lt;script&gt;alert(1)')) shown.push(path);
  }
  expect(pages(attempt).filter((path) => !shown.includes(path))).toEqual([]);
});

it('overlong text is cut on every page', async () => {
  const { get, attempt } = await tainted('x'.repeat(1_000_000));
  for (const path of pages(attempt)) {
    const { length } = await (await get(path)).text();
    expect(`${path}: ${length > 200_000 ? length : 'fits'}`).toBe(`${path}: fits`);
  }
});

import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { maxWrongTokens, wrongTokensWindowMs } from '../../src/web/access/wrong-tokens.js';
import { webApp } from '../../src/web/app.js';
import { Logins, sessionTtlMs } from '../../src/web/context/logins.js';
import type { WebContext } from '../../src/web/context/web-context.js';
import { browserOf, given, logIn } from './given.js';

const pathOf = (link: string) => link.replace(/^http:\/\/[^/]+/, '');

describe('access to the web side', () => {
  it('lets each caller do what its proof allows and nothing else', async () => {
    let now = Date.now();
    const { call, home, web } = await given({ now: () => now });
    const code = new URL(web.loginLink()).searchParams.get('code') ?? '';
    const login = await call(`/login?code=${code}`);
    const cookie = login.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const proofs = {
      nothing: {},
      token: { authorization: `Bearer ${home.apiToken}` },
      nearly: { authorization: `Bearer ${home.apiToken.slice(0, -1)}${home.apiToken.endsWith('0') ? '1' : '0'}` },
      shorter: { authorization: `Bearer ${home.apiToken.slice(0, 8)}` },
      basic: { authorization: `Basic ${home.apiToken}` },
      secret: { authorization: `Bearer ${home.secret}` },
      cookie: { cookie },
      forged: { cookie: `${cookie.split('=')[0]}=${code}` },
    };
    const paths = {
      '/healthz': 'open',
      '/readyz': 'open',
      '/': 'known',
      '/metrics': 'known',
      '/api/projects': 'known',
      '/api/projects/shop': 'known',
      '/api/runs': 'known',
      '/api/inbox': 'known',
    };
    const knownOnes = ['token', 'cookie'];
    for (const [path, kind] of Object.entries(paths)) {
      now += wrongTokensWindowMs;
      for (const [proof, headers] of Object.entries(proofs)) {
        const wanted = kind === 'open' || knownOnes.includes(proof) ? 200 : 401;
        expect(`${path} with ${proof}: ${(await call(path, { headers })).status}`).toBe(
          `${path} with ${proof}: ${wanted}`,
        );
      }
    }
    for (const path of ['/api/say', '/api/press', '/api/requests', '/api/login-links', '/hooks/shop', '/hooks/none']) {
      const refused = await call(path, { method: 'POST', body: '{"text":"status","press":"i1.0","do":"say"}' });
      expect(`${path}: ${refused.status}`).toBe(`${path}: 401`);
      if (path.startsWith('/api/')) expect(refused.headers['www-authenticate']).toBe('Bearer realm="bosun"');
    }
  });

  it('asks every page, action and API route for a proof, except for those that need none', async () => {
    const { call } = await given();
    const { routes } = webApp({} as WebContext, () => ({ p50Seconds: 0, p99Seconds: 0, maxSeconds: 0 }));
    const known = new Set(routes.filter(({ path }) => path !== '/*').map(({ method, path }) => `${method} ${path}`));
    const open: string[] = [];
    for (const route of known) {
      const [method = '', path = ''] = route.split(' ');
      const body = method === 'POST' ? { body: '{}' } : {};
      const { status } = await call(path.replaceAll(/:\w+/g, 'shop').replace('*', 'page.js'), { method, ...body });
      if (status !== 401) open.push(`${route}: ${status}`);
    }
    expect(known.size).toBeGreaterThan(50);
    expect(open.sort()).toEqual([
      'GET /assets/*: 404',
      'GET /healthz: 200',
      'GET /login: 200',
      'GET /readyz: 200',
      // Not from a page of Bosun's, and for a channel that is not set up.
      'POST /login: 403',
      'POST /logout: 403',
      'POST /slack/events: 404',
      'POST /telegram/webhook: 404',
    ]);
  });

  it('answers wrong tokens with 429 for a minute after a few, and accepts the right one meanwhile', async () => {
    let now = 1_000_000;
    const logged: string[] = [];
    const { call, get, web } = await given({ now: () => now, onLog: (message) => void logged.push(message) });
    const guess = () => call('/api/projects', { headers: { authorization: `Bearer ${'0'.repeat(64)}` } });
    for (let count = 0; count < maxWrongTokens; count += 1) expect((await guess()).status).toBe(401);
    const late = await guess();
    expect([late.status, late.headers['retry-after']]).toEqual([429, '60']);
    expect((await call('/login', { method: 'POST', headers: { origin: web.url }, body: 'token=x' })).status).toBe(429);
    expect((await get('/api/projects')).status).toBe(200);
    expect((await call('/api/projects')).status).toBe(401);
    expect(logged.filter((line) => line.startsWith('wrong tokens from 127.0.0.1'))).toHaveLength(1);
    now += wrongTokensWindowMs;
    expect((await guess()).status).toBe(401);
  });

  it('accepts no token in the URL', async () => {
    const { call, home } = await given();
    for (const name of ['token', 'access_token', 'code']) {
      expect((await call(`/api/projects?${name}=${home.apiToken}`)).status).toBe(401);
    }
  });

  it('refuses a foreign Host, even with the token', async () => {
    const { call, home, web } = await given();
    const authorization = `Bearer ${home.apiToken}`;
    const ownName = new URL(web.loginLink()).hostname;
    expect(ownName).toMatch(/^bosun-[0-9a-f]{6}\.localhost$/);
    const hosts = {
      [`127.0.0.1:${web.port}`]: 200,
      [`localhost:${web.port}`]: 200,
      [`LOCALHOST:${web.port}`]: 200,
      [`[::1]:${web.port}`]: 200,
      [`${ownName}:${web.port}`]: 200,
      [`bosun-000000.localhost:${web.port}`]: 403,
      [`x.${ownName}:${web.port}`]: 403,
      [`${ownName}.evil.example:${web.port}`]: 403,
      [ownName]: 403,
      [`evil.example:${web.port}`]: 403,
      [`localhost.evil.example:${web.port}`]: 403,
      [`127.0.0.1.evil.example:${web.port}`]: 403,
      [`0.0.0.0:${web.port}`]: 403,
      '127.0.0.1': 403,
      localhost: 403,
      '127.0.0.1:1': 403,
    };
    for (const [host, status] of Object.entries(hosts)) {
      expect(`${host}: ${(await call('/api/projects', { headers: { host, authorization } })).status}`).toBe(
        `${host}: ${status}`,
      );
    }
    const login = await call(pathOf(web.loginLink()), { headers: { host: `evil.example:${web.port}` } });
    expect(login.status).toBe(403);
  });

  it('refuses a foreign Origin, even with the token', async () => {
    const { post, web } = await given();
    const origins = {
      [`http://127.0.0.1:${web.port}`]: 200,
      [`http://localhost:${web.port}`]: 200,
      [new URL(web.loginLink()).origin]: 200,
      [`http://127.0.0.1:${web.port}0`]: 403,
      [`http://localhost:${web.port}.evil.example`]: 403,
      [`http://localhost:${web.port}@evil.example`]: 403,
      [`http://bosun-000000.localhost:${web.port}`]: 403,
      'http://evil.example': 403,
      [`http://evil.example:${web.port}`]: 403,
      [`https://127.0.0.1:${web.port}`]: 403,
      'http://127.0.0.1:1': 403,
      'http://127.0.0.1': 403,
      null: 403,
      '': 403,
    };
    for (const [origin, status] of Object.entries(origins)) {
      expect(`${origin}: ${(await post('/api/say', { text: 'status shop' }, { origin })).status}`).toBe(
        `${origin}: ${status}`,
      );
    }
  });

  it('keeps other sites from reading, embedding and caching a response', async () => {
    const { call, get } = await given();
    for (const reply of [
      await get('/api/projects'),
      await get('/'),
      await call('/api/projects'),
      await get('/nothing'),
    ]) {
      expect(reply.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(reply.headers['content-security-policy']).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
      expect(reply.headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

describe('a one-time login link', () => {
  it('logs in one browser, once', async () => {
    const { call, home, web } = await given();
    const path = pathOf(web.loginLink());
    expect((await call(path, { method: 'HEAD' })).headers['set-cookie']).toBeUndefined();
    const first = await call(path);
    expect(first.status).toBe(200);
    const [cookie = ''] = first.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/; HttpOnly/i);
    expect(cookie).toMatch(/; SameSite=Strict/i);
    expect(cookie).not.toContain(home.apiToken);
    const second = await call(path);
    expect(second.status).toBe(401);
    expect(second.headers['set-cookie']).toBeUndefined();
    expect((await call('/', { headers: { cookie: cookie.split(';')[0] ?? '' } })).status).toBe(200);
  });

  it('expires after ten minutes', async () => {
    let now = Date.now();
    const { call, web } = await given({ now: () => now });
    const [early, late] = [web.loginLink(), web.loginLink()].map(pathOf);
    now += 9 * 60_000;
    expect((await call(early ?? '')).status).toBe(200);
    now += 61_000;
    expect((await call(late ?? '')).status).toBe(401);
  });

  it('can be made with the token, but not with a session', async () => {
    const { call, post } = await given();
    const made = (await post('/api/login-links', {})).json();
    const path = pathOf(String(made['url']));
    const [cookie = ''] = (await call(path)).headers['set-cookie'] ?? [];
    const refused = await call('/api/login-links', { method: 'POST', headers: { cookie: cookie.split(';')[0] ?? '' } });
    expect(refused.status).toBe(403);
  });
});

describe('a session', () => {
  async function loggedIn() {
    const bosun = await given();
    return { ...bosun, browser: await logIn(bosun) };
  }

  it('reads only for its own pages and for followed links', async () => {
    const { call, browser } = await loggedIn();
    const { cookie } = browser;
    const link = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const asked: readonly (readonly [number, Record<string, string>])[] = [
      [200, {}],
      [200, { 'sec-fetch-site': 'none', ...link }],
      [200, { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }],
      [200, { 'sec-fetch-site': 'same-site', ...link }],
      [403, { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
      [403, { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
      [403, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    ];
    for (const [status, headers] of asked)
      for (const path of ['/audit', '/api/projects'])
        expect([path, headers, (await call(path, { headers: { cookie, ...headers } })).status]).toEqual([
          ...[path, headers, status],
        ]);
  });

  it('acts only for its own pages: not for another port, another site or a request without Origin', async () => {
    const { call, browser, web } = await loggedIn();
    const { cookie, pageKey } = browser;
    const own = new URL(web.loginLink()).origin;
    const asked = {
      own: { origin: own },
      'own, as browsers say it': { origin: own, 'sec-fetch-site': 'same-origin' },
      'another port': { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' },
      'another site': { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
      'a sandbox': { origin: 'null' },
      'own origin, other site': { origin: own, 'sec-fetch-site': 'cross-site' },
      'nobody says': {},
    };
    for (const [who, headers] of Object.entries(asked)) {
      for (const [path, body] of [
        ['/api/say', { text: 'status shop', thread: 'web' }],
        ['/api/press', { press: 'i1-1.approve', thread: 'web' }],
      ] as const) {
        const reply = await call(path, {
          method: 'POST',
          headers: { cookie, 'x-bosun-key': pageKey, 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        });
        expect(`${who} ${path}: ${reply.status}`).toBe(
          `${who} ${path}: ${who.startsWith('own') && who !== 'own origin, other site' ? 200 : 403}`,
        );
      }
    }
    const rebound = await call('/', { headers: { cookie, host: `evil.example:${web.port}` } });
    expect(rebound.status).toBe(403);
    expect(rebound.text).not.toContain('shop');
  });

  it('cannot act with its cookie alone: it needs the page key from the login', async () => {
    const { call, browser } = await loggedIn();
    const { headers: own, cookie, pageKey } = browser;
    const { 'x-bosun-key': _, ...stolen } = own;
    const acts = {
      '/api/say': '{"text":"status shop","thread":"web"}',
      '/api/press': '{"press":"i1-1.approve","thread":"web"}',
      '/api/requests': '{"do":"say","text":"status","replyTo":null,"as":null,"cwd":"/"}',
      '/logout': '',
    };
    const other = (await logIn(await given())).pageKey;
    for (const [path, body] of Object.entries(acts)) {
      for (const key of [null, '', other, pageKey.slice(0, -1), cookie]) {
        const headers = { ...stolen, ...(key !== null && { 'x-bosun-key': key }) };
        const reply = await call(path, { method: 'POST', headers, body });
        expect([path, key, reply.status, reply.text]).toEqual([path, key, 403, expect.stringContaining('bosun web')]);
      }
    }
    // A hook takes the token, not a browser's session.
    expect((await call('/hooks/shop', { method: 'POST', headers: own, body: '{"status":"pass"}' })).status).toBe(401);
    expect((await call('/api/projects', { headers: { cookie } })).status).toBe(200);
    for (const [path, body] of Object.entries(acts))
      expect([path, (await call(path, { method: 'POST', headers: own, body })).status]).toEqual([path, 200]);
  });

  it('never shows its page key to a request with the cookie', async () => {
    const { call, browser, home, web } = await loggedIn();
    const { cookie, pageKey } = browser;
    expect(pageKey.length).toBeGreaterThan(40);
    expect(cookie).not.toContain(pageKey);
    const reads = ['/', '/chat', '/inbox', '/login', '/history', '/audit', '/api/projects', '/api/openapi.json'];
    for (const path of reads) expect((await call(path, { headers: { cookie } })).text).not.toContain(pageKey);
    expect(pageKey).not.toContain(home.secret);
    // Each login has its own, and the link gives it once.
    const path = pathOf(web.loginLink());
    expect(browserOf(await call(path), web.url).pageKey).not.toBe(pageKey);
    expect(browserOf(await call(path), web.url).pageKey).toBe('');
  });

  it('can begin by a link whose host was replaced by 127.0.0.1', async () => {
    const bosun = await given();
    const link = new URL(bosun.web.loginLink());
    link.hostname = '127.0.0.1';
    const { headers } = await logIn(bosun, link.href);
    expect(headers['origin']).toBe(bosun.web.url);
    const said = await bosun.call('/api/say', { method: 'POST', headers, body: '{"text":"status"}' });
    expect(said.status).toBe(200);
  });

  it('of an earlier Bosun version can still read, but not act', async () => {
    const { call, home, web } = await given();
    const said = `${Date.now() + 60_000}.${'r'.repeat(43)}`;
    const seal = createHmac('sha256', `web session ${home.secret} ${home.apiToken}`).update(said).digest('base64url');
    const headers = { cookie: `bosun_${web.port}=${said}.${seal}`, origin: web.url, 'x-bosun-key': 'r'.repeat(43) };
    expect((await call('/api/projects', { headers })).status).toBe(200);
    expect((await call('/api/say', { method: 'POST', headers, body: '{"text":"status"}' })).status).toBe(403);
  });

  it('survives a restart, but not its expiry, another token or another secret', () => {
    let now = 1_000_000;
    const home = { dir: '/nowhere', secret: 'a'.repeat(64), apiToken: 'b'.repeat(64) };
    const { id: session } = new Logins({ now: () => now, home }).begin();
    const isGood = (other = home) => new Logins({ now: () => now, home: other }).sessionOf(session) !== null;
    expect(isGood()).toBe(true);
    expect(isGood({ ...home, apiToken: 'c'.repeat(64) })).toBe(false);
    expect(isGood({ ...home, secret: 'c'.repeat(64) })).toBe(false);
    now += sessionTtlMs - 1;
    expect(isGood()).toBe(true);
    now += 1;
    expect(isGood()).toBe(false);
    const later = session.replace(/^\d+/, String(now + sessionTtlMs));
    expect(new Logins({ now: () => now, home }).sessionOf(later)).toBe(null);
  });

  it('can begin with the token pasted into a page of Bosun', async () => {
    const { call, home, web } = await given();
    const origin = `http://127.0.0.1:${web.port}`;
    const paste = (token: string, headers: Record<string, string>) =>
      call('/login', { method: 'POST', headers, body: new URLSearchParams({ token }).toString() });
    const good = await paste(home.apiToken, { origin });
    expect(good.status).toBe(200);
    const { headers } = browserOf(good, origin);
    expect((await call('/', { headers: { cookie: headers['cookie'] ?? '' } })).status).toBe(200);
    expect((await call('/api/say', { method: 'POST', headers, body: '{"text":"status"}' })).status).toBe(200);
    for (const refused of [
      await paste(`${home.apiToken.slice(0, -1)}x`, { origin }),
      await paste('', { origin }),
      await paste(home.apiToken, { origin: 'http://evil.example' }),
      await paste(home.apiToken, {}),
    ]) {
      expect(refused.status).toBeGreaterThanOrEqual(401);
      expect(refused.headers['set-cookie']).toBeUndefined();
    }
  });
});

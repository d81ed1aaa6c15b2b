// A page of somebody else in the same browser, where a person is logged in: at another port of this machine, and under
// another name that leads to Bosun's own address. It reads nothing and does nothing.
import { createServer, request, type Server } from 'node:http';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { inBrowser, type Served, served } from './given.js';

/** Leads to this machine, as a name server elsewhere may say of any name. */
const evilName = 'evil.example';

interface Stranger {
  readonly url: string;
  /** The cookies that browsers sent to it. */
  readonly cookies: string[];
}

async function stranger(): Promise<Stranger> {
  const cookies: string[] = [];
  const server: Server = createServer((request, reply) => {
    if (request.headers.cookie !== undefined) cookies.push(request.headers.cookie);
    reply.setHeader('content-type', 'text/html');
    reply.end('<!doctype html><title>elsewhere</title><p>elsewhere</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, cookies };
}

/** Logs the browser in at 127.0.0.1 as well, as somebody does whose resolver does not know *.localhost. */
async function logInByAddress(bosun: Served, own: Page): Promise<void> {
  const link = new URL(bosun.web().loginLink());
  link.hostname = '127.0.0.1';
  const page = await own.context().newPage();
  await page.goto(link.href);
  await page.waitForURL(`${bosun.web().url}/`);
  await page.close();
}

async function asked(bosun: Served): Promise<void> {
  await bosun
    .app()
    .door.hear({ thread: 'web', by: null, cwd: '/', body: { type: 'text', text: 'continue demo', replyTo: null } });
  await bosun.app().runtime.whenAtRest('demo', 40_000);
}

const state = (bosun: Served) => {
  const { store } = bosun.app().runtime;
  return [store.browsing.newestSeq(), store.browsing.newestMessage(), store.interaction('i1-1')?.interaction.state];
};

/** As much of a browser's own as is used below. */
interface Part {
  src: string;
  onload: () => void;
  onerror: () => void;
  readonly contentDocument: { readonly body: { readonly textContent: string | null } } | null;
  append(part: Part): void;
  submit(): void;
}
interface InBrowser {
  readonly document: { createElement(name: string): Part; readonly body: Pick<Part, 'append'> };
}

/** What a page elsewhere gets of an address of Bosun's, however it asks. */
function tried(page: Page, base: string) {
  return page.evaluate(async (to) => {
    const { document } = globalThis as unknown as InBrowser;
    const within = <T>(promise: Promise<T>, other: T) =>
      Promise.race([promise, new Promise<T>((resolve) => setTimeout(() => resolve(other), 1_500))]);
    const read = async (path: string, init: RequestInit = {}) =>
      fetch(to + path, { credentials: 'include', ...init }).then(
        async (reply) => (reply.type === 'opaque' ? 'opaque' : `${reply.status} ${(await reply.text()).slice(0, 80)}`),
        () => 'refused',
      );
    const json = { 'content-type': 'application/json' };
    const press = JSON.stringify({ press: 'i1-1.approve', thread: 'web' });
    const socket = new Promise<string>((resolve) => {
      const open = new WebSocket(`${to.replace('http', 'ws')}/live`);
      open.onopen = () => resolve('open');
      open.onerror = () => resolve('refused');
    });
    const source = new Promise<string>((resolve) => {
      const open = new EventSource(`${to}/live`, { withCredentials: true });
      open.onopen = () => resolve('open');
      open.addEventListener('changed', () => resolve('told'));
      open.onerror = () => resolve('refused');
    });
    const frame = document.createElement('iframe');
    frame.src = `${to}/`;
    const framed = new Promise<string>((resolve) => {
      frame.onload = () => {
        try {
          resolve(frame.contentDocument?.body.textContent ?? 'closed');
        } catch {
          resolve('closed');
        }
      };
    });
    document.body.append(frame);
    const script = new Promise<string>((resolve) => {
      const tag = document.createElement('script');
      tag.src = `${to}/api/projects`;
      tag.onload = () => resolve('loaded');
      tag.onerror = () => resolve('refused');
      document.body.append(tag);
    });
    return {
      page: await read('/'),
      api: await read('/api/projects'),
      unseen: await read('/api/projects', { mode: 'no-cors' }),
      press: await read('/api/press', { method: 'POST', headers: json, body: press }),
      blind: await read('/api/press', { method: 'POST', mode: 'no-cors', body: press }),
      say: await read('/api/say', { method: 'POST', mode: 'no-cors', body: '{"text":"abort demo","thread":"web"}' }),
      logout: await read('/logout', { method: 'POST', mode: 'no-cors' }),
      socket: await within(socket, 'silent'),
      source: await within(source, 'silent'),
      framed: await within(framed, 'silent'),
      script: await within(script, 'silent'),
    };
  }, base);
}

/** A form that a person is made to send: it needs no leave of anybody. */
async function postedForm(page: Page, action: string, fields: Readonly<Record<string, string>>): Promise<string> {
  await page.evaluate(
    ([to, values]) => {
      const { document } = globalThis as unknown as InBrowser;
      const form = Object.assign(document.createElement('form'), { method: 'post', action: to });
      for (const [name, value] of Object.entries(values))
        form.append(Object.assign(document.createElement('input'), { name, value }));
      document.body.append(form);
      form.submit();
    },
    [action, fields] as const,
  );
  await page.waitForURL(action);
  return (await page.textContent('body')) ?? '';
}

interface Replay {
  readonly origin: string;
  readonly cookie: string;
  readonly body: object | undefined;
}

function replayed({ web }: Served, path: string, { origin, cookie, body }: Replay): Promise<number> {
  const headers = { host: new URL(origin).host, origin, cookie, 'sec-fetch-site': 'same-origin' };
  const method = body === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: web().port, path, method, headers }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

const nothing = {
  ...{ page: 'refused', api: 'refused', unseen: 'refused', press: 'refused', script: 'refused' },
  ...{ socket: 'refused', source: 'refused' },
};

inBrowser('a page elsewhere', (open) => {
  it('can neither read nor act from another port, although the browser has the cookie of the same host', async () => {
    const bosun = await served();
    await asked(bosun);
    const own = await open(bosun);
    await logInByAddress(bosun, own);
    const page = await own.context().newPage();
    const { url: elsewhere } = await stranger();
    const before = state(bosun);
    await page.goto(elsewhere);
    const got = await tried(page, bosun.web().url);
    expect(got).toMatchObject(nothing);
    expect(await tried(page, bosun.base())).toMatchObject(nothing);
    expect(['closed', 'silent', '']).toContain(got.framed);
    expect(page.frames()[1]?.url() ?? '').not.toBe(`${bosun.web().url}/`);
    const localhost = await tried(page, bosun.web().url.replace('127.0.0.1', 'localhost'));
    expect(localhost).toMatchObject(nothing);
    for (const path of ['/api/press', '/api/say', '/logout', '/login', '/agent/ask', '/hooks/demo']) {
      await page.goto(elsewhere);
      const told = await postedForm(page, `${bosun.web().url}${path}`, { press: 'i1-1.approve', text: 'abort demo' });
      expect(`${path}: ${told}`).toContain('The Origin header does not name this Bosun');
    }
    await own.reload();
    expect(await own.locator('.card').textContent()).toContain('How long may an empty cart be remembered?');
    expect(state(bosun)).toEqual(before);
  });

  it('gets no cookie at another port, and a cookie stolen under the same host name cannot act', async () => {
    const bosun = await served();
    await asked(bosun);
    const own = await open(bosun);
    const page = await own.context().newPage();
    const preview = await stranger();
    await page.goto(preview.url);
    expect(preview.cookies).toEqual([]);
    // A preview that is opened under Bosun's own name, and one beside a Bosun that is used at 127.0.0.1, get a cookie.
    await logInByAddress(bosun, own);
    const stolen: [string, string][] = [];
    for (const origin of [bosun.web().url, bosun.base()]) {
      const { port } = new URL(preview.url);
      await page.goto(`http://${new URL(origin).hostname}:${port}`);
      expect(await page.evaluate(`localStorage.length`)).toBe(0);
      stolen.push([origin, preview.cookies.at(-1) ?? '']);
    }
    const before = state(bosun);
    for (const [origin, cookie] of stolen) {
      // As curl does it: Host and Origin are its own to choose.
      const call = (path: string, body?: object) => replayed(bosun, path, { origin, cookie, body });
      expect(await call('/api/projects')).toBe(200);
      expect(await call('/api/say', { text: 'abort demo', thread: 'web' })).toBe(403);
      expect(await call('/api/press', { press: 'i1-1.approve', thread: 'web' })).toBe(403);
      expect(await call('/logout', {})).toBe(403);
    }
    expect(state(bosun)).toEqual(before);
    await own.locator('.card').getByRole('button', { name: 'Approve' }).click();
    await own.locator('#said', { hasText: /Approved ·.*by Owner/s }).waitFor();
  });

  it('can neither read nor act through its own DNS name for the address of Bosun', async () => {
    const bosun = await served();
    await asked(bosun);
    const own = await open(bosun);
    const page = await own.context().newPage();
    const before = state(bosun);
    const base = bosun.web().url.replace('127.0.0.1', evilName);
    const reply = await page.goto(base);
    expect([reply?.status(), await page.textContent('body')]).toEqual([
      403,
      expect.stringContaining('does not name this Bosun'),
    ]);
    await logInByAddress(bosun, own);
    const cookies = await own.context().cookies();
    // Were the person to carry the cookie there, too.
    await own.context().addCookies(cookies.map((one) => ({ ...one, domain: evilName })));
    expect((await page.goto(`${base}/runs/r1`))?.status()).toBe(403);
    const got = await tried(page, base);
    for (const [what, answer] of Object.entries(got))
      expect(`${what}: ${answer}`).toMatch(
        /: (.*The Host header does not name this Bosun.*|403 .*|refused|silent|closed)$/s,
      );
    expect(await postedForm(page, `${base}/api/press`, { press: 'i1-1.approve' })).toContain(
      'The Host header does not name this Bosun',
    );
    expect(state(bosun)).toEqual(before);
  });
});

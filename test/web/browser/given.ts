// A real browser on a real Bosun. What a page asks of anybody else, and what goes wrong in it, is counted.

import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { perform } from '../../../src/bot/index.js';
import { type App, openApp } from '../../../src/cli/app.js';
import { prepareDemo } from '../../../src/cli/demo/demo-project.js';
import { startWeb, type Web } from '../../../src/web/index.js';
import { type Home, openHome } from '../../open-home.js';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const isThere = existsSync(executablePath);
if (!isThere) {
  const missing = `no browser at ${executablePath}: apt-get install chromium, or set CHROMIUM`;
  if (process.env['CI'] === 'true') throw new Error(missing);
  process.stderr.write(`the page's tests in a browser are skipped: ${missing}\n`);
}

// On a machine that does much else a browser is slow; each wait ends as soon as it can.
const waitMs = 30_000;

// A name elsewhere leads to this machine, as one whose name server says so.
const rules = '--host-resolver-rules=MAP evil.example 127.0.0.1';
const args = ['--no-sandbox', '--disable-dev-shm-usage', rules];

/** One browser for all tests of a file. */
export function inBrowser(name: string, tests: (open: OpenPage) => void): void {
  describe.skipIf(!isThere)(name, () => {
    let browser: Browser | null = null;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args });
    });
    afterAll(() => browser?.close());
    tests(async (served, options = {}) => {
      if (browser === null) throw new Error('no browser');
      return openPage(browser, served, options);
    });
  });
}

export interface Served {
  readonly home: Home;
  readonly app: () => App;
  readonly web: () => Web;
  /** Where a login link leads, as a browser opens pages. */
  base(): string;
  /** Everything but the disk is begun anew, at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

type OpenPage = (served: Pick<Served, 'web'>, options?: BrowserContextOptions) => Promise<Page>;

async function openPage(browser: Browser, { web }: Pick<Served, 'web'>, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  context.setDefaultTimeout(waitMs);
  const page = await context.newPage();
  const { origin } = new URL(web().loginLink());
  const wrong: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) wrong.push(`asked ${request.url()}`);
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('dialog', (dialog) => {
    wrong.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) wrong.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(wrong).toEqual([]);
  });
  await page.goto(web().loginLink());
  await page.waitForURL(`${origin}/`);
  return page;
}

export interface Wanted {
  /** With the demo and its stories, or with nothing at all. */
  readonly demo?: boolean;
}

export async function served({ demo = true }: Wanted = {}): Promise<Served> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-page-')));
  const home = openHome(join(folder, 'home'));
  const stories = demo ? await prepareDemo(home) : null;
  let open: { readonly app: App; readonly web: Web } | null = null;
  let port = 0;
  const get = () => {
    if (open === null) throw new Error('Bosun is down');
    return open;
  };
  const start = async () => {
    const app = await openApp({ home, work: true });
    const web = await startWeb(app, { host: '127.0.0.1', port, version: '1.2.3', heartbeatMs: 200 });
    port = web.port;
    open = { app, web };
  };
  const stop = async () => {
    const was = open;
    open = null;
    await was?.web.close();
    await was?.app.close();
  };
  await start();
  if (stories !== null) await perform(get().app, stories);
  onTestFinished(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    ...{ home, stop, start },
    app: () => get().app,
    web: () => get().web,
    base: () => new URL(get().web.loginLink()).origin,
    restart: async () => {
      await stop();
      await start();
    },
  };
}

/** Every page of this list, in both colours, at the width that the page has; a phone also at the smallest width. */
export async function expectNoBarriers(page: Page, base: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${base}${path}`);
    expect(`${path} light: ${(await barriers(page)).join('\n')}`).toBe(`${path} light: `);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(`${path} dark: ${(await barriers(page, 'colours')).join('\n')}`).toBe(`${path} dark: `);
    expect(`${path}: ${await overflow(page)}`).toBe(`${path}: 0`);
    const size = page.viewportSize();
    if (size === null || size.width >= 500) continue;
    await page.setViewportSize({ width: 320, height: 568 });
    expect(`${path} at 320 px: ${await overflow(page)}`).toBe(`${path} at 320 px: 0`);
    await page.setViewportSize(size);
  }
}

const overflow = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

export async function say(page: Page, text: string): Promise<void> {
  await page.locator('#say').fill(text);
  await page.keyboard.press('Enter');
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What is seriously wrong for people who hear, magnify or use keys, each in a line; or of colours alone. */
export async function barriers(page: Page, which: 'all' | 'colours' = 'all'): Promise<readonly string[]> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axeSource);
  // What a bar covers can be scrolled out from under it.
  await page.evaluate(
    `for (const bar of document.querySelectorAll('.top, .footbar, #verdict, .fh, .seen')) bar.style.position = 'static'`,
  );
  const found = await page.evaluate(
    async (runOnly) => {
      const { axe } = globalThis as unknown as { axe: typeof import('axe-core') };
      const result = await axe.run({ runOnly, resultTypes: ['violations'] });
      return result.violations.map(({ id, impact, nodes }) => ({
        id,
        impact,
        html: nodes[0]?.html ?? '',
        all: nodes.length,
      }));
    },
    which === 'all' ? tags : ['color-contrast'],
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, html, all }) => `${id} (${all}): ${html.slice(0, 300)}`);
}

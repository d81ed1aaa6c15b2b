// What a browser sees: when the first byte of a page is there, when something is painted, and how soon it hears news.
import { existsSync } from 'node:fs';
import { median } from './commits.mjs';

const program = process.env.CHROMIUM ?? '/usr/bin/chromium';
const rounds = 5;
const wakes = 40;

export async function openBrowser({ link }) {
  if (!existsSync(program)) return null;
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: program,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.goto(link);
  return { page, close: () => browser.close() };
}

export async function measurePage(page, url) {
  const seen = [];
  for (let round = 0; round < rounds; round++) seen.push(await lookOnce(page, url));
  const of = (key) => median(seen.map((one) => one[key]));
  return { firstByteMs: of('firstByteMs'), paintMs: of('paintMs'), loadMs: of('loadMs'), bytes: of('bytes') };
}

async function lookOnce(page, url) {
  await page.goto(url, { waitUntil: 'load' });
  return page.evaluate(async () => {
    const paintMs = await new Promise((resolve) => {
      const told = (list) => {
        for (const { name, startTime } of list) if (name === 'first-contentful-paint') resolve(startTime);
      };
      new PerformanceObserver((list) => told(list.getEntries())).observe({ type: 'paint', buffered: true });
      setTimeout(() => resolve(Number.NaN), 5_000);
    });
    const [navigation] = performance.getEntriesByType('navigation');
    const { responseStart, domContentLoadedEventEnd, decodedBodySize } = navigation;
    return { firstByteMs: responseStart, paintMs, loadMs: domContentLoadedEventEnd, bytes: decodedBodySize };
  });
}

/** From a word that is sent until the event about it is in the browser, and until its sender has the answer. */
export async function measureWakes(page, server) {
  await page.goto(`${server.url}/workflows`);
  await page.evaluate(() => {
    globalThis.heard = [];
    const source = new EventSource('/api/stream');
    source.addEventListener('message', () => heard.push(performance.timeOrigin + performance.now()));
    return new Promise((resolve) => source.addEventListener('open', resolve));
  });
  const times = [];
  for (let n = 0; n < wakes; n++) {
    const from = performance.timeOrigin + performance.now();
    const { ms } = await server.say('help');
    await page.waitForFunction((count) => globalThis.heard.length >= count, n + 1, { timeout: 5_000 });
    const at = await page.evaluate((index) => globalThis.heard[index], n);
    times.push({ answered: ms, heard: at - from });
  }
  return times;
}

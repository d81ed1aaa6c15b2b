// Every page, light and dark: nobody is kept out, and nothing that others wrote does anything.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { perform } from '../../../src/bot/index.js';
import { expectNoBarriers, inBrowser, type Served, served } from './given.js';

process.env['DEMO_DELAY_MS'] = '0';

const hear = (bosun: Served, text: string) =>
  bosun.app().door.hear({ thread: 'web', by: null, cwd: '/', body: { type: 'text', text, replyTo: null } });

async function walked(bosun: Served): Promise<string> {
  await hear(bosun, 'continue demo');
  await bosun.app().runtime.whenAtRest('demo', 40_000);
  await perform(bosun.app(), {
    ...{ do: 'press', press: 'i1-1.approve', text: '30 seconds, others OK', thread: 'web', as: null, cwd: '/' },
  });
  await bosun.app().runtime.whenAtRest('demo', 40_000);
  const failed = bosun
    .app()
    .runtime.store.browsing.newestAttempts('r1', 20)
    .find(({ attempt }) => attempt.outcome === 'failing');
  return `/runs/r1/attempts/${encodeURIComponent(failed?.attempt.id ?? '')}`;
}

const pages = (attempt: string) => [
  ...[
    '/',
    '/chat',
    '/inbox',
    '/inbox?show=answered',
    '/history',
    '/history?q=cart&status=paused&since=week',
    '/history?q=demo&in=messages',
    '/history?q=story&in=commits',
    '/history?q=demo&in=logs',
    '/projects/demo?before=m9',
    '/workflows',
    '/workflows/feature-dev',
    '/costs',
    '/insights',
    '/workers',
    '/queue',
    '/audit?check=1',
    '/runs/r1/changes?item=US-001',
    '/runs/r1/changes?view=unified&ws=ignore&open=docs%2Fbdd%2FUS-001.md',
    '/runs/r1/changes?read=docs%2Fbdd%2FUS-001.md',
  ],
  ...[
    '/projects/demo',
    '/projects/demo?talk=decisions',
    '/runs/r1',
    '/runs/r1/history',
    '/runs/r1/workflow',
    '/runs/none',
    '/login',
  ],
  ...['', '?only=errors', '?only=commands&line=3', '?find=demo', '?show=report', '?show=diff', '?show=prompt'].map(
    (query) => `${attempt}${query}`,
  ),
];

inBrowser('every page', (open) => {
  it('is accessible on a desk and on a phone, light and dark, without sideways scrolling', async () => {
    const bosun = await served();
    const attempt = await walked(bosun);
    const page = await open(bosun, { reducedMotion: 'reduce' });
    await expectNoBarriers(page, bosun.base(), pages(attempt));
    const phone = await open(bosun, {
      ...{ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, reducedMotion: 'reduce' },
    });
    await expectNoBarriers(phone, bosun.base(), pages(attempt));
  });

  it('shows hostile text without letting it act', async () => {
    const bosun = await served();
    const attempt = await walked(bosun);
    const hostile =
      '"><script>alert(1)</script><img src=//evil.example/x onerror=alert(1)> \u001b]8;;http://evil.example\u0007link\u001b[31m red \u202egnp.exe </title></style>{{x}}';
    await hear(bosun, `demo: ${hostile}`);
    await hear(bosun, hostile);
    const stories = [{ id: 'US-1', title: hostile, description: hostile, acceptanceCriteria: [hostile] }];
    await perform(bosun.app(), {
      ...{ do: 'import', project: 'demo', stories, file: hostile, workflow: 'micro-waterfall' },
      ...{ thread: 'web', as: null, cwd: '/' },
    });
    const row = bosun.app().runtime.store.attempt(decodeURIComponent(attempt.split('/').at(-1) ?? ''));
    // The page reads the log in the home; the path of the attempt names the copy in the checkout.
    const inRun = row?.attempt.logPath?.split('/.ai/runs/')[1] ?? '';
    const log = join(bosun.home.dir, 'attempt-logs', inRun);
    mkdirSync(dirname(log), { recursive: true });
    const lines = [hostile, `\u001b[1;31m${hostile}`, 'x'.repeat(5_000_000), 'the last line'];
    writeFileSync(log, lines.map((line) => `${JSON.stringify({ t: 1, s: 'out', line })}\n`).join(''));

    const page = await open(bosun);
    for (const path of [...pages(attempt), `${attempt}?more=1`, '/runs/r2', '/runs/r2/history', '/runs/r3', '/audit']) {
      const reply = await page.goto(`${bosun.base()}${path}`);
      const text = (await reply?.text()) ?? '';
      expect(`${path}: ${text.length < 1_500_000}`).toBe(`${path}: true`);
      const alive = ['\u202e', '\u001b', '<img', '<script>', 'onerror=alert(1)>'].filter((one) => text.includes(one));
      expect(`${path}: ${alive.join()}`).toBe(`${path}: `);
      expect(await page.locator('script:not([src^="/assets/"]), img, b:text("US"), iframe').count()).toBe(0);
    }
    await page.goto(`${bosun.base()}${attempt}`);
    expect(await page.locator('.log').textContent()).toContain('the last line');
    await page.goto(`${bosun.base()}/chat`);
    expect(await page.locator('#chat').textContent()).toContain('<script>alert(1)</script>');
  });
});

// A Bosun in the middle of a day: a second review, a failure, work under way, a queue and a run that is done.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWeb, type Web } from '../../../src/web/index.js';
import { type Bosun, givenBosun, until } from '../../e2e/bosun.js';

/** As an agent with tools leaves it, in place of what the planned agent printed. */
const agentLog: readonly (readonly [second: number, source: string, line: string])[] = [
  [0, 'out', '[session] claude 2.1 sonnet'],
  [2, 'out', '[tool] Read src/images/upload.ts'],
  [3, 'out', '[tool] Read src/images/convert.ts'],
  [5, 'out', '[tool] Grep: IMAGE_CDN'],
  [9, 'out', '[tool] Read scripts/images.ts'],
  [21, 'out', 'The migration script calls the CDN for every picture. I will run it for one picture first.'],
  [23, 'out', '[tool] Edit scripts/images.ts'],
  [24, 'out', '[tool] Bash npm run images -- --only hero.png'],
  [30, 'tool', '> blog@2.4.0 images'],
  [30, 'tool', 'hero.png  1.9 MB → hero.avif  212 kB'],
  [30, 'tool', '1 picture, 0 errors (local only)'],
  [40, 'out', '[tool] Bash npm run images -- --all'],
  ...Array.from({ length: 60 }, (_, n) => [41, 'tool', `uploading ${n + 1} of 418  cover-${1960 + n}.avif`] as const),
  [88, 'tool', 'PUT https://cdn.example.net/v1/cover-2019.avif  401 Unauthorized'],
  [88, 'tool', 'retrying in 8 s (2 of 3)'],
  [88, 'tool', 'PUT https://cdn.example.net/v1/cover-2019.avif  401 Unauthorized'],
  [88, 'tool', 'exit 1'],
  [94, 'out', 'The key has to come from the environment; I must not make one up. I stop here.'],
  [95, 'out', 'STATUS: failing'],
  [95, 'out', 'SUMMARY: Error 401: IMAGE_CDN_KEY is not set'],
];

function writeAgentLog(bosun: Bosun): void {
  const { store } = bosun.app.runtime;
  const run = store.browsing.runs({ project: 'blog', status: null, before: null, limit: 1 })[0]?.id ?? '';
  const attempt = store.browsing.newestAttempts(run, 1)[0]?.attempt;
  const inRun = attempt?.logPath?.split('/.ai/runs/')[1] ?? '';
  const lines = agentLog.map(([second, s, line]) => ({ t: (attempt?.startedAt ?? 0) + second * 1_000, s, line }));
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(join(bosun.app.home.dir, 'attempt-logs', inRun), text);
}

export interface Lively {
  readonly bosun: Bosun;
  readonly web: () => Web;
  readonly base: () => string;
  close(): Promise<void>;
}

const before = `import { ledger } from './ledger';

export async function redeem(cart: Cart, code: string) {
  const card = await cards.byCode(code);
  if (card === null) throw new NotFound(code);
  const used = Math.min(cart.total, card.balance);
  const rest = cart.total - used;
  await ledger.book({ card: card.id, cents: used });
  return { used, rest };
}

export async function refund(order: Order) {
  const booked = await ledger.of(order.id);
  for (const one of booked) await ledger.book({ card: one.card, cents: -one.cents });
  return booked.length;
}

function cents(amount: number) {
  return Math.floor(amount * 100);
}
`;
const first = before
  .replace('card === null)', 'card === null || card.expiresAt <= now)')
  .replace('  const card =', '  const now = clock.now();\n  const card =');
const second = first
  .replace('Math.floor', 'Math.round')
  .replace('cart.total, card.balance', 'cents(cart.total), cents(card.balance)');
const expired = `it('refuses a card that has expired', async () => {
  const card = await cards.issue({ cents: 2_500, expiresAt: yesterday });
  await expect(redeem(cart, card.code)).rejects.toThrow(NotFound);
});
`;
const flow = `
workflow: stories
version: 1
chain:
  - id: story
    kind: loop
    over: items
    body:
      - { id: build, kind: task, prompt: Build it., tests: true, check: "{{project.check}}" }
      - { id: review, kind: human }
`;
const titles = ['Buy a gift card', 'Send it by mail', 'Redeem a gift card at checkout', 'Show the balance'];
const stories = titles.map((title, n) => ({
  ...{ id: `US-00${n + 1}`, title, description: `${title}.`, acceptanceCriteria: [`${title}, and it is tested`] },
}));
const held = { until: 'held', mutters: '\u001b[32m✓\u001b[0m npm test -- limit: 41 passed, 2 failing' };
const failing = { exit: 3, print: 'Error 401: IMAGE_CDN_KEY is not set', handoff: false } as const;

export async function lively(): Promise<Lively> {
  const bosun = await givenBosun({
    projects: {
      shop: {
        ...{ workflow: 'stories', check: 'echo no findings', members: { ada: 'owner', bob: 'reviewer' } },
        ...{
          budget: { day_usd: 20, run_usd: 5 },
          files: { 'src/checkout/redeem.ts': before, '.ai/workflows/stories.yaml': flow },
        },
      },
      api: { tests: 'none', workflow: 'quick', members: { carol: 'operator' } },
      docs: { tests: 'none', workflow: 'quick', members: { bob: 'reviewer' } },
      blog: { tests: 'none', workflow: 'quick', members: { ada: 'owner' } },
    },
    plan: {
      'shop US-003 build': [
        {
          files: { 'src/checkout/redeem.ts': first, 'test/checkout/redeem.test.ts': expired },
          tests: { pass: 212, fail: 0 },
          summary: 'Redeem refuses expired cards.\nA test covers the expiry.',
        },
        {
          ...{ files: { 'src/checkout/redeem.ts': second }, summary: 'All sums are whole cents now.' },
          tests: { pass: 214, fail: 0 },
        },
      ],
      'shop build': {
        tests: { pass: 211, fail: 0 },
        files: { 'src/checkout/{item}.ts': 'export const done = true;\n' },
        summary: 'Built',
      },
      'api implement': held,
      'docs implement': { summary: 'Documented' },
      'blog implement': failing,
    },
    config: () => ({ people: { ada: {}, bob: {}, carol: {} } }),
  });
  const web = await startWeb(bosun.app, { host: '127.0.0.1', port: 0, version: '1.2.3', heartbeatMs: 200 });
  await bosun.import('shop', stories, { workflow: 'stories' });
  for (const text of ['good start', undefined]) {
    await bosun.say('continue shop');
    await bosun.pressButton('Approve', text === undefined ? {} : { text });
  }
  await bosun.say('continue shop');
  const wishes = 'rounding is off by a cent, round to cents\nAnd test an expired card';
  await bosun.pressButton('Request changes', { text: wishes });
  for (const [project, task] of [
    ['shop', 'Order confirmation in the language of the buyer'],
    ['shop', 'Fix the login bug on Safari'],
    ['blog', 'Migrate images to AVIF'],
    ['docs', 'Document the error codes'],
  ] as const) {
    await bosun.say(`start ${project}: ${task}`);
    await bosun.pressButton('Start');
  }
  await bosun.pressButton('Approve');
  await bosun.say('start api: Rate limit per API key');
  await bosun.pressButton('Start', { hasty: true });
  await until('an agent works', () => bosun.app.runtime.store.openAttempts().length > 0);
  writeAgentLog(bosun);
  return {
    bosun,
    web: () => web,
    base: () => new URL(web.loginLink()).origin,
    close: async () => {
      bosun.openGate('held');
      await web.close();
      await bosun.close();
    },
  };
}

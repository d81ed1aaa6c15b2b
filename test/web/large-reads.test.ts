// What answers read is counted in bytes that the database's file gave, by a store that has nothing in memory yet: a page
// and an answer of the API read what they show, and no more of it beside ten thousand runs than beside a few.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { apiRoutes } from '../../src/web/api/index.js';
import { openStore } from '../open-store.js';
import type { Given } from './given.js';
import { filled } from './large-given.js';

/** What this thread has read, as Linux counts it; elsewhere nobody does. */
const counterPath = '/proc/thread-self/io';
const isCounted = existsSync(counterPath);
if (!isCounted) process.stderr.write(`what answers read is not counted here: there is no ${counterPath}\n`);

const pages = [
  ...['/', '/chat', '/inbox', '/history', '/history?status=failed', '/history?status=failed&project=shop'],
  ...['/projects/shop', '/runs/r12', '/runs/r12/workflow', '/costs', '/workers', '/workflows'],
  ...['/audit', '/audit?by=ada', '/audit?by=nobody', '/metrics', '/healthz', '/readyz'],
];

/** By the route that they take. What reads files and asks git is none of the database's. */
const answers: Readonly<Record<string, readonly string[]>> = {
  '/api/openapi.json': ['/api/openapi.json'],
  '/api/projects': ['/api/projects'],
  '/api/projects/:project': ['/api/projects/shop'],
  '/api/projects/:project/outlook': ['/api/projects/shop/outlook'],
  '/api/runs': ['/api/runs', '/api/runs?limit=1', '/api/runs?project=shop&before=r40'],
  '/api/runs/:run': ['/api/runs/r12', '/api/runs/r12?nodes=20', '/api/runs/r12?nodes=0'],
  '/api/runs/:run/nodes': ['/api/runs/r12/nodes?limit=10', '/api/runs/r12/nodes?item=US-003'],
  '/api/runs/:run/stories': ['/api/runs/r12/stories?limit=10', '/api/runs/r12/stories?after=US-090&limit=3'],
  '/api/runs/:run/events': ['/api/runs/r12/events', '/api/runs/r12/events?after=200'],
  '/api/runs/:run/attempts': ['/api/runs/r12/attempts?limit=10'],
  '/api/runs/:run/diff': [],
  '/api/attempts/:attempt': ['/api/attempts/{attempt}'],
  '/api/attempts/:attempt/log': [],
  '/api/inbox': ['/api/inbox'],
  '/api/audit': ['/api/audit', '/api/audit?by=ada', '/api/audit?by=nobody'],
  '/api/cost': ['/api/cost'],
  '/api/cost/days': ['/api/cost/days'],
  '/api/workflows': ['/api/workflows'],
  '/api/stream': [],
};

it.skipIf(!isCounted)(
  'pages and API answers read only what they show, with ten thousand runs as with few',
  async () => {
    const small = await filled({ runs: 60, items: 100, events: 300 });
    const large = await filled({ runs: 10_000, items: 100, events: 50_000 });
    for (const path of [...pages, ...Object.values(answers).flat()]) {
      const [few, many] = [await readFor(small, path), await readFor(large, path)];
      const isSame = many.bytes < 1.3 * few.bytes + 32_768;
      expect([path, isSame || `${few.bytes} bytes, and ${many.bytes}`]).toEqual([path, true]);
      const isLittle = !path.startsWith('/api/') || many.bytes < 10 * many.chars + 300_000;
      expect([path, isLittle || `${many.bytes} bytes for ${many.chars} characters`]).toEqual([path, true]);
    }
    // It is a counting: a hundred nodes more are read, and show in it.
    const [none, hundred] = [
      await readFor(large, '/api/runs/r12?nodes=0'),
      await readFor(large, '/api/runs/r12?nodes=100'),
    ];
    expect(hundred.bytes).toBeGreaterThan(none.bytes + 200_000);
  },
  60_000,
);

it('the read measurement covers every GET route of the API', () => {
  const known = apiRoutes.filter(({ method }) => method === 'get').map(({ path }) => path);
  expect(Object.keys(answers).sort()).toEqual([...known].sort());
});

async function readFor({ app, get }: Given, of: string): Promise<{ readonly bytes: number; readonly chars: number }> {
  const warm = app.runtime.store;
  const settled = warm
    .events('r12', 0, 50)
    .map(({ event }) => (event.type === 'attempt_settled' ? event.attempt : null));
  const path = of.replace('{attempt}', settled.find((attempt) => attempt !== null) ?? '');
  const cold = openStore(warm.path, { readonly: true });
  const use = (store: typeof cold) => {
    for (const name of ['store', 'reader'])
      Object.defineProperty(app.runtime, name, { value: store, configurable: true });
  };
  use(cold);
  try {
    const before = bytesRead();
    const reply = await get(path);
    // The answer itself comes in over a socket that this thread reads.
    const bytes = bytesRead() - before - Buffer.byteLength(reply.text);
    expect([path, reply.status]).toEqual([path, 200]);
    return { bytes, chars: reply.text.length };
  } finally {
    use(warm);
    cold.close();
  }
}

function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync(counterPath, 'utf8'))?.[1]);
}

// A Bosun with three projects at once: one whose gate has put work in, one with items side by side in waves, one with a
// question; an agent of the second waits, so that something is at work for as long as a test looks.
import type { App } from '../../../src/cli/app.js';
import type { WorkerStatus } from '../../../src/dispatch/index.js';
import { startWeb, type Web } from '../../../src/web/index.js';
import { type Bosun, givenBosun, until } from '../../e2e/bosun.js';
import { phaseFiles, ralph, said, stages, workflowState } from '../../e2e/plans.js';

export interface Busy {
  readonly bosun: Bosun;
  readonly web: () => Web;
  readonly base: () => string;
  /** What its room tells of its workers from now on, instead of what it knows. */
  tellWorkers(workers: readonly WorkerStatus[]): void;
  close(): Promise<void>;
}

const milestone = [{ id: 'M1', name: 'Cart', status: 'active', phases: [1] }];
const gaps = said(
  {},
  { files: phaseFiles(1, { 'verification.json': { passed: false, gaps: [{ description: 'no index on orders' }] } }) },
);
const standing = {
  'src/cart.ts': 'export {};\n',
  '.workflow/roadmap.md': '# Roadmap\n',
  '.workflow/state.json': workflowState(milestone, [[1, stages.slice(0, 3)]]),
};
const story = (id: string, title: string, dependsOn: readonly string[] = []) => ({
  ...{ id, title, description: `${title}.`, acceptanceCriteria: [`${title}, and it is tested`, 'The page says so'] },
  ...(dependsOn.length > 0 ? { depends_on: dependsOn } : {}),
});
const coded = said({}, { files: { 'src/{item}.txt': '{item}\n' }, commit: '{item} coding', print: 'SUMMARY:\ncoded' });
const held = { ...coded, until: 'held', mutters: '\u001b[32m✓\u001b[0m reading src/orders.ts' };
const fixIt = {
  operation: 'add_after',
  target_step_id: 'step-007',
  reason: 'one test is red',
  new_steps: [{ type: 'coding', description: 'Mend what the test of the list found' }],
};

export async function busy(): Promise<Busy> {
  const bosun = await givenBosun({
    projects: {
      shop: { tests: 'none', files: standing, budget: { day_usd: 20 } },
      orders: { tests: 'none', workflow: 'dynamic-ralph', members: { ann: 'reviewer' } },
      blog: { tests: 'none' },
    },
    plan: {
      verify: gaps,
      ...ralph,
      coding: coded,
      'US-2 coding': held,
      'US-3 coding': held,
      'US-1 initial_testing': [said({}, { edits: [fixIt] }), said({})],
    },
  });
  let workers: readonly WorkerStatus[] | null = null;
  const web = await startWeb(
    telling(bosun.app, () => workers),
    {
      host: '127.0.0.1',
      port: 0,
      version: '1.2.3',
      heartbeatMs: 200,
    },
  );
  await bosun.say('start shop with lifecycle: build a shop');
  await bosun.pressButton('Start');
  await bosun.say('continue shop');
  await bosun.import('orders', [
    story('US-1', 'List orders'),
    story('US-2', 'Cancel an order', ['US-1']),
    story('US-3', 'Search orders by customer', ['US-1']),
    story('US-4', 'Export orders as CSV', ['US-2', 'US-3']),
  ]);
  await bosun.say('continue orders', { hasty: true });
  await bosun.run('blog', 'Let readers subscribe by mail');
  await until('two stories are at work', () => bosun.calls('coding').filter(({ item }) => item > 'US-1').length === 2);
  await bosun.rest('blog');
  return {
    bosun,
    web: () => web,
    base: () => new URL(web.loginLink()).origin,
    tellWorkers(told) {
      workers = told;
    },
    close: async () => {
      bosun.openGate('held');
      await web.close();
      await bosun.close();
    },
  };
}

function telling(app: App, told: () => readonly WorkerStatus[] | null): App {
  const runtime = new Proxy(app.runtime, {
    get(target, key) {
      if (key === 'workers') return () => told() ?? target.workers();
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...app, runtime };
}

// Who does the work, and what waits for it, as the page tells.
import { expect, it, onTestFinished } from 'vitest';
import type { WorkerInfo, WorkerStatus } from '../../src/dispatch/attempts/worker-status.js';
import { isTaking, type QueueView } from '../../src/dispatch/index.js';
import { startWeb } from '../../src/web/index.js';
import { lacking, type WorkerShown } from '../../src/web/pages/shared/worker-view.js';
import { type Given, given, waitingAgent } from './given.js';

const self: WorkerInfo = {
  ...{ host: 'anvil', isAway: false, can: [], version: '1.2.3' },
  ...{ isForeign: false, isDraining: false, runs: [] },
};
const none = { count: 0, oldest: [] };

interface Told {
  readonly workers?: () => readonly WorkerStatus[];
  readonly queueView?: () => QueueView;
}

/** The same Bosun, whose room tells this of its workers and its queue. */
async function telling({ app, home }: Given, told: Told): Promise<(path: string) => Promise<string>> {
  const runtime = new Proxy(app.runtime, {
    get(target, key) {
      const value: unknown = key in told ? Reflect.get(told, key) : Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const web = await startWeb({ ...app, runtime }, { host: '127.0.0.1', port: 0, version: '1.2.3' });
  onTestFinished(() => web.close());
  const headers = { authorization: `Bearer ${home.apiToken}` };
  return async (path) => wordsOf(await (await fetch(`${web.url}${path}`, { headers })).text());
}

function wordsOf(html: string): string {
  return html
    .replace(/^[\s\S]*?<main/, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&#39;', "'");
}

it('the workers page shows the embedded worker with a link to the attempt it runs', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  await bosun.post('/api/say', { text: 'A: mend the cart' });
  await bosun.post('/api/say', { text: 'continue A' });
  const attempt = await bosun.attempt();
  await expect.poll(() => bosun.app.runtime.store.attempt(attempt)?.attempt.state).toBe('running');
  const { text } = await bosun.get('/workers');
  expect(wordsOf(text)).toMatch(
    /1 worker embedded, in this process working .*last heartbeat just now .*shop r1 · attempt 1/,
  );
  expect(text).toContain(`href="/runs/r1/attempts/${encodeURIComponent(attempt)}"`);
  const queue = wordsOf((await bosun.get('/queue')).text);
  expect(queue).toMatch(
    /Running 1 Waiting 0 Redis none .*Running .*shop r1 · attempt 1 .*in this process .*Nothing is waiting/,
  );
});

it('pages, chat and API say that no worker runs and which work waits for one', async () => {
  const bosun = await given();
  await bosun.post('/api/say', { text: 'A: mend the cart' });
  await bosun.post('/api/say', { text: 'continue A' });
  await bosun.attempt();
  expect(wordsOf((await bosun.get('/workers')).text)).toMatch(/0 workers This process runs no agents .*--no-worker/);
  const queue = wordsOf((await bosun.get('/queue')).text);
  expect(queue).toMatch(/This process runs no agents .*Not started, by project and need shop any worker 1 attempt/);
  expect(queue).toMatch(/Waiting .*shop r1 · attempt 1/);
  expect(wordsOf((await bosun.get('/')).text)).toMatch(
    /queued waits for a worker: this Bosun runs no worker .*shop queued no free worker/,
  );
  const said: string[] = [];
  bosun.app.runtime.onMessages((messages) => said.push(...messages.map(({ view }) => view.text)));
  await bosun.post('/api/say', { text: 'why A' });
  await bosun.post('/api/say', { text: 'status A' });
  expect(said[0]).toBe('shop is not working yet: implement, attempt 1, waits for a worker: this Bosun runs no worker.');
  expect(said[1]).toMatch(/^implement: queued, attempt 1 of \d+, waits for a worker: this Bosun runs no worker$/m);
  expect((await bosun.get('/api/projects/shop')).json()).toMatchObject({ health: 'waiting' });
});

it('the workers page shows what remote workers can do, and which are silent, draining or of another version', async () => {
  const bosun = await given();
  const now = Date.now();
  const page = await telling(bosun, {
    workers: () => [
      { name: 'quiet', seenAt: now - 40_000, load: { running: 1, slots: 2 }, self },
      { name: 'late', seenAt: now - 10_000, load: { running: 0, slots: 2 }, self },
      { name: 'stopped', seenAt: now - 16_000, load: { running: 1, slots: 2 }, self },
      { name: 'ending', seenAt: now, load: { running: 1, slots: 2 }, self: { ...self, isDraining: true } },
      {
        name: 'mac',
        seenAt: now,
        load: { running: 3, slots: 3 },
        self: { ...self, host: 'm2', isAway: true, can: ['gpu'] },
      },
      {
        name: 'old',
        seenAt: now,
        load: { running: 0, slots: 1 },
        self: { ...self, version: '1.0.0', isForeign: true },
      },
    ],
  });
  const text = await page('/workers');
  expect(text).toContain('4 workers, 2 silent');
  expect(text).toMatch(/ending working draining 1 of 2/);
  expect(text).toMatch(/stopped silent 1 of 2 .*last heartbeat 1\d s ago/);
  expect(text).toMatch(/late free 0 of 2 slots used · last heartbeat just now on anvil · Bosun 1\.2\.3/);
  expect(text).toMatch(/mac full 3 of 3 .*on m2 · works in its own clone · can do gpu/);
  expect(text).toMatch(
    /old free another version .*Bosun refuses its jobs: upgrade it to this Bosun's version, 1\.2\.3/,
  );
  expect(text).toMatch(/quiet silent 1 of 2 .*last heartbeat 4\d s ago/);
  expect(text.match(/another version|silent /g)).toHaveLength(4);
});

it('each attempt is listed under the worker that runs it', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  await bosun.post('/api/say', { text: 'A: mend the cart' });
  await bosun.post('/api/say', { text: 'continue A' });
  const attempt = await bosun.attempt();
  await expect.poll(() => bosun.app.runtime.store.attempt(attempt)?.attempt.state).toBe('running');
  const sign = (name: string, runs: readonly string[]) => ({ name, seenAt: Date.now(), self: { ...self, runs } });
  const page = await telling(bosun, { workers: () => [sign('one', []), sign('two', [attempt])] });
  expect(await page('/workers')).toMatch(/one free .*two working .*shop r1 · attempt 1/);
  const other = await telling(bosun, { workers: () => [sign('one', [])] });
  expect(await other('/workers')).toMatch(/one free .*Running elsewhere .*shop r1 .*claimed by local-\d+/);
});

it('the queue page shows at most fifty rows of each part, counts the rest and names missing capabilities', async () => {
  const bosun = await given();
  await bosun.post('/api/say', { text: 'A: mend the cart' });
  await bosun.post('/api/say', { text: 'continue A' });
  const attempt = await bosun.attempt();
  const work = { attempt, needs: ['gpu', 'macos'], since: Date.now() - 65_000, notBefore: null, worker: null };
  const part = { count: 700, oldest: Array.from({ length: 90 }, () => work) };
  const groups = [
    { project: 'shop', needs: ['gpu', 'macos'], count: 700 },
    { project: 'shop', needs: ['home-disk'], count: 1 },
    { project: 'shop', needs: [], count: 2 },
  ];
  const view: QueueView = {
    redis: { kind: 'away', problem: 'Redis at 127.0.0.1:1 is full: raise maxmemory.' },
    waiting: part,
    offered: part,
    running: none,
    groups,
  };
  const workers = [{ name: 'one', seenAt: Date.now(), self: { ...self, can: ['gpu'] } }];
  const page = await telling(bosun, { queueView: () => view, workers: () => workers });
  const text = await page('/queue');
  expect(text.match(/shop r1 · attempt 1/g)).toHaveLength(100);
  expect(text.match(/and 650 more/g)).toHaveLength(2);
  expect(text).toContain(
    'needs gpu and macos 700 attempts No connected worker can do macos: they wait for one started',
  );
  expect(text).toContain('bosun worker --can macos');
  expect(text.match(/No connected worker/g)).toHaveLength(1);
  expect(text).toMatch(/Redis full Redis at 127\.0\.0\.1:1 is full: raise maxmemory\. Nothing is lost/);
  expect(text).toMatch(/1 min \d s needs gpu and macos/);
});

it("a job that needs the home's disk while all workers are remote shows the remedy", async () => {
  const bosun = await given();
  const groups = [{ project: 'shop', needs: ['home-disk'], count: 1 }];
  const view: QueueView = {
    redis: { kind: 'fine' },
    waiting: { ...none, count: 1 },
    offered: none,
    running: none,
    groups,
  };
  const workers = [{ name: 'far', seenAt: Date.now(), self: { ...self, isAway: true } }];
  const page = await telling(bosun, { queueView: () => view, workers: () => workers });
  const text = await page('/queue');
  expect(text).toMatch(/it waits for a worker on Bosun's own machine; or set git\.remote/);
  expect(text).not.toContain('--can');
});

const watch = { at: 1_000_000, leaseMs: 15_000 };

it.each<[string, readonly Partial<WorkerShown>[], readonly string[], readonly string[] | null]>([
  ['no worker is present', [], ['gpu'], null],
  ['a silent worker does not count', [{ seenAt: watch.at - watch.leaseMs - 1 }], [], null],
  ['a draining worker does not count', [{ self: { ...self, isDraining: true } }], [], null],
  ['a worker of another version does not count', [{ self: { ...self, isForeign: true } }], [], null],
  ['the one in this process does all', [{}], ['gpu', 'home-disk'], []],
  ['the home’s disk is no question beside it', [{ self }], ['home-disk'], []],
  ['and is one elsewhere', [{ self: { ...self, isAway: true } }], ['home-disk'], ['home-disk']],
  ['one must do all of it', [{ self: { ...self, can: ['a'] } }, { self: { ...self, can: ['b'] } }], ['a', 'b'], ['b']],
])('missing worker capabilities are determined: %s', (_, workers, needs, missing) => {
  const shown = workers.map(({ seenAt = watch.at, ...one }) => {
    return { name: 'w', seenAt, isSilent: false, isTaking: isTaking(seenAt, one.self, watch), ...one };
  });
  expect(lacking(shown, needs)).toEqual(missing);
});

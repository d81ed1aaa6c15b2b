import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { WorkerStatus } from '../../src/dispatch/index.js';
import { openWriter } from '../../src/store/open-store.js';
import { Counter, Histogram } from '../../src/web/metrics/counter.js';
import { CommitTally } from '../../src/web/metrics/index.js';
import { metricsIn } from '../../src/web/metrics/text.js';
import { batchOf } from '../empty-batch.js';
import { aWalk, stepped } from '../store/values.js';
import { type Given, given, waitingAgent } from './given.js';

type Samples = ReadonlyMap<string, number>;

const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\n"])*"';
const sampleShape = new RegExp(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{${label}(?:,${label})*\\})? (\\S+)$`);

/** Refuses what Prometheus would, and names and families that are not as they should be. */
function parsed(text: string): Samples {
  expect(text.endsWith('\n')).toBe(true);
  const samples = new Map<string, number>();
  const families = new Map<string, string>();
  let family = '';
  for (const line of text.trimEnd().split('\n')) {
    const [, help] = /^# HELP (bosun_[a-z_]+) [^\\]+$/.exec(line) ?? [];
    const [, typed, type] = /^# TYPE (bosun_[a-z_]+) (gauge|counter|histogram)$/.exec(line) ?? [];
    if (help !== undefined) {
      // Its samples stand together, behind its help and its type.
      expect(families.has(help), line).toBe(false);
      family = help;
    } else if (typed !== undefined && type !== undefined) {
      expect(typed).toBe(family);
      families.set(typed, type);
      expect(typed.endsWith('_total'), line).toBe(type === 'counter');
    } else {
      const [, name = '', labels = '', value = ''] = sampleShape.exec(line) ?? [];
      const isHistogram = families.get(family) === 'histogram';
      const names = isHistogram ? ['_bucket', '_sum', '_count'].map((end) => `${family}${end}`) : [family];
      expect(names, line).toContain(name);
      expect(samples.has(`${name}${labels}`), line).toBe(false);
      expect(Number(value), line).toBeGreaterThanOrEqual(0);
      samples.set(`${name}${labels}`, Number(value));
    }
  }
  for (const [name, type] of families) if (type === 'histogram') expectHistogram(name, samples);
  return samples;
}

function expectHistogram(name: string, samples: Samples): void {
  const buckets = [...samples].filter(([sample]) => sample.startsWith(`${name}_bucket{`));
  const counts = buckets.map(([, count]) => count);
  expect([name, counts]).toEqual([name, counts.toSorted((a, b) => a - b)]);
  expect([name, buckets.at(-1)]).toEqual([name, [`${name}_bucket{le="+Inf"}`, samples.get(`${name}_count`)]]);
  expect(samples.has(`${name}_sum`)).toBe(true);
}

const scrape = async ({ get }: Pick<Given, 'get'>) => parsed((await get('/metrics')).text);

it('metrics report running work, waiting work and the process', async () => {
  const bosun = await given({ work: true, agent: waitingAgent });
  const { get, post, attempt } = bosun;
  const before = await scrape(bosun);
  expect(before.get('bosun_runs_unfinished{status="running"}')).toBe(0);
  expect(before.get('bosun_worker_working')).toBe(1);
  expect(before.get('bosun_worker_seen_seconds{worker="embedded"}')).toBeLessThan(1);
  await post('/api/say', { text: 'A: wait' });
  expect((await scrape(bosun)).get('bosun_interactions_open{kind="confirm"}')).toBe(1);
  await post('/api/say', { text: 'continue A' });
  await attempt();
  const reply = await get('/metrics');
  expect(reply.headers['content-type']).toContain('text/plain');
  const after = parsed(reply.text);
  expect(after.get('bosun_runs_unfinished{status="running"}')).toBe(1);
  const jobs = (after.get('bosun_jobs{state="queued"}') ?? 0) + (after.get('bosun_jobs{state="running"}') ?? 0);
  expect(jobs).toBe(1);
  expect(after.get('bosun_http_requests_total{code="2xx"}')).toBeGreaterThan(2);
  expect(after.get('bosun_event_loop_delay_seconds{quantile="1"}')).toBeLessThan(20);
  expect(after.get('bosun_process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
  expect(after.get('bosun_info{version="1.2.3"}')).toBe(1);
});

it('metrics count transitions, flushes, attempts by outcome and costs', async () => {
  const claim = 'cat > /dev/null\necho hello > hello.txt\necho "STATUS: pass"\n';
  const bosun = await given({ work: true, agent: claim });
  const before = await scrape(bosun);
  await bosun.post('/api/requests', { do: 'run', project: 'shop', task: 'x', wait: true, timeoutMs: 20_000 });
  const after = await scrape(bosun);
  const events = (await bosun.get('/api/runs/r1/events?limit=200')).json()['items'] as { type: string }[];
  const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  for (const type of new Set(events.map((event) => event.type))) {
    const count = events.filter((event) => event.type === type).length;
    expect([type, grown(`bosun_transitions_total{type="${type}"}`)]).toEqual([type, count]);
  }
  expect(grown('bosun_flush_events_sum')).toBe(events.length);
  expect(grown('bosun_flush_seconds_count')).toBeGreaterThan(2);
  expect(after.get('bosun_flush_seconds_bucket{le="+Inf"}')).toBe(after.get('bosun_flush_seconds_count'));
  const settled = events.filter(({ type }) => type === 'attempt_settled').length;
  expect(grown('bosun_attempts_total{project="shop",outcome="pass"}')).toBe(settled);
  expect(grown('bosun_attempt_seconds_count')).toBe(settled);
  expect(after.get('bosun_cost_usd_total{project="shop"}')).toBe(0);
  expect(after.get('bosun_interactions_open{kind="review"}')).toBe(1);
  expect(after.get('bosun_project_interactions_open{project="shop"}')).toBe(1);
});

it('each attempt is counted once, however often its node changes afterwards', async () => {
  const bosun = await given({ work: true, agent: 'cat > /dev/null\nexit 1\n' });
  await bosun.post('/api/requests', { do: 'run', project: 'shop', task: 'x', wait: true, timeoutMs: 20_000 });
  const attempts = (await bosun.get('/api/runs/r1/attempts')).json()['items'] as unknown[];
  expect(attempts.length).toBeGreaterThan(1);
  expect((await scrape(bosun)).get('bosun_attempts_total{project="shop",outcome="crashed"}')).toBe(attempts.length);
});

it('spending is added to what was spent before and never counted twice', async () => {
  const { app } = await given();
  const { store } = app.runtime;
  const tally = new CommitTally(store.counts);
  const spend = (usd: number) => {
    const batch = { ...emptyBatch, spent: [{ project: 'shop', at: Date.now(), usd, tokensIn: 10, tokensOut: 1 }] };
    store.commit(batch);
    tally.note({ batch, plans: 1, seconds: 0.01 });
  };
  const told = () => parsed(metricsIn(tally.metrics(['shop'])));
  spend(1.5);
  expect(told().get('bosun_cost_usd_total{project="shop"}')).toBe(1.5);
  spend(2);
  expect(told().get('bosun_cost_usd_total{project="shop"}')).toBe(3.5);
  expect(told().get('bosun_tokens_total{project="shop",direction="in"}')).toBe(20);
});

it('five hundred projects have their own series, and the others share one', async () => {
  const { app } = await given();
  const { store } = app.runtime;
  const tally = new CommitTally(store.counts);
  const spend = (project: string, usd: number) => {
    const batch = { ...emptyBatch, spent: [{ project, at: Date.now(), usd, tokensIn: 10, tokensOut: 1 }] };
    store.commit(batch);
    tally.note({ batch, plans: 1, seconds: 0.01 });
  };
  const names = Array.from({ length: 600 }, (_, n) => `p${n}`);
  spend('gone', 1);
  spend('p599', 2);
  spend('p0', 4);
  const told = () => parsed(metricsIn(tally.metrics(names)));
  const cost = (project: string) => told().get(`bosun_cost_usd_total{project="${project}"}`);
  expect([cost('p0'), cost('p1'), cost('other'), cost('gone'), cost('p599')]).toEqual([4, 0, 3, undefined, undefined]);
  spend('gone', 8);
  expect(cost('other')).toBe(11);
  expect([...told().keys()].filter((name) => name.startsWith('bosun_cost_usd_total')).length).toBe(501);
  const walk = aWalk(900, 1, { project: 'gone' });
  const running = stepped(stepped(walk));
  tally.note({
    batch: { ...emptyBatch, states: [{ before: running, after: stepped(running) }] },
    plans: 1,
    seconds: 0,
  });
  expect(told().get('bosun_attempts_total{project="other",outcome="pass"}')).toBe(1);
});

const emptyBatch = batchOf();

it('metrics report how long waiting work has waited', async () => {
  let ahead = 0;
  const bosun = await given({ now: () => Date.now() + ahead, agent: waitingAgent });
  await bosun.post('/api/say', { text: 'A: wait' });
  ahead = 3_600_000;
  const open = await scrape(bosun);
  expect(open.get('bosun_interactions_oldest_seconds{kind="confirm"}')).toBeGreaterThanOrEqual(3_600);
  expect(open.get('bosun_interactions_oldest_seconds{kind="review"}')).toBe(0);
  await bosun.post('/api/say', { text: 'continue A' });
  await expect.poll(async () => (await scrape(bosun)).get('bosun_queue_depth{project="shop"}')).toBe(1);
  expect((await scrape(bosun)).get('bosun_queue_oldest_seconds{project="shop"}')).toBeGreaterThanOrEqual(3_500);
  writeFileSync(bosun.goPath, '');
});

it('metrics report waiting, sent and failed messages and rate limits of each channel', async () => {
  const bosun = await given();
  const { deliveries } = bosun.app.runtime.store;
  const thread = { id: 'telegram:1', channel: 'telegram', address: { chat: '1' }, project: null, quiet: false };
  const view = { kind: 'report', text: 'x', buttons: [], offers: [], rings: false, file: null };
  const message = { thread: thread.id, run: null, interaction: null, card: null, view, at: Date.now() - 60_000 };
  const [one, two, three] = bosun.app.runtime.store.commit({
    ...{ ...emptyBatch, threads: [thread] },
    messages: [message, message, message],
  });
  const number = (id?: string) => Number(id?.slice(1));
  expect((await scrape(bosun)).get('bosun_deliveries_waiting{channel="telegram"}')).toBe(3);
  deliveries.end(number(one?.id), 'sent', null);
  deliveries.fail(number(two?.id), 'gone', Date.now());
  deliveries.fail(number(two?.id), 'told again', Date.now());
  deliveries.block('telegram', '1', Date.now() + 30_000);
  const after = await scrape(bosun);
  expect(three).toBeDefined();
  expect(after.get('bosun_deliveries_waiting{channel="telegram"}')).toBe(1);
  expect(after.get('bosun_deliveries_oldest_seconds{channel="telegram"}')).toBeGreaterThanOrEqual(60);
  expect(after.get('bosun_lanes_waiting{channel="telegram"}')).toBe(1);
  expect(after.get('bosun_lanes_blocked{channel="telegram"}')).toBe(1);
  expect(after.get('bosun_deliveries_total{channel="telegram",state="sent"}')).toBe(1);
  expect(after.get('bosun_deliveries_total{channel="telegram",state="failed"}')).toBe(1);
  expect(after.get('bosun_retry_after_total{channel="telegram"}')).toBe(1);
  expect(Math.round(after.get('bosun_retry_after_seconds_total{channel="telegram"}') ?? 0)).toBe(30);
});

it('remote workers have one series for each name while they are present, and at most 100', async () => {
  const bosun = await given();
  const told = async (workers: readonly WorkerStatus[]) => {
    Object.defineProperty(bosun.app.runtime, 'workers', { value: () => workers, configurable: true });
    const samples = await scrape(bosun);
    const named = [...samples.keys()].filter((name) => name.startsWith('bosun_worker_seen_seconds'));
    return { samples, named, count: samples.get('bosun_workers') };
  };
  const at = Date.now();
  const twice = await told([
    { name: 'big (a1b2)', seenAt: at - 60_000 },
    { name: 'big (c3d4)', seenAt: at - 5_000 },
    { name: 'odd "one"\\\n{x="y"} 1', seenAt: at },
  ]);
  expect(twice).toMatchObject({ count: 2, named: { length: 2 } });
  const seen = twice.samples.get('bosun_worker_seen_seconds{worker="big"}') ?? 0;
  expect(seen).toBeGreaterThanOrEqual(5);
  expect(seen).toBeLessThan(60);
  expect(twice.named.join()).toContain('odd \\"one\\"\\\\\\n{x=');
  const many = await told(Array.from({ length: 900 }, (_, n) => ({ name: `w${n}`, seenAt: at - n })));
  expect(many).toMatchObject({ count: 900, named: { length: 100 } });
  expect(many.named).toContain('bosun_worker_seen_seconds{worker="w0"}');
  expect(await told([])).toMatchObject({ count: 0, named: [] });
});

it('metrics report a problem with Redis', async () => {
  const bosun = await given();
  const told = async (problem: string | null) => {
    Object.defineProperty(bosun.app.runtime, 'queueState', {
      value: () => ({ offered: 0, problem }),
      configurable: true,
    });
    return (await scrape(bosun)).get('bosun_queue_problem');
  };
  expect([await told(null), await told('Redis at box is full.')]).toEqual([0, 1]);
});

it('/metrics and docs/metrics.md name the same metrics', async () => {
  const bosun = await given();
  const { text } = await bosun.get('/metrics');
  const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  const promised = new Set([...page.matchAll(/`(bosun_[a-z_]+)[`{]/g)].map(([, name]) => name));
  const told = new Set([...text.matchAll(/^# TYPE (bosun_[a-z_]+)/gm)].map(([, name]) => name));
  const isOf = (name: string) => told.has(name) || told.has(name.replace(/_(count|sum|bucket)$/, ''));
  expect([...promised].filter((name) => name !== undefined && !isOf(name))).toEqual([]);
  expect([...told].filter((name) => !promised.has(name))).toEqual([]);
});

it('a counter keeps at most 501 series', () => {
  const counter = new Counter();
  for (let n = 0; n < 10_000; n += 1) counter.add({ project: `p${n}`, outcome: 'pass' });
  const { samples } = counter;
  expect(samples.length).toBe(501);
  expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(10_000);
  expect(samples.at(-1)).toEqual({ labels: { project: 'other', outcome: 'other' }, value: 9_500 });
});

it('a histogram counts each value in its bucket and in all larger ones', () => {
  const histogram = new Histogram([1, 10]);
  for (const value of [0.5, 1, 5, 50]) histogram.note(value);
  const text = metricsIn([histogram.metric('bosun_x', 'X.')]);
  expect(text).toContain('bosun_x_bucket{le="1"} 2\nbosun_x_bucket{le="10"} 3\nbosun_x_bucket{le="+Inf"} 4\n');
  expect(text).toContain('bosun_x_sum 56.5\nbosun_x_count 4\n');
});

it('a scrape takes no longer after ten thousand runs', { timeout: 60_000 }, async () => {
  const bosun = await given();
  await bosun.post('/api/say', { text: 'A: wait' });
  const scraped = () => bosun.get('/metrics');
  const [empty, counted] = [await medianMs(scraped), await medianMs(() => countAll(bosun))];
  addFinishedRuns(bosun.home.dbPath, 10_000);
  const [full, countedFull] = [await medianMs(scraped), await medianMs(() => countAll(bosun))];
  expect((await scrape(bosun)).get('bosun_runs_unfinished{status="draft"}')).toBe(1);
  expect(full).toBeLessThan(3 * empty + 3);
  // Without the way through HTTP: a walk over the runs, their attempts or their cards takes milliseconds.
  expect(countedFull).toBeLessThan(3 * counted + 0.3);
});

async function countAll({ app }: Given): Promise<void> {
  const { counts, deliveries } = app.runtime.store;
  counts.unfinishedRuns();
  counts.attempts();
  counts.interactions();
  counts.inbox();
  counts.blockedLanes(0);
  deliveries.counts();
}

async function medianMs(act: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 25; n += 1) {
    const begun = performance.now();
    await act();
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[12] ?? 0;
}

function addFinishedRuns(path: string, count: number): void {
  const db = openWriter(path, {});
  const body = JSON.stringify({ padding: 'x'.repeat(500) });
  const run = db.prepare(
    `INSERT INTO runs (id, number, project, status, unfinished, body) VALUES (?, ?, 'shop', 'completed', 0, ?)`,
  );
  const attempt = db.prepare(
    `INSERT INTO attempts (id, run, chain, node, state, body) VALUES (?, ?, '', 'n1', 'settled', ?)`,
  );
  const asked = db.prepare(
    `INSERT INTO interactions (id, run, project, chain, state, kind, opened_at, body)
     VALUES (?, ?, 'shop', '', 'answered', 'review', 1, ?)`,
  );
  db.transaction(() => {
    for (let n = 1_000; n < 1_000 + count; n += 1) {
      run.run(`r${n}`, n, body);
      for (let i = 0; i < 3; i += 1) attempt.run(`a${n}-${i}`, `r${n}`, body);
      asked.run(`i${n}`, `r${n}`, body);
    }
  })();
  db.close();
}

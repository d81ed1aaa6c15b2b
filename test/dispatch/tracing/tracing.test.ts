// A run as one trace, taken by a collector that listens on the loopback.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { usualExport } from '../../../src/base/index.js';
import { Exporter } from '../../../src/base/tracing/exporter.js';
import { type Span, spanIdOf, traceIdOf } from '../../../src/base/tracing/span.js';
import { startTracing, type Tracing, traceSettings } from '../../../src/dispatch/tracing/start-tracing.js';
import { type Given, given } from '../../web/given.js';

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly status: { readonly code: number };
}

interface Collector {
  readonly url: string;
  readonly spans: SentSpan[];
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  /** What it answers with. */
  status: number;
  close(): Promise<void>;
}

async function collector(port = 0): Promise<Collector> {
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      open.asked.push({ path: request.url ?? '', headers: request.headers, body });
      if (open.status < 300) {
        const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] };
        open.spans.push(...resourceSpans.flatMap((one) => one.scopeSpans.flatMap(({ spans }) => spans)));
      }
      response.writeHead(open.status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open: Collector = { url, spans: [], asked: [], status: 200, close };
  return open;
}

function traced(bosun: Given, { url }: Pick<Collector, 'url'>): Tracing {
  const settings = traceSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20secret, broken',
    OTEL_SERVICE_NAME: 'bosun-here',
  });
  if (settings === null) throw new Error('no traces are wanted');
  return startTracing({
    ...usualExport,
    ...settings,
    runtime: bosun.app.runtime,
    version: '1.2.3',
    log: () => undefined,
  });
}

const attributeOf = (span: SentSpan | undefined, key: string) => {
  const value = span?.attributes.find((one) => one.key === key)?.value ?? {};
  return Object.values(value)[0];
};

it('exports a run as one trace: run, item, attempts and waits for a person', async () => {
  const there = await collector();
  const bosun = await given({ work: true, agent: 'cat > /dev/null\necho "STATUS: pass"\n' });
  const tracing = traced(bosun, there);
  await bosun.post('/api/requests', {
    do: 'run',
    project: 'shop',
    task: 'a secret task',
    wait: true,
    timeoutMs: 20_000,
  });
  const [review] = bosun.app.runtime.store.openInteractions('shop');
  await bosun.post('/api/press', { press: `${review?.interaction.id}.approve`, wait: true, timeout_s: 20 });
  await tracing.close();
  const { homeId } = bosun.app.runtime.store;
  const run = there.spans.find(({ name }) => name === 'run quick');
  expect(run).toMatchObject({ traceId: traceIdOf(homeId, 'r1'), spanId: spanIdOf(homeId, 'run', 'r1') });
  expect(run?.parentSpanId).toBeUndefined();
  expect(new Set(there.spans.map(({ traceId }) => traceId))).toEqual(new Set([run?.traceId]));
  expect(new Set(there.spans.map(({ spanId }) => spanId)).size).toBe(there.spans.length);
  for (const span of there.spans) {
    expect([span.traceId, span.spanId]).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{16}$/),
    ]);
    if (span !== run) expect(span.parentSpanId).toBe(run?.spanId);
    expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
    expect(BigInt(span.startTimeUnixNano) >= BigInt(run?.startTimeUnixNano ?? 0)).toBe(true);
  }
  const attempt = there.spans.find(({ name }) => name === 'attempt implement');
  expect([attributeOf(attempt, 'bosun.outcome'), attributeOf(attempt, 'bosun.run'), attempt?.status.code]).toEqual([
    'pass',
    'r1',
    1,
  ]);
  const wait = there.spans.find(({ name }) => name === 'wait review');
  expect(attributeOf(wait, 'bosun.interaction.option')).toBe('approve');
  const [first] = there.asked;
  expect([first?.path, first?.headers['x-key']]).toEqual(['/v1/traces', 'a secret']);
  expect(there.asked.map(({ body }) => body).join()).toContain('bosun-here');
  expect(there.asked.map(({ body }) => body).join()).not.toContain('a secret task');
});

it('nests the attempts of a story under the story', async () => {
  const there = await collector();
  const bosun = await given({
    work: true,
    agent: 'cat > /dev/null\nexit 1\n',
    project: { workflow: 'micro-waterfall' },
  });
  const tracing = traced(bosun, there);
  const stories = [{ id: 'US-1', title: 'One' }];
  await bosun.post('/api/requests', { do: 'import', project: 'shop', file: 'p', stories });
  await bosun.post('/api/say', { text: 'continue A', wait: true, timeout_s: 20 });
  await tracing.close();
  const { homeId } = bosun.app.runtime.store;
  const attempts = there.spans.filter(({ name }) => name === 'attempt bdd');
  expect(attempts.length).toBeGreaterThan(1);
  expect(new Set(attempts.map(({ spanId }) => spanId)).size).toBe(attempts.length);
  for (const attempt of attempts) {
    expect(attempt).toMatchObject({ parentSpanId: spanIdOf(homeId, 'item', 'r1/US-1'), status: { code: 2 } });
  }
});

const span = (n: number): Span => ({
  ...{ traceId: traceIdOf('h', 'r1'), spanId: spanIdOf('h', 'attempt', String(n)), parentId: null },
  ...{ name: `span ${n}`, startedAt: 1_000, endedAt: 2_000, isError: false, attributes: { n } },
});
const spans = (count: number) => Array.from({ length: count }, (_, n) => span(n));
const sender = { service: 'bosun', version: '1' };

it('keeps the newest spans while the collector is away, logs it once, and resumes', async () => {
  const away = await collector();
  const port = Number(new URL(away.url).port);
  await away.close();
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  const url = `http://127.0.0.1:${port}/v1/traces`;
  const quick = { sendEveryMs: 1, retryMs: 20, timeoutMs: 1_000, maxWaiting: 100 };
  const exporter = new Exporter({ ...quick, url, headers: {}, sender, log });
  exporter.add(spans(300));
  await expect.poll(() => logged).toEqual([expect.stringContaining('cannot send to')]);
  const back = await collector(port);
  await expect.poll(() => back.spans.length, { timeout: 10_000 }).toBe(100);
  expect(back.spans.map(({ name }) => name)).toEqual(
    spans(300)
      .slice(200)
      .map(({ name }) => name),
  );
  await expect.poll(() => logged).toEqual([expect.anything(), expect.stringContaining('200 were dropped')]);
  await exporter.close(1_000);
});

it('drops spans that the collector rejects with 400, and retries after 503', async () => {
  const there = await collector();
  const quick = { sendEveryMs: 1, retryMs: 5, timeoutMs: 1_000, maxWaiting: 100 };
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  const exporter = new Exporter({ ...quick, url: `${there.url}/v1/traces`, headers: {}, sender, log });
  there.status = 400;
  exporter.add(spans(2));
  await expect.poll(() => logged).toEqual([expect.stringContaining('rejected a batch with HTTP 400: dropped 2')]);
  there.status = 503;
  exporter.add(spans(3));
  await expect.poll(() => there.asked.length).toBeGreaterThan(2);
  there.status = 200;
  await expect.poll(() => there.spans.length).toBe(3);
  await exporter.close(1_000);
});

it.each([60_000, 1])(
  'closes quickly with a silent collector, whether %i ms before a send or during it',
  async (sendEveryMs) => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1/traces`;
    const exporter = new Exporter({ ...usualExport, url, headers: {}, sender, log: () => undefined, sendEveryMs });
    exporter.add(spans(3));
    if (sendEveryMs === 1) await once(silent, 'request');
    const begun = Date.now();
    await exporter.close(200);
    expect(Date.now() - begun).toBeLessThan(2_000);
  },
);

it.each([
  [{}, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' }, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_TRACES_EXPORTER: 'none' }, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/base/' }, 'http://c:4318/base/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c/take' }, 'https://c/take'],
])('reads the trace endpoint from %j as %s', (env, url) => {
  expect(traceSettings(env)?.url ?? null).toBe(url);
});

it('rejects an address that is not HTTP, without repeating it', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'grpc:secret@host' };
  expect(() => traceSettings(env)).toThrow('OTEL_EXPORTER_OTLP_ENDPOINT is not an HTTP address');
});

it('never delays a run for a collector that does not answer, and bounds its buffer', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1/traces`;
  const bosun = await given({ work: true, agent: 'cat > /dev/null\necho "STATUS: pass"\n' });
  const { runtime } = bosun.app;
  const parts = {
    ...usualExport,
    url,
    headers: {},
    service: 'bosun',
    version: '1',
    log: () => undefined,
    sendEveryMs: 1,
  };
  const tracing = startTracing({ ...parts, runtime });
  const asked = once(silent, 'request');
  await bosun.post('/api/requests', { do: 'run', project: 'shop', task: 'x', wait: true, timeoutMs: 20_000 });
  expect(runtime.store.openInteractions('shop')).toHaveLength(1);
  await asked;
  await tracing.close();
  const sent: string[] = [];
  const there = await collector();
  const exporter = new Exporter({
    ...parts,
    sender,
    url: `${there.url}/v1/traces`,
    sendEveryMs: 60_000,
    maxWaiting: 500,
  });
  for (let n = 0; n < 200; n += 1) exporter.add(spans(500));
  await exporter.close(2_000);
  sent.push(...there.spans.map(({ name }) => name));
  expect(sent).toHaveLength(500);
});

// Pages and answers beside a long history, for one client and for many, and how soon open pages hear of news.
import { rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { measurePage, measureWakes, openBrowser } from './web-browser.mjs';
import { largeHome } from './web-home.mjs';
import { openStreams, startServer } from './web-server.mjs';

const pages = [
  ...['/', '/chat', '/inbox', '/history', '/history?status=failed', '/projects/shop', '/runs/r1', '/runs/r1/history'],
  ...['/costs', '/workers', '/audit', '/workflows'],
];
const answers = [
  ...['/api/projects', '/api/projects/shop', '/api/runs', '/api/runs/r1', '/api/runs/r1?nodes=50'],
  ...['/api/runs/r1/nodes', '/api/runs/r1/stories', '/api/runs/r1/events', '/api/runs/r1/attempts', '/api/inbox'],
  ...['/api/audit?by=nobody', '/api/cost', '/metrics'],
];
const clients = 8;
/** As many as are let in, but for one. */
const openAtOnce = 199;
const idleMs = 3_000;
/** Asked so often at most, and for so long at most. */
const asks = { count: 200, ms: 1_000 };

export async function measureWeb() {
  const { folder, home, runs, events } = await largeHome();
  const server = await startServer(home);
  const load = () => `machine load ${loadavg()[0].toFixed(1)}`;
  try {
    const startMb = server.rssMb();
    const size = `${runs.toLocaleString('en')} runs, ${events.toLocaleString('en')} events`;
    const browser = await openBrowser(server);
    const shown = browser === null ? [] : await pageTable(browser.page, server);
    const first = { title: `Pages in Chromium, median of 5 (${size}; ${load()})`, rows: shown };
    const second = { title: `Answers of the API, milliseconds (${load()})`, rows: await answerTable(server) };
    const wakes = browser === null ? [] : await measureWakes(browser.page, server);
    await browser?.close();
    const third = {
      title: `News, and what open pages cost (${load()})`,
      rows: await newsTable(server, wakes, startMb),
    };
    return [first, second, third];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function pageTable(page, { url }) {
  const rows = [];
  for (const path of pages) {
    const { firstByteMs, paintMs, loadMs, bytes } = await measurePage(page, `${url}${path}`);
    rows.push({
      page: path,
      'KB of HTML': Math.round(bytes / 1_000),
      'first byte, ms': firstByteMs.toFixed(0),
      'first paint, ms': paintMs.toFixed(0),
      'read whole, ms': loadMs.toFixed(0),
    });
  }
  return rows;
}

async function answerTable(server) {
  const rows = [];
  for (const path of answers) {
    const { text } = await server.get(path);
    const [alone, together] = [await askedBy(1, server, path), await askedBy(clients, server, path)];
    rows.push({
      answer: path,
      KB: (Buffer.byteLength(text) / 1_000).toFixed(1),
      'alone p50': at(alone.times, 0.5),
      'alone p99': at(alone.times, 0.99),
      [`${clients} clients p50`]: at(together.times, 0.5),
      [`${clients} clients p99`]: at(together.times, 0.99),
      'answers a second': Math.round(together.perSecond),
    });
  }
  return rows;
}

async function askedBy(count, server, path) {
  const times = [];
  const started = performance.now();
  const isOver = () => times.length >= asks.count || performance.now() - started > asks.ms;
  const client = async () => {
    while (!isOver()) times.push((await server.get(path)).ms);
  };
  await Promise.all(Array.from({ length: count }, client));
  return { times, perSecond: (times.length * 1_000) / (performance.now() - started) };
}

async function newsTable(server, wakes, startMb) {
  const row = (what, value) => ({ what, value });
  const rows = [
    ...(wakes.length === 0
      ? []
      : [
          row('word sent → its sender has the answer, p50 / p99, ms', pair(wakes.map(({ answered }) => answered))),
          row('word sent → event in the browser, p50 / p99, ms', pair(wakes.map(({ heard }) => heard))),
        ]),
    row('memory (RSS) after the start, MB', startMb.toFixed(0)),
    row('memory after all of the above, MB', server.rssMb().toFixed(0)),
  ];
  const open = await openStreams(server, openAtOnce, (n) => (n % 2 === 0 ? '/api/stream' : '/live'));
  const cpu = server.cpuMs();
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  const idleCpu = ((server.cpuMs() - cpu) / idleMs) * 100;
  await server.get('/metrics');
  const told = [];
  const others = [];
  for (let round = 0; round < 10; round++) {
    const heard = open.heard();
    const from = performance.now();
    const said = server.say('help');
    others.push((await server.get('/healthz')).ms);
    await said;
    told.push(Math.max(...(await heard)) - from);
  }
  const metrics = (await server.get('/metrics')).text;
  const delay = Number(/^bosun_event_loop_delay_seconds\{quantile="1"\} (\S+)$/m.exec(metrics)?.[1] ?? 0) * 1_000;
  rows.push(
    row(`${openAtOnce} open streams and pages, nothing happens: CPU, %`, idleCpu.toFixed(0)),
    row('… word sent → the last of them has heard, p50 / worst, ms', `${at(told, 0.5)} / ${at(told, 1)}`),
    row('… another answer meanwhile (/healthz), p50 / worst, ms', `${at(others, 0.5)} / ${at(others, 1)}`),
    row('… the event loop was late by at most, ms', delay.toFixed(0)),
    row('… memory, MB', server.rssMb().toFixed(0)),
  );
  open.close();
  return rows;
}

function pair(times) {
  return `${at(times, 0.5)} / ${at(times, 0.99)}`;
}

function at(times, share) {
  const sorted = [...times].sort((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);
}

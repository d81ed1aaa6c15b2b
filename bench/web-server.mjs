// Bosun as a process of its own, and plain clients of it: what they ask is what is timed.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const readyWithinMs = 20_000;

export async function startServer(home) {
  const child = spawn(process.execPath, [main, 'up', '--port', '0', '--no-worker', '--home', home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await untilReady(child);
  const [, url] = /ready (http:\S+)/.exec(said) ?? [];
  const [, link] = /(http:\S+\/login\?code=\S+)/.exec(said) ?? [];
  if (url === undefined || link === undefined) throw new Error(`no address in: ${said}`);
  const token = readFileSync(join(home, 'token'), 'utf8').trim();
  const agent = new Agent({ keepAlive: true });
  return {
    url,
    link,
    token,
    get: (path) => ask({ url, token, agent, path }),
    say: (text) => ask({ url, token, agent, path: '/api/say', body: JSON.stringify({ text }) }),
    rssMb: () => Number(/VmRSS:\s+(\d+)/.exec(procFile(child.pid, 'status'))?.[1] ?? 0) / 1024,
    cpuMs: () => cpuOf(procFile(child.pid, 'stat')),
    async stop() {
      agent.destroy();
      child.kill('SIGTERM');
      await new Promise((resolve) => (child.exitCode === null ? child.on('exit', resolve) : resolve()));
    },
  };
}

function untilReady(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`not ready within ${readyWithinMs} ms: ${said}`)), readyWithinMs);
    child.on('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)));
    child.stdout.on('data', (data) => {
      said += data;
      if (!/ready [\s\S]*login\?code=\S+\s/.test(said)) return;
      clearTimeout(timer);
      resolve(said);
    });
  });
}

function procFile(pid, name) {
  return readFileSync(`/proc/${pid}/${name}`, 'utf8');
}

/** Hundredths of a second, as nearly every Linux counts. */
function cpuOf(stat) {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function ask({ url, token, agent, path, body }) {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method: body ? 'POST' : 'GET', headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => {
        if (answer.statusCode !== 200) reject(new Error(`${path}: ${answer.statusCode} ${text.slice(0, 200)}`));
        resolve({ ms: performance.now() - started, text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** So many streams, each with when its newest event came. */
export async function openStreams({ url, token }, count, pathOf) {
  const streams = await Promise.all(Array.from({ length: count }, (_, n) => openStream({ url, token }, pathOf(n))));
  return {
    /** When each of them has heard what comes next, counted from now. */
    heard: () => Promise.all(streams.map((stream) => stream.next())),
    close: () => streams.map((stream) => stream.close()),
  };
}

function openStream({ url, token }, path) {
  return new Promise((resolve, reject) => {
    let tell = () => undefined;
    const sent = request(`${url}${path}`, { headers: { authorization: `Bearer ${token}` }, agent: false }, (answer) => {
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => chunk.includes('id: ') && tell(performance.now()));
      answer.on('error', () => undefined);
      const next = () =>
        new Promise((heard) => {
          tell = heard;
        });
      resolve({ next, close: () => sent.destroy() });
    });
    sent.on('error', reject);
    sent.end();
  });
}

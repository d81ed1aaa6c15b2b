// What a Bosun that idles costs: the time until it is ready, and its memory.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './commits.mjs';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export async function measureProcess(rounds = 5) {
  const ready = [];
  const bare = [];
  const memory = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(await timeUntilExit(['-e', '0']));
    const found = await startOnce();
    ready.push(found.readyMs);
    memory.push(found.rssMb);
  }
  return {
    title: 'A Bosun that idles',
    rows: [
      { what: 'bare node, start to end, ms', median: median(bare).toFixed(0) },
      { what: 'start to ready, ms', median: median(ready).toFixed(0) },
      { what: 'memory (RSS) a second after ready, MB', median: median(memory).toFixed(0) },
    ],
  };
}

function timeUntilExit(args) {
  const started = performance.now();
  return new Promise((resolve) => spawn(process.execPath, args).on('exit', () => resolve(performance.now() - started)));
}

async function startOnce() {
  const home = mkdtempSync(join(tmpdir(), 'bosun-bench-'));
  writeFileSync(join(home, 'config.yaml'), 'projects: {}\n');
  const started = performance.now();
  const child = spawn(process.execPath, [main, 'up', '--port', '0', '--home', home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.on('data', (data) => String(data).includes('ready ') && resolve()));
  const readyMs = performance.now() - started;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const rssMb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  child.kill('SIGTERM');
  await new Promise((resolve) => child.on('exit', resolve));
  rmSync(home, { recursive: true, force: true });
  return { readyMs, rssMb };
}

// What a Bosun that idles costs: the time until it is ready, and its memory.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './commits.mjs';
import { ratio } from './tools/figures.mjs';

const firstMs = 1_000;
/** V8 has shrunk its heap by then. */
const idleMs = 15_000;

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export async function measureProcess(rounds = 5) {
  const packages = await packagesOfBosun();
  const ready = [];
  const bare = [];
  const memory = { bosun: [], bare: [] };
  const idle = { bosun: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    bare.push(await timeUntilExit(['-e', '0']));
    const [bosun, other] = await Promise.all([startBosun(), startBare(packages)]);
    ready.push(bosun.readyMs);
    for (const [name, found] of Object.entries({ bosun, bare: other })) {
      memory[name].push(found.firstMb);
      idle[name].push(found.idleMb);
    }
  }
  const row = (what, { bosun, bare: other }) => ({
    what,
    median: median(bosun).toFixed(0),
    'bare Node with the same packages': median(other).toFixed(0),
    ratio: ratio(bosun, other).toFixed(2),
  });
  // The columns of a table are those of its first row.
  const alone = { 'bare Node with the same packages': '', ratio: '' };
  return {
    title: 'A Bosun that idles',
    rows: [
      { what: 'bare node, start to end, ms', median: median(bare).toFixed(0), ...alone },
      { what: 'start to ready, ms', median: median(ready).toFixed(0), ...alone },
      row('memory (RSS) a second after ready, MB', memory),
      row(`memory (RSS) ${idleMs / 1_000} seconds after ready, MB`, idle),
    ],
  };
}

function timeUntilExit(args) {
  const started = performance.now();
  return new Promise((resolve) => spawn(process.execPath, args).on('exit', () => resolve(performance.now() - started)));
}

async function startBosun(flags = [], env = {}) {
  const home = mkdtempSync(join(tmpdir(), 'bosun-bench-'));
  writeFileSync(join(home, 'config.yaml'), 'projects: {}\n', { mode: 0o600 });
  const found = await measureMemory([...flags, main, 'up', '--port', '0', '--home', home], env);
  rmSync(home, { recursive: true, force: true });
  return found;
}

/** In the folder of Bosun's modules, so that it finds the same packages. */
function startBare(packages) {
  const lines = packages.map((name) => `await import(${JSON.stringify(name)});`);
  // better-sqlite3 loads its addon with the first database.
  const database = "new (await import('better-sqlite3')).default(':memory:');";
  const script = [...lines, database, "console.log('ready '); setInterval(() => 0, 1e6);"].join('\n');
  return measureMemory(['--input-type=module', '-e', script]);
}

async function measureMemory(args, env = {}) {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    ...{ cwd: dirname(main), env: { ...process.env, ...env } },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.on('data', (data) => String(data).includes('ready ') && resolve()));
  const readyMs = performance.now() - started;
  await pause(firstMs);
  const firstMb = rssMb(child.pid);
  await pause(idleMs - firstMs);
  const idleMb = rssMb(child.pid);
  child.kill('SIGTERM');
  await new Promise((resolve) => child.on('exit', resolve));
  return { readyMs, firstMb, idleMb };
}

function rssMb(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** As its modules name them: a hook of Node's loader notes each. */
async function packagesOfBosun() {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-'));
  const noted = join(folder, 'packages');
  const hook = `
    import { appendFileSync } from 'node:fs';
    export async function resolve(name, context, next) {
      const found = await next(name, context);
      const isOwn = !(context.parentURL ?? '').includes('/node_modules/') && found.url.includes('/node_modules/');
      if (isOwn) appendFileSync(process.env.BENCH_PACKAGES, name + '\\n');
      return found;
    }`;
  const loader = `import { register } from 'node:module'; register(${JSON.stringify(inUrl(hook))});`;
  await startBosun(['--import', inUrl(loader)], { BENCH_PACKAGES: noted });
  // zod is part of Bosun's own files.
  const names = [...new Set(['zod', ...readFileSync(noted, 'utf8').trim().split('\n')])];
  rmSync(folder, { recursive: true, force: true });
  return names;
}

function inUrl(script) {
  return `data:text/javascript,${encodeURIComponent(script)}`;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

// usage: node bench/agents.mjs   (npm run agents:install first)
// From the start of a job to the first byte that its agent prints, against the same program started by hand with the
// same arguments, environment and prompt: what Bosun adds. The model is a server of the tests' own, on loopback.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { median } from './commits.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const main = join(root, 'dist', 'main.js');
const agents = join(root, 'test', 'agents');
const rounds = 5;
const limitMs = 60_000;
const flow = 'workflow: one\nchain:\n  - { id: work, title: Work, prompt: "do it", max_attempts: 1 }\n';

export async function measureAgents() {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-agents-'));
  try {
    const parts = await testParts(folder);
    const rows = [];
    for (const kind of ['claude', 'codex', 'opencode']) {
      const version = parts.versionOf(kind);
      if (version === null) continue;
      rows.push(await measure({ kind, version, folder: join(folder, kind), parts }));
    }
    return { title: 'From the start of a job to the first byte of its agent', rows };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The model server and the set-up of the programs, which are TypeScript. */
async function testParts(folder) {
  const outfile = join(folder, 'parts.mjs');
  const contents = ['model/server', 'model/talk', 'executors', 'programs']
    .map((name) => `export * from './${name}.ts';`)
    .join('\n');
  const stdin = { contents, resolveDir: agents };
  await build({ stdin, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'warning' });
  process.env.AGENTS_MODULES = join(agents, 'node_modules');
  return import(pathToFileURL(outfile).href);
}

async function measure({ kind, version, folder, parts }) {
  const model = await parts.startModel(parts.scripted({ Work: [parts.say('STATUS: pass\nSUMMARY: done')] }));
  const project = givenProject(folder);
  const executor = parts.executorOf(kind, join(folder, 'user'), model.url);
  const recorder = join(folder, 'recorder.sh');
  const write = (program) => writeConfig(folder, project, { ...executor, program });
  writeFileSync(recorder, recording(folder, executor.program), { mode: 0o755 });
  write(recorder);
  const up = await startBosun(folder);
  try {
    await byBosun(folder, 1);
    write(executor.program);
    const hand = recorded(folder, executor.program, project);
    await byHand(hand);
    const [own, bare] = [[], []];
    for (let round = 0; round < rounds; round++) {
      own.push(await byBosun(folder, round + 2));
      bare.push(await byHand(hand));
    }
    return row(`${kind} ${version}`, median(own), median(bare));
  } finally {
    up.kill('SIGTERM');
    await new Promise((resolve) => up.once('close', resolve));
    await model.close();
  }
}

function row(agent, own, bare) {
  return {
    agent,
    'by Bosun, ms': own.toFixed(0),
    'by hand, ms': bare.toFixed(0),
    ratio: (own / bare).toFixed(2),
    'added, ms': (own - bare).toFixed(0),
  };
}

function givenProject(folder) {
  const project = join(folder, 'project');
  mkdirSync(project, { recursive: true });
  writeFileSync(join(folder, 'flow.yaml'), flow);
  const who = ['-c', 'user.name=b', '-c', 'user.email=b@localhost'];
  execFileSync('git', ['init', '-q', project]);
  execFileSync('git', ['-C', project, ...who, 'commit', '-q', '--allow-empty', '-m', 'init']);
  return project;
}

function writeConfig(folder, project, agent) {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const projects = { p: { root: project, workflow: join(folder, 'flow.yaml') } };
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ executors: { agent }, projects }), { mode: 0o600 });
}

/** Notes what the program was started with, and becomes it. */
function recording(folder, program) {
  return `#!/bin/sh
printf '%s\\0' "$@" > '${folder}/args'
env -0 > '${folder}/env'
cat > '${folder}/input'
exec '${program}' "$@" < '${folder}/input'
`;
}

function recorded(folder, program, cwd) {
  const list = (name) => readFileSync(join(folder, name), 'utf8').split('\0').slice(0, -1);
  const env = Object.fromEntries(list('env').map((one) => /^([^=]*)=(.*)$/s.exec(one).slice(1)));
  return { program, cwd, args: list('args'), env, input: readFileSync(join(folder, 'input'), 'utf8') };
}

async function startBosun(folder) {
  const env = { ...process.env, BOSUN_HOME: join(folder, 'home') };
  const up = spawn(process.execPath, [main, 'up', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve, reject) => {
    up.stdout.on('data', (text) => String(text).includes('ready ') && resolve());
    up.once('close', () => reject(new Error('bosun up ended before it was ready')));
  });
  return up;
}

/** Without blocking: the model that it waits for answers from this process. */
async function cli(folder, ...args) {
  const env = { ...process.env, BOSUN_HOME: join(folder, 'home') };
  const options = { env, timeout: limitMs, maxBuffer: 64 * 1024 * 1024 };
  return (await promisify(execFile)(process.execPath, [main, ...args], options)).stdout;
}

/** Both ends are on record: when the attempt started, and when the first line of what it printed came. */
async function byBosun(folder, number) {
  await cli(folder, 'run', 'p', 'work', '--wait', '--timeout', String(limitMs / 1000));
  const events = linesOf(await cli(folder, 'export', `r${number}`, '--as', 'events'));
  const started = events.find(({ type }) => type === 'attempt_started');
  const settled = events.find(({ type }) => type === 'attempt_settled');
  const log = settled?.envelope.logPath;
  if (!started || !log || !existsSync(log)) throw new Error(`run ${number} left no log`);
  const first = linesOf(readFileSync(log, 'utf8')).find(({ s }) => s === 'out');
  if (!first) throw new Error(`the agent printed nothing: ${JSON.stringify(settled.envelope.fault)}`);
  return first.t - started.at;
}

function linesOf(text) {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function byHand({ program, args, cwd, env, input }) {
  const fresh = randomUUID();
  // A session's id is taken once only.
  const own = args.map((one) => one.replace(/^(--session-id=)[\w-]+$/, `$1${fresh}`));
  const started = performance.now();
  const child = spawn(program, own, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(input);
  const ended = new Promise((resolve) => child.once('close', resolve));
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const firstMs = await new Promise((resolve, reject) => {
    child.stdout.once('data', () => resolve(performance.now() - started));
    child.once('close', (code) => reject(new Error(`${program} printed nothing and ended with ${code}`)));
  });
  child.stdout.resume();
  await ended;
  clearTimeout(timer);
  return firstMs;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { title, rows } = await measureAgents();
  console.log(`## ${title}\n`);
  const heads = Object.keys(rows[0] ?? { 'no agent': 'run npm run agents:install' });
  console.log(`| ${heads.join(' | ')} |\n|${heads.map(() => ' --- ').join('|')}|`);
  for (const one of rows) console.log(`| ${heads.map((head) => one[head]).join(' | ')} |`);
}

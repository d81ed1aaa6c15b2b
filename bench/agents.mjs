// usage: node bench/agents.mjs   (npm run agents:install first)
// From the start of a job to the first request that its agent sends to the model, against the same program started by
// hand in the same folder with the same settings of the user. The model is a server of the tests' own, on loopback.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { median } from './commits.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const main = join(root, 'dist', 'main.js');
const agents = join(root, 'test', 'agents');
const rounds = 3;
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
    return { title: 'From the start of a job to the first request of its agent', rows };
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

/** As people start each of them for one prompt. */
const commands = {
  claude: ['-p', 'do it', '--permission-mode=acceptEdits'],
  codex: ['exec', '--sandbox', 'workspace-write', 'do it'],
  opencode: ['run', 'do it'],
};

async function measure({ kind, version, folder, parts }) {
  const done = parts.say('STATUS: pass\nSUMMARY: done');
  let askedAt = null;
  const model = await parts.startModel((talk) => {
    // Side questions, such as for a title, come without tools.
    if (talk.tools.length > 0) askedAt ??= Date.now();
    return done;
  });
  const project = givenProject(folder);
  const executor = parts.executorOf(kind, join(folder, 'user'), model.url);
  writeConfig(folder, project, executor);
  const up = await startBosun(folder);
  const timed = async (way) => {
    askedAt = null;
    const started = await way();
    if (askedAt === null) throw new Error(`${kind} asked its model nothing`);
    return askedAt - started;
  };
  try {
    const [own, bare] = [[], []];
    for (let round = 0; round <= rounds; round++) {
      const [one, other] = [
        await timed(() => byBosun(folder, round + 1)),
        await timed(() => byHand(kind, executor, project)),
      ];
      // The first start of each fills caches.
      if (round > 0) own.push(one) && bare.push(other);
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

/** Gives when the attempt started. */
async function byBosun(folder, number) {
  await cli(folder, 'run', 'p', 'work', '--wait', '--timeout', String(limitMs / 1000));
  const events = linesOf(await cli(folder, 'export', `r${number}`, '--as', 'events'));
  const started = events.find(({ type }) => type === 'attempt_started');
  if (!started) throw new Error(`run ${number} began no attempt`);
  return started.at;
}

function linesOf(text) {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function byHand(kind, { program, env }, cwd) {
  const started = Date.now();
  const child = spawn(program, commands[kind], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  return started;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { title, rows } = await measureAgents();
  console.log(`## ${title}\n`);
  const heads = Object.keys(rows[0] ?? { 'no agent': 'run npm run agents:install' });
  console.log(`| ${heads.join(' | ')} |\n|${heads.map(() => ' --- ').join('|')}|`);
  for (const one of rows) console.log(`| ${heads.map((head) => one[head]).join(' | ')} |`);
}

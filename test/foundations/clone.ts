// A small clone in a temporary folder, with an npm of its own that writes down what it was asked and can be held up.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Stands in for npm: `ci` installs what the lock file names as empty packages, and the real esbuild to build with. */
const npm = `#!/usr/bin/env node
const fs = require('node:fs');
const [verb] = process.argv.slice(2);
const packages = JSON.parse(fs.readFileSync('package-lock.json', 'utf8')).packages;
fs.appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
if (fs.existsSync('npm-fails')) {
  console.error('npm says no');
  process.exitCode = 7;
} else if (fs.existsSync('gate')) {
  require('node:net').connect('gate').once('data', work).once('data', () => process.exit());
} else work();

function work() {
  if (verb === 'ci') install();
  else fs.writeFileSync('node_modules/better-sqlite3/index.js', 'module.exports = class { close() {} };');
}

function install() {
  const isLeftOut = (it) => it.dev && process.argv.includes('--omit=dev');
  fs.rmSync('node_modules', { recursive: true, force: true });
  fs.mkdirSync('node_modules');
  fs.symlinkSync(process.env.REAL_ESBUILD, 'node_modules/esbuild');
  const kept = Object.entries(packages).filter(([path, it]) => path !== '' && !isLeftOut(it));
  for (const [path] of kept) fs.mkdirSync(path, { recursive: true });
  fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(kept) }));
}
`;

export interface Ended {
  readonly code: number | null;
  readonly pid: number;
  readonly out: string;
  readonly err: string;
}

export interface Started {
  readonly pid: number;
  readonly kill: () => void;
  /** Resolves once it has written this on stderr. */
  readonly says: (text: string) => Promise<void>;
  readonly ended: Promise<Ended>;
}

export interface Gate {
  /** Resolves when an npm stands at the gate. */
  readonly reached: Promise<void>;
  readonly open: () => void;
}

export interface Clone {
  readonly folder: string;
  readonly write: (path: string, text: string) => void;
  readonly remove: (path: string) => void;
  readonly has: (path: string) => boolean;
  /** What npm was asked, a line each. */
  readonly npmLog: () => string[];
  /** Names packages in the lock file: `{ 'node_modules/a': { version: '1.0.0' } }`. */
  readonly lock: (packages: Readonly<Record<string, unknown>>) => void;
  /** Holds each npm up from now on, until `open` is called. */
  readonly gate: () => Promise<Gate>;
  readonly start: (command: string, ...args: string[]) => Started;
  readonly run: (command: string, ...args: string[]) => Promise<Ended>;
}

export function makeClone(): Clone {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-clone-'));
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const start = (command: string, ...args: string[]): Started => startIn(folder, command, args);
  const lock: Clone['lock'] = (packages) => {
    const own = { devDependencies: { tool: '1.0.0' } };
    write('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages: { '': own, ...packages } }));
  };
  write('fake/npm', npm);
  write('fake/package.json', '{}');
  chmodSync(join(folder, 'fake/npm'), 0o755);
  write('package.json', JSON.stringify({ type: 'module' }));
  write(
    'src/main.ts',
    `const words: string[] = process.argv.slice(2);\nconsole.log(['main', process.pid, ...words].join(' '));\n`,
  );
  lock({ 'node_modules/a': { version: '1.0.0' } });
  return {
    folder,
    write,
    lock,
    start,
    run: (command, ...args) => start(command, ...args).ended,
    remove: (path) => rmSync(join(folder, path), { recursive: true, force: true }),
    has: (path) => existsSync(join(folder, path)),
    npmLog: () =>
      existsSync(join(folder, 'npm.log')) ? readFileSync(join(folder, 'npm.log'), 'utf8').trim().split('\n') : [],
    gate: () => gateAt(join(folder, 'gate')),
  };
}

async function gateAt(path: string): Promise<Gate> {
  const server = createServer();
  const reached = once(server, 'connection').then(([socket]: Socket[]) => socket);
  server.listen(path);
  await once(server, 'listening');
  const open = (): void => {
    server.close();
    void reached.then((socket) => socket?.end('go'));
  };
  return { reached: reached.then(() => undefined), open };
}

function startIn(folder: string, command: string, args: readonly string[]): Started {
  const env = {
    PATH: [join(folder, 'fake'), process.env['PATH'] ?? ''].join(delimiter),
    HOME: folder,
    REAL_ESBUILD: join(root, 'node_modules', 'esbuild'),
  };
  const path = join(folder, command);
  const [file, argv] = command.endsWith('.mjs') ? [process.execPath, [path, ...args]] : [path, [...args]];
  const child = spawn(file, argv, { cwd: tmpdir(), env, stdio: ['ignore', 'pipe', 'pipe'] });
  const pid = child.pid ?? 0;
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk;
  });
  return {
    pid,
    kill: () => child.kill('SIGKILL'),
    says: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (err.includes(text)) resolve();
        };
        child.stderr.on('data', look);
        look();
      }),
    ended: new Promise((resolve) => {
      child.once('error', (error) => resolve({ code: null, pid, out, err: String(error) }));
      child.once('close', (code) => resolve({ code, pid, out, err }));
    }),
  };
}

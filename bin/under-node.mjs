// usage: node bin/under-node.mjs VERSION [vitest arguments…], say `npm run test:node -- 22`
// Runs the suite under another Node: in a copy of the tree, with that Node and its own headers from the npm registry.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findNpm } from './setup/child.mjs';
import { projectRoot } from './setup/ensure.mjs';

const timeoutMs = { node: 5 * 60_000, tests: 30 * 60_000 };
const [version, ...vitestArgs] = process.argv.slice(2);

if (version === undefined || !/^\d+(\.\d+){0,2}$/.test(version)) {
  process.stderr.write('error: usage: node bin/under-node.mjs VERSION [vitest arguments…], say 20.19, 22 or 24\n');
  process.exitCode = 2;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-node-'));
  try {
    process.exitCode = await testUnder(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function testUnder(folder) {
  const tree = join(folder, 'tree');
  copyTree(tree);
  const node = await installNode(join(folder, 'node'));
  if (node === null) return 1;
  const run = execFileSync(join(node, 'node'), ['--version'], { encoding: 'utf8' }).trim();
  process.stdout.write(`the suite under Node ${run}\n`);
  const path = [node, process.env.PATH ?? ''].join(delimiter);
  // The setup that `npm test` begins with finds this Node's headers beside it and compiles native code against those.
  const code = await execute(findNpm(), ['test', '--', ...vitestArgs], tree, path, timeoutMs.tests);
  process.stdout.write(`${code === 0 ? 'passed' : `FAILED (exit ${code})`} under Node ${run}\n`);
  return code;
}

/** What git would commit from here: tracked files and new ones that it does not ignore. */
function copyTree(target) {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  for (const file of new Set(listed.split('\0'))) {
    if (file === '' || !existsSync(join(projectRoot, file))) continue;
    cpSync(join(projectRoot, file), join(target, file));
  }
  // Tests that ask git about the tree find a repository here too.
  execFileSync('git', ['init', '--quiet'], { cwd: target });
}

/** The bin folder of a Node of this version, or null when the registry has none for this platform. */
async function installNode(prefix) {
  const name = `node-${process.platform}-${process.arch}`;
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', prefix, `${name}@${version}`];
  const code = await execute(findNpm(), args, tmpdir(), process.env.PATH ?? '', timeoutMs.node);
  const bin = join(prefix, 'node_modules', name, 'bin');
  if (code === 0 && existsSync(join(bin, 'node'))) return bin;
  process.stderr.write(`error: setup: no Node ${version} could be installed from ${name}: try a full version number\n`);
  return null;
}

function execute(file, args, cwd, path, limitMs) {
  // What the npm that started this told its scripts is about this tree and this Node: the copy has its own.
  const inherited = Object.entries(process.env).filter(([key]) => !/^(npm_|node_path$)/i.test(key));
  const env = { ...Object.fromEntries(inherited), PATH: path, CI: process.env.CI ?? '1' };
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'], timeout: limitMs });
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
    child.once('error', (error) => {
      process.stderr.write(`error: setup: ${file}: ${error.message}\n`);
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
}

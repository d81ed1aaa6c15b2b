// Installs the dependencies that the lock file names, unless they are there already.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findNpm, runStep } from './child.mjs';
import { abi, dateOf, depsStampFile, platform, readDepsStamp } from './fresh.mjs';

const npmTimeoutMs = 20 * 60_000;
const nativePackage = 'better-sqlite3';

export async function installDeps({ root, dev, lock, say }) {
  const before = readDepsStamp(root);
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'));
  // Set anew when all is well: a run that is killed half-way must not leave a stamp that claims otherwise.
  rmSync(depsStampFile(root), { force: true });
  const hasDev = before?.dev === true || (installed !== null && containsDev(root, installed));
  const withDev = dev || hasDev;
  if (installed === null || !isOfThisPlatform(before) || !satisfies(root, installed, withDev)) {
    await npmCi({ root, withDev, lock, say });
  }
  await ensureNative({ root, lock, say });
  writeFileSync(depsStampFile(root), JSON.stringify({ lock: dateOf(lockFile(root)), abi, dev: withDev }));
}

async function npmCi({ root, withDev, lock, say }) {
  say(`installing ${withDev ? 'dependencies and development tools' : 'dependencies'} (once; up to two minutes)`);
  const progress = { say, doing: 'still installing' };
  await npm(root, lock, progress, [
    'ci',
    withDev ? '--include=dev' : '--omit=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
  ]);
}

/** Native code is made for one Node; it may be from another, or its build may have been left out by npm's settings. */
async function ensureNative({ root, lock, say }) {
  if (!(`node_modules/${nativePackage}` in lockedPackages(root))) return;
  const opens = `new (require('${nativePackage}'))(':memory:').close()`;
  const tryIt = () =>
    runStep({
      command: process.execPath,
      args: ['--input-type=commonjs', '-e', opens],
      cwd: root,
      timeoutMs: 60_000,
      lock,
      what: `${nativePackage} does not work with Node ${process.version}`,
      hint: 'its build needs python3, make and a C++ compiler, and npm must not ignore scripts; install them, delete node_modules and try again',
    });
  try {
    await tryIt();
  } catch {
    say(`compiling ${nativePackage} for Node ${process.version} (once; about a minute)`);
    await npm(root, lock, { say, doing: `still compiling ${nativePackage}` }, ['rebuild', nativePackage]);
    await tryIt();
  }
}

function npm(root, lock, progress, args) {
  return runStep({
    command: findNpm(),
    args,
    cwd: root,
    timeoutMs: npmTimeoutMs,
    lock,
    progress,
    what: `npm ${args[0]} failed`,
    hint: 'what npm said follows; when it is mended, run the same command again',
  });
}

/** Whether what npm recorded as installed is what the lock file asks for. */
function satisfies(root, installed, withDev) {
  const have = installed.packages ?? {};
  return Object.entries(lockedPackages(root))
    .filter(([path, it]) => path !== '' && !it.optional && !it.devOptional && (withDev || !it.dev))
    .every(([path, it]) => have[path]?.version === it.version && existsSync(join(root, path)));
}

function containsDev(root, installed) {
  const dev = Object.keys(lockedPackages(root)['']?.devDependencies ?? {});
  return dev.some((name) => `node_modules/${name}` in (installed.packages ?? {}));
}

function isOfThisPlatform(stamp) {
  return stamp === null || String(stamp.abi).startsWith(`${platform}-`);
}

const lockFile = (root) => join(root, 'package-lock.json');
const lockedPackages = (root) => readJson(lockFile(root))?.packages ?? {};

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // A file that npm left half-written tells no more than a missing one: npm ci then says what is wrong, or mends it.
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

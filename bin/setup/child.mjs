// Runs one step of the setup as a child: its output is kept back and shown only when it fails.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { SetupError } from './error.mjs';

const keptChars = 20_000;

const progressMs = 10_000;

/**
 * @returns {Promise<string>} what it printed; throws a SetupError when it failed or ran for longer than `timeoutMs`.
 * `progress`: { say, doing, everyMs }: tells while it lasts.
 */
export function runStep({ command, args, cwd, timeoutMs, lock, what, hint, progress = null }) {
  const [file, options] = [command, { cwd, env: stepEnv(), stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs }];
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, killSignal: 'SIGKILL', shell: process.platform === 'win32' });
    let printed = '';
    const keep = (chunk) => {
      printed = (printed + chunk).slice(-keptChars);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    if (child.pid !== undefined) lock?.addChild(child.pid);
    const stopTelling = tellProgress(progress);
    const stopSignals = endTogether(child);
    const stopWith = () => {
      stopTelling();
      stopSignals();
    };
    child.once('error', (error) => {
      stopWith();
      reject(new SetupError(`${what}: ${error.message}: ${hint}`));
    });
    child.once('close', (code, signal) => {
      stopWith();
      if (code === 0) resolve(printed);
      else reject(new SetupError(`${what} (${signal ?? `exit ${code}`}): ${hint}\n${printed.trim()}`));
    });
  });
}

/** A line at least every ten seconds, so that a long step does not look stuck. */
function tellProgress(progress) {
  if (progress === null) return () => undefined;
  const { say, doing, everyMs = progressMs } = progress;
  const started = Date.now();
  const ticking = setInterval(() => say(`${doing}, ${Math.round((Date.now() - started) / 1000)} s so far`), everyMs);
  return () => clearInterval(ticking);
}

/** A signal that ends this process ends the step too. */
function endTogether(child) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const end = (signal) => {
    child.kill(signal);
    stop();
    process.kill(process.pid, signal);
  };
  const stop = () => {
    for (const signal of signals) process.removeListener(signal, end);
  };
  for (const signal of signals) process.on(signal, end);
  return stop;
}

/** The running Node comes first, so that npm and what it compiles are of this Node and of no other on the PATH. */
function stepEnv() {
  const nodeFolder = dirname(process.execPath);
  const env = { ...process.env, PATH: [nodeFolder, process.env.PATH ?? ''].join(delimiter) };
  const headers = ownHeaders(dirname(nodeFolder));
  return headers === null ? env : { ...env, npm_config_nodedir: headers };
}

/** The folder of this Node's headers when they came with it: native code then compiles without a download. */
function ownHeaders(prefix) {
  const file = join(prefix, 'include', 'node', 'node_version.h');
  if (!existsSync(file)) return null;
  const text = readFileSync(file, 'utf8');
  const part = (name) => new RegExp(`#define NODE_${name}_VERSION (\\d+)`).exec(text)?.[1];
  return ['MAJOR', 'MINOR', 'PATCH'].map(part).join('.') === process.versions.node ? prefix : null;
}

/** The absolute path of `npm`, looked for before stepEnv puts the Node's own folder first. */
export function findNpm() {
  const name = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const folders = [...(process.env.PATH ?? '').split(delimiter), dirname(process.execPath)].filter((it) => it !== '');
  const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (found === undefined) throw new SetupError('npm is not on the PATH: install the npm that belongs to your Node');
  return found;
}

// usage: node bin/with-deps.mjs [--dev] [--build] [-- command args…]
// Installs what is missing (with the development tools, and builds, when told to), then runs the command in its place.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { isReady, projectRoot } from './setup/ensure.mjs';

const args = process.argv.slice(2);
const end = args.indexOf('--') === -1 ? args.length : args.indexOf('--');
const [flags, [command, ...rest]] = [args.slice(0, end), args.slice(end + 1)];
const unknown = flags.find((flag) => flag !== '--dev' && flag !== '--build');

if (unknown !== undefined) {
  process.stderr.write(`error: usage: with-deps knows --dev, --build and --, not ${unknown}\n`);
  process.exitCode = 2;
} else if (await isReady({ dev: flags.includes('--dev'), build: flags.includes('--build') })) {
  if (command !== undefined) run(command, rest);
}

function run(name, argv) {
  const path = [join(projectRoot, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter);
  const child = spawn(name === 'node' ? process.execPath : name, argv, {
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
    shell: process.platform === 'win32',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    process.stderr.write(`error: setup: cannot run ${name}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.once('close', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}

// Makes a clone ready to run: dependencies installed, dist built. When nothing is missing it only looks at file dates.
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './error.mjs';
import { areDepsFresh, isDistFresh } from './fresh.mjs';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @param {{ dev?: boolean, build?: boolean, root?: string }} wanted
 * @returns {Promise<boolean>} whether what was asked for is in place; if not, the exit code is set and the reason printed
 */
export async function isReady({ dev = false, build = false, root = projectRoot }) {
  if (!existsSync(join(root, 'src'))) return true;
  if (areDepsFresh(root, dev) && (!build || isDistFresh(root))) return true;
  if (!isWritable(root)) return runsAsItIs(root);
  try {
    const { withLock } = await import('./lock.mjs');
    await withLock(join(root, '.setup'), say, (lock) => mend({ root, dev, build, lock }));
    return true;
  } catch (error) {
    process.stderr.write(`error: setup: ${error instanceof SetupError ? error.message : (error?.stack ?? error)}\n`);
    process.exitCode = 1;
    return false;
  }
}

async function mend({ root, dev, build, lock }) {
  const { installDeps } = await import('./deps.mjs');
  const { buildDist } = await import('./dist.mjs');
  // Whoever held the lock before may have done the work already: look again.
  if (!areDepsFresh(root, dev)) await installDeps({ root, dev, lock, say });
  if (build && !isDistFresh(root)) await buildDist({ root, lock, say });
}

function runsAsItIs(root) {
  if (existsSync(join(root, 'dist', 'main.js')) && existsSync(join(root, 'node_modules'))) {
    say(`${root} cannot be written to, so what was built there before is run, though the sources are newer`);
    return true;
  }
  process.stderr.write(
    `error: setup: ${root} cannot be written to and is not built: run it once as a user who may write there\n`,
  );
  process.exitCode = 1;
  return false;
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function say(line) {
  process.stderr.write(`bosun: ${line}\n`);
}

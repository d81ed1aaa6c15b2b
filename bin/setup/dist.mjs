// Builds dist when a file of src changed since. dist is made beside and moved into place, so nobody ever sees half of it.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from './child.mjs';
import { sourceDates } from './fresh.mjs';

const buildTimeoutMs = 5 * 60_000;

export async function buildDist({ root, lock, say }) {
  say('building');
  // Taken before the build: a file saved while it runs makes the next start build again.
  const stamp = sourceDates(root);
  const [fresh, old, dist] = [join(lock.folder, 'dist-new'), join(lock.folder, 'dist-old'), join(root, 'dist')];
  rmSync(fresh, { recursive: true, force: true });
  await runStep({
    command: process.execPath,
    args: [join(root, 'bin', 'build.mjs'), fresh],
    cwd: root,
    timeoutMs: buildTimeoutMs,
    lock,
    progress: { say, doing: 'still building' },
    what: 'the build failed',
    hint: 'mend what it names and run the same command again',
  });
  writeFileSync(join(fresh, '.stamp'), stamp);
  rmSync(old, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

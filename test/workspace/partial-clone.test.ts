// A clone leaves larger files out, and git fetches them by itself when it has to look at them: nobody is there to be asked.
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fetchBundle, openClone, packBundle, pushBundle } from '../../src/workspace/index.js';
import { good, makeWorld, refs } from './bundle-world.js';
import { makeFolder, openRepository } from './repository.js';

test('a large file is fetched over ssh in batch mode, so that no password is asked for', async () => {
  const world = makeWorld();
  const { bosun, clone, place, remote, worker } = world;
  const large = randomBytes(750_000).toString('hex');
  bosun.write('.ai/large.txt', large);
  const { commit } = await packBundle(place);
  good('pushed', await pushBundle(place.folder, 'origin', { ref: refs.out, commit }));
  good('ready', await openClone(clone, remote.root));
  good('fetched', await fetchBundle(clone, remote.root, { ref: refs.out, commit }));
  // In place of ssh, and of the machine that it leads to.
  const folder = makeFolder();
  const asked = join(folder, 'asked');
  writeFileSync(join(folder, 'ssh'), `#!/bin/sh\necho "$*" >> '${asked}'\nfor last; do :; done\neval "$last"\n`);
  chmodSync(join(folder, 'ssh'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  openRepository(clone).git('config', 'remote.origin.url', `ssh://far.invalid${remote.root}`);
  good('ready', await world.lay(commit));
  expect(worker.read('.ai/large.txt')).toBe(large);
  const lines = existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : [];
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => !line.includes('-oBatchMode=yes'))).toEqual([]);
});

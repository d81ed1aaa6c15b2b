// Refs of before: an attempt is never sent what another one of its name left, and leaves nothing when it is lost.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Config } from '../../../src/config/index.js';
import { BundleTransfer } from '../../../src/dispatch/remote/bundle-transfer.js';
import { givenSpec } from '../../agents/attempts/given.js';
import { makeWorld } from '../../workspace/bundle-world.js';
import { makeFolder } from '../../workspace/repository.js';

const attempt = 'h1-r1-impl-g1-a1';
const out = `refs/bosun/h1/${attempt}/out`;

function given(isOpen: () => boolean) {
  const world = makeWorld();
  const { folder, shared } = world.place;
  const logPath = join(shared, 'logs', 'r1', 'step-001.jsonl');
  const spec = givenSpec({ attempt, project: 'shop', root: folder, workdir: folder, sharedDir: shared, logPath });
  const projects = [{ name: 'shop', git: { remote: 'origin', base: null }, worktree: { setup: null, link: null } }];
  const transfer = new BundleTransfer({
    homeId: 'h1',
    logFolderOf: () => world.place.log.folder,
    config: () => ({ projects }) as unknown as Config,
    specOf: () => spec,
    isOpen,
    setCheckpoint: () => undefined,
    checkpointBefore: () => null,
    earlierTries: () => null,
    ...{ home: makeFolder(), retryMs: 5, now: Date.now },
    log: () => undefined,
  });
  const refs = () => [world.remote, world.bosun].map((one) => one.git('for-each-ref', 'refs/bosun'));
  return { ...world, transfer, refs };
}

it('a new attempt is sent the current checkout, even if its ref already exists', async () => {
  const { transfer, bosun } = given(() => true);
  bosun.git('update-ref', out, 'HEAD');
  await transfer.begin(attempt);
  const { commit } = await transfer.send(attempt);
  expect(bosun.git('ls-tree', '--name-only', commit).split('\n')).toContain('note.json');
});

it('the refs of an attempt lost while it was being sent are deleted', async () => {
  let isOpen = true;
  const { transfer, refs } = given(() => isOpen);
  await transfer.send(attempt);
  isOpen = false;
  await expect(transfer.send(attempt)).rejects.toThrow('is not running');
  expect(refs()).toEqual(['', '']);
});

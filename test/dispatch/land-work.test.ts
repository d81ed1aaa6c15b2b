// A branch that stayed unmerged because another run had the folder, merged later, with a real repository.
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { workOnCheckout } from '../../src/dispatch/checkouts/checkout-operations.js';
import type { CheckoutSite } from '../../src/dispatch/checkouts/run-branch-operations.js';
import type { Run, WorkspaceOp } from '../../src/engine/index.js';
import { snapshotsOf } from '../workspace/dying-git.js';
import { benchOf, creation, givenWorld, siteOf } from './given.js';

const name = 'bosun/r1-second';

/** The run has ended; its worktree is gone, and the folder has new commits. */
async function ended(changed = 'other.txt') {
  const world = givenWorld('');
  const bench = benchOf(world);
  await bench.dispatcher.submit(() => creation(1, { task: 'Second' }));
  const run = bench.store.run('r1');
  if (run === null) throw new Error('no run');
  let branch: Run['branch'] = null;
  let others: readonly Partial<Run>[] = [{ id: 'r2', project: 'shop' }];
  const site = (): CheckoutSite => {
    const store = {
      ...bench.store,
      run: () => ({ ...run, branch, status: 'completed' as const }),
      liveRuns: () => others.filter(({ status }) => status !== 'failed') as readonly Run[],
      failedRuns: () => others.filter(({ status }) => status === 'failed') as readonly Run[],
    };
    return { ...siteOf(world.root, 'r1', bench.store), store };
  };
  const work = async (op: WorkspaceOp) => {
    const result = await workOnCheckout(site(), op);
    if (result.ok && result.branch) branch = { ...result.branch, isLeft: false };
    return result;
  };
  await work({ id: 'r1-op1', kind: 'prepare', stash: false, worktree: true });
  const folder = join(dirname(world.root), 'worktrees', 'shop', 'r1', 'run');
  writeFileSync(join(folder, 'made.txt'), 'work\n');
  await work({ id: 'r1-op2', kind: 'deliver', chain: '', message: 'Second', agents: [] });
  const published = await work({ id: 'r1-op3', kind: 'publish', how: 'commit', title: 'Second', text: '' });
  await work({ id: 'r1-op4', kind: 'leave' });
  branch = { name, base: 'main', folder: null, isLeft: true };
  expect(existsSync(folder)).toBe(false);
  world.write(changed, 'of the other run\n');
  world.git('add', '-A');
  world.git('commit', '-q', '-m', 'First');
  const freed = () => {
    others = [];
  };
  const failed = () => {
    others = others.map((one) => ({ ...one, status: 'failed' }));
  };
  const land = () => work({ id: 'r1-op5', kind: 'land', asked: null });
  const log = () => world.git('log', '--format=%s', 'main').split('\n');
  return { world, published, freed, failed, land, log, folder };
}

it('says at its end that it is unmerged, and merges nothing while another run has the folder', async () => {
  const { published, land, log } = await ended();
  expect(published).toMatchObject({ ok: true, isUnlanded: true, delivered: { branch: name } });
  expect(published.ok && published.note).toBe(
    `1 commit, 1 file +1 −0, on the branch ${name}\nNot merged into main, because r2 works in the project's folder. I will ask once it has ended.`,
  );
  expect(await land()).toMatchObject({ ok: false, code: 'busy', message: "r2 works in the project's folder" });
  expect(log()).toEqual(['First', 'start']);
});

it('merges nothing while a failed run has the folder, because a person may retry it', async () => {
  const { failed, land, log } = await ended();
  failed();
  expect(await land()).toMatchObject({ ok: false, code: 'busy' });
  expect(log()).toEqual(['First', 'start']);
});

it('is put on top of the base, and branch and worktree are gone', async () => {
  const { world, freed, land, log, folder } = await ended();
  freed();
  world.write('README.md', 'of a person\n');
  const tip = () => world.git('rev-parse', 'main');
  expect(await land()).toMatchObject({
    ...{ ok: true, delivered: { branch: 'main' }, diffStat: { files: 1 } },
    note: `1 commit, 1 file +1 −0, on main as ${tip().slice(0, 8)}`,
  });
  expect(log()).toEqual(['Second', 'First', 'start']);
  expect([world.git('status', '--porcelain'), existsSync(folder)]).toEqual([' M README.md', false]);
  expect(world.git('branch', '--list', 'bosun/*')).toBe('');
});

it('conflicts: the files are named, and branch and folder stay as they were', async () => {
  const { world, freed, land, log, folder } = await ended('made.txt');
  freed();
  const before = world.git('rev-parse', name);
  expect(await land()).toMatchObject({ ok: false, code: 'conflict', files: ['made.txt'] });
  expect([log(), world.git('rev-parse', name)]).toEqual([['First', 'start'], before]);
  expect([world.git('status', '--porcelain'), existsSync(folder)]).toEqual(['', false]);
});

it.each(['other.txt', 'made.txt'])(
  'comes to the same end after a death at any point (%s)',
  async (changed) => {
    const { world, freed, land, log, folder } = await ended(changed);
    freed();
    const folders = [world.root, join(dirname(world.root), 'worktrees')];
    const snapshots = await snapshotsOf(folders, land);
    expect(snapshots.length).toBeGreaterThan(4);
    for (const snapshot of snapshots) {
      snapshot.restore();
      const result = await land();
      const isMerged = changed === 'other.txt';
      expect(result).toMatchObject(
        isMerged
          ? { ok: true, diffStat: { files: 1 }, delivered: { branch: 'main' } }
          : { ok: false, code: 'conflict' },
      );
      expect(log()).toEqual(isMerged ? ['Second', 'First', 'start'] : ['First', 'start']);
      expect(world.git('branch', '--list', 'bosun/*').trim()).toBe(isMerged ? '' : name);
      expect([world.git('status', '--porcelain'), existsSync(folder)]).toEqual(['', false]);
    }
  },
  120_000,
);

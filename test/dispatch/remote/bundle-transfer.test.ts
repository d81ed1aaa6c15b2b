// A checkout goes out and its work comes back, with a real git and a remote between Bosun and a worker elsewhere.

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/index.js';
import { BundleTransfer, type BundleTransferParts } from '../../../src/dispatch/remote/bundle-transfer.js';
import { emptyEnvelope } from '../../../src/engine/index.js';
import type { CheckoutBundle } from '../../../src/jobs/remote-calls.js';
import {
  type Checkpoint,
  fetchBundle,
  layOut,
  openClone,
  packBundle,
  pushBundle,
} from '../../../src/workspace/index.js';
import { givenSpec } from '../../agents/attempts/given.js';
import { good, makeWorld } from '../../workspace/bundle-world.js';
import { makeFolder } from '../../workspace/repository.js';

const attempt = 'h1-r1-impl-g1-a1';
const soon = { timeout: 10_000, interval: 20 };
const out = `refs/bosun/h1/${attempt}/out`;
const back = `refs/bosun/h1/${attempt}/back`;

function givenTransfer(patch: Partial<BundleTransferParts> = {}, git: object = { remote: 'origin', base: null }) {
  const world = makeWorld();
  const { folder, shared } = world.place;
  const logPath = join(shared, 'logs', 'r1', 'step-001.jsonl');
  const spec = givenSpec({ attempt, project: 'shop', root: folder, workdir: folder, sharedDir: shared, logPath });
  const checkpoints = new Map<string, Checkpoint>();
  const lines: string[] = [];
  const projects = [{ name: 'shop', git, worktree: { setup: 'npm ci', link: null } }];
  const transfer = new BundleTransfer({
    homeId: 'h1',
    logFolderOf: () => world.place.log.folder,
    config: () => ({ projects }) as unknown as Config,
    specOf: (id) => (id === attempt ? spec : null),
    isOpen: (id) => id === attempt,
    setCheckpoint: (id, checkpoint) => checkpoints.set(id, checkpoint),
    checkpointBefore: (id) => checkpoints.get(id) ?? null,
    earlierTries: () => null,
    log: (line) => lines.push(line),
    ...{ home: makeFolder(), retryMs: 5, now: Date.now },
    ...patch,
  });

  /** As a worker elsewhere does it. */
  async function workOn(bundle: CheckoutBundle, act: () => void) {
    const { clone, worker, workerPlace } = world;
    const { remote, ref, commit, backRef, prefix } = bundle;
    good('ready', await openClone(clone, remote));
    good('fetched', await fetchBundle(clone, remote, { ref, commit }));
    good('ready', await layOut({ clone, checkout: worker.root, commit, prefix, shared: workerPlace.shared }));
    act();
    const packed = await packBundle(workerPlace);
    good('pushed', await pushBundle(workerPlace.folder, remote, { ref: backRef, commit: packed.commit }));
    return { ...emptyEnvelope, exit: 0, pushed: { ref: backRef, commit: packed.commit } };
  }

  const refsAtRemote = () => world.remote.git('for-each-ref', '--format=%(refname)', 'refs/bosun');
  return { ...world, transfer, spec, checkpoints, lines, workOn, refsAtRemote };
}

describe('an attempt on another machine', () => {
  it('gets the uncommitted checkout, and its changes are measured in Bosun’s own checkout', async () => {
    const { transfer, bosun, worker, workOn, spec, refsAtRemote } = givenTransfer();
    bosun.write('a.txt', 'not committed yet\n');
    const bundle = await transfer.send(attempt);
    expect(bundle).toMatchObject({ ref: out, backRef: back, prefix: '', setup: 'npm ci' });
    const envelope = await workOn(bundle, () => {
      expect(worker.read('a.txt')).toBe('not committed yet\n');
      worker.write('new.txt', 'made elsewhere\n');
    });
    // What it says of itself is no evidence.
    const taken = await transfer.take(attempt, { ...envelope, filesChanged: ['a.txt'], diffStat: null });
    expect(taken).toMatchObject({ fault: null, filesChanged: ['new.txt'], diffStat: { files: 1, insertions: 1 } });
    expect([bosun.read('new.txt'), bosun.read('a.txt')]).toEqual(['made elsewhere\n', 'not committed yet\n']);
    await transfer.forget(attempt, spec);
    expect([refsAtRemote(), bosun.git('for-each-ref', 'refs/bosun')]).toEqual(['', '']);
  });

  it('gets the same answer when it asks again, even if the checkout has changed meanwhile', async () => {
    const { transfer, bosun, checkpoints } = givenTransfer();
    const [first, second] = await Promise.all([transfer.send(attempt), transfer.send(attempt)]);
    const noted = checkpoints.get(attempt);
    bosun.write('b.txt', 'a person at work\n');
    const third = await transfer.send(attempt);
    expect([second, third]).toEqual([first, first]);
    expect(checkpoints.get(attempt)).toEqual(noted);
  });

  it('may return its work twice', async () => {
    const { transfer, bosun, worker, workOn } = givenTransfer();
    const envelope = await workOn(await transfer.send(attempt), () => worker.write('a.txt', 'done\n'));
    const taken = await transfer.take(attempt, envelope);
    expect(await transfer.take(attempt, envelope)).toEqual(taken);
    expect(bosun.read('a.txt')).toBe('done\n');
  });
});

describe('returned work', () => {
  it('conflicting with a person’s change is not applied, and the fault names both files and ref', async () => {
    const { transfer, bosun, worker, workOn } = givenTransfer();
    const envelope = await workOn(await transfer.send(attempt), () => {
      worker.write('a.txt', 'theirs\n');
      worker.write('b.txt', 'theirs\n');
    });
    bosun.write('a.txt', 'a person’s\n');
    const { fault } = await transfer.take(attempt, envelope);
    expect(fault).toMatchObject({ code: 'worker_work', remedy: 'ask' });
    expect(fault?.message).toMatch(/The same files in .* changed .*: a\.txt\..*refs\/bosun\/h1/);
    expect([bosun.read('a.txt'), bosun.read('b.txt')]).toEqual(['a person’s\n', 'two\n']);
  });

  it('is retried later if the remote is away, and its ref is named', async () => {
    const { transfer, remote, worker, workOn } = givenTransfer();
    const envelope = await workOn(await transfer.send(attempt), () => worker.write('a.txt', 'done\n'));
    renameSync(remote.root, `${remote.root}-away`);
    const { fault } = await transfer.take(attempt, envelope);
    expect(fault?.message).toContain(`The work is at ${back}`);
    renameSync(`${remote.root}-away`, remote.root);
    expect((await transfer.take(attempt, envelope)).fault).toBeNull();
  });

  it('is not reported as a fault while Bosun shuts down', async () => {
    const { transfer, remote, worker, workOn } = givenTransfer({ retryMs: 60_000 });
    const envelope = await workOn(await transfer.send(attempt), () => worker.write('a.txt', 'done\n'));
    renameSync(remote.root, `${remote.root}-away`);
    const taking = transfer.take(attempt, envelope);
    setTimeout(() => transfer.close(), 100);
    await expect(taking).rejects.toThrow(/ends|stopped/);
  });

  it('pushed to another attempt’s ref is rejected', async () => {
    const { transfer, bosun } = givenTransfer();
    const commit = bosun.git('rev-parse', 'HEAD');
    const pushed = { ref: 'refs/bosun/h1/h1-r1-other-g1-a1/back', commit };
    const { fault } = await transfer.take(attempt, { ...emptyEnvelope, exit: 0, pushed });
    expect(fault?.message).toContain('not the ref of this attempt');
  });
});

describe('sending a checkout', () => {
  it('needs a configured remote that exists and an attempt under way', async () => {
    const none = givenTransfer({}, { remote: null, base: null });
    await expect(none.transfer.send(attempt)).rejects.toThrow('shop has no git.remote');
    const unknown = givenTransfer({}, { remote: 'upstream', base: null });
    await expect(unknown.transfer.send(attempt)).rejects.toThrow('shop has no remote upstream');
    await expect(unknown.transfer.send('h1-r9-impl-g1-a1')).rejects.toThrow('is not running');
  });

  it('deletes the refs of settled attempts at the remote every hour, and nothing else', async () => {
    let now = 0;
    const { transfer, bosun, refsAtRemote } = givenTransfer({ now: () => now });
    const others = ['refs/bosun/h1/h1-r0-impl-g1-a1/back', 'refs/bosun/h2/h2-r1-impl-g1-a1/out'];
    for (const ref of others) bosun.git('push', '-q', 'origin', `HEAD:${ref}`);
    await transfer.send(attempt);
    await expect.poll(refsAtRemote, soon).toBe(`${out}\n${others[1]}`);
    // A worker that had been given up is late.
    bosun.git('push', '-q', 'origin', `HEAD:${others[0]}`);
    now += 3_600_000;
    await transfer.send(attempt);
    await expect.poll(refsAtRemote, soon).toBe(`${out}\n${others[1]}`);
  });
});

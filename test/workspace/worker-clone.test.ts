// The worker's clone and its checkouts: made once, partial, mended, and left whole when something is ended half-way.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { fetchBundle, layOut, openClone, packBundle, pushBundle } from '../../src/workspace/index.js';
import { good, makeWorld, refs, type World } from './bundle-world.js';
import { makeFolder, openRepository } from './repository.js';

const incompressible = (bytes: number) =>
  new Uint8Array(Array.from({ length: bytes }, (_, at) => (Math.imul(at + 1, 2654435761) >>> 13) & 255));

/** Objects that lie in the clone, without asking the remote for those that do not. */
function objectsOf(world: World): string[] {
  const all = openRepository(world.clone).git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)');
  return all.split('\n');
}

test('a clone does not fetch large files of the past, and fetches a needed one', async () => {
  const world = makeWorld();
  const { bosun, worker } = world;
  bosun.write('old.bin', incompressible(3_000_000));
  bosun.write('kept.bin', incompressible(1_500_000));
  bosun.git('add', '-A');
  bosun.git('commit', '-qm', 'large');
  const old = bosun.git('rev-parse', 'HEAD:old.bin');
  bosun.git('rm', '-q', 'old.bin');
  bosun.git('commit', '-qm', 'no longer');
  bosun.git('push', '-q', 'origin', 'main');
  await world.send();
  expect(objectsOf(world)).not.toContain(old);
  expect(statSync(join(worker.root, 'kept.bin')).size).toBe(1_500_000);
  expect(worker.status()).toBe('');
  worker.write('a.txt', 'agent\n');
  worker.git('commit', '-qam', 'work');
  await world.giveBack();
  expect(objectsOf(world)).not.toContain(old);
});

test('a second fetch transfers only new objects, and only its own ref', async () => {
  const world = makeWorld();
  const { bosun } = world;
  await world.send();
  bosun.git('push', '-q', 'origin', 'main:refs/heads/elsewhere', 'main:refs/bosun/other/x/out');
  bosun.write('new.txt', 'new\n');
  const before = new Set(objectsOf(world));
  const { commit } = await packBundle(world.place);
  const ref = 'refs/bosun/h1/r1-a2/out';
  good('pushed', await pushBundle(bosun.root, 'origin', { ref, commit }));
  good('fetched', await fetchBundle(world.clone, world.remote.root, { ref, commit }));
  // The blob, work/, the tree around it, and the commit.
  expect(objectsOf(world).filter((object) => !before.has(object))).toHaveLength(4);
  const there = openRepository(world.clone).git('for-each-ref', '--format=%(refname)').split('\n');
  expect(there.sort()).toEqual([refs.out, ref, 'refs/heads/main', 'refs/remotes/origin/main'].sort());
});

test('an aborted clone ends at once with its child processes, and leaves no files', async () => {
  const world = makeWorld();
  const folder = makeFolder();
  const pids = join(folder, 'pids');
  const ssh = join(folder, 'ssh');
  writeFileSync(ssh, `#!/bin/sh\ntrap '' TERM\nsleep 600 &\necho $$ $! > '${pids}'\nwait\nwait\n`, { mode: 0o755 });
  vi.stubEnv('GIT_SSH_COMMAND', `'${ssh}'`);
  const stop = new AbortController();
  const opening = openClone(world.clone, 'ssh://git@127.0.0.1/shop.git', stop.signal);
  const waiting = openClone(world.clone, 'ssh://git@127.0.0.1/shop.git', stop.signal);
  await vi.waitFor(() => expect(readFileSync(pids, 'utf8')).toMatch(/\d+ \d+\n/), { timeout: 10_000 });
  const from = Date.now();
  stop.abort();
  expect(await opening).toMatchObject({ kind: 'blocked', why: expect.stringContaining('operation was cancelled') });
  expect(await waiting).toMatchObject({ kind: 'blocked', why: expect.stringContaining('operation was cancelled') });
  expect(Date.now() - from).toBeLessThan(2_000);
  vi.unstubAllEnvs();
  expect(readdirSync(dirname(world.clone))).toEqual([]);
  for (const pid of readFileSync(pids, 'utf8').trim().split(' ')) await gone(Number(pid));
});

async function gone(pid: number): Promise<void> {
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 5_000 });
}

function isRunning(pid: number): boolean {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  return stat !== '' && !/\) Z /.test(stat);
}

test.each<readonly [what: string, spoil: (clone: string) => void]>([
  ['that lost its objects', (clone) => rmSync(join(clone, 'objects'), { recursive: true })],
  ['that lost its HEAD', (clone) => rmSync(join(clone, 'HEAD'))],
  ['that lost what only it had', (clone) => writeFileSync(join(clone, 'refs', 'heads', 'lost'), `${'1'.repeat(40)}\n`)],
  ['whose packs are cut', (clone) => cutPacks(join(clone, 'objects', 'pack'))],
  ['of another remote', (clone) => openRepository(clone).git('config', 'remote.origin.url', '/elsewhere')],
])('a clone %s is made again, with its checkout', async (_, spoil) => {
  const world = makeWorld();
  const sent = await world.send();
  world.worker.write('half.txt', 'of a killed agent\n');
  spoil(world.clone);
  good('ready', await openClone(world.clone, world.remote.root));
  const clone = openRepository(world.clone);
  expect(clone.git('config', 'remote.origin.url')).toBe(world.remote.root);
  expect(clone.git('log', '--format=%s', 'origin/main')).toBe('start');
  expect(clone.git('for-each-ref', '--format=%(objecttype)', 'refs/heads/lost')).toBe('');
  good('fetched', await fetchBundle(world.clone, world.remote.root, { ref: refs.out, commit: sent }));
  good('ready', await world.lay(sent));
  expect([world.worker.status(), world.worker.read('a.txt')]).toEqual(['', 'one\n']);
  expect(readdirSync(dirname(world.clone))).toEqual(['repository']);
});

function cutPacks(folder: string): void {
  for (const name of readdirSync(folder)) {
    chmodSync(join(folder, name), 0o600);
    if (name.endsWith('.pack')) writeFileSync(join(folder, name), '');
  }
}

test('leftovers of a worker killed during a clone are deleted, and a foreign folder is kept', async () => {
  const world = makeWorld();
  const left = `${world.clone}.new-${process.pid}-x`;
  mkdirSync(join(left, 'objects'), { recursive: true });
  good('ready', await openClone(world.clone, world.remote.root));
  expect(readdirSync(dirname(world.clone))).toEqual(['repository']);
  const theirs = makeFolder();
  writeFileSync(join(theirs, 'file'), 'theirs');
  expect(await openClone(theirs, world.remote.root)).toMatchObject({
    kind: 'blocked',
    why: /is not a clone of Bosun's/,
  });
  expect(readdirSync(theirs)).toEqual(['file']);
});

test('two attempts that open the same clone share it, and a missing remote is reported', async () => {
  const world = makeWorld();
  const both = await Promise.all([1, 2].map(() => openClone(world.clone, world.remote.root)));
  expect(both).toEqual([{ kind: 'ready' }, { kind: 'ready' }]);
  const gone = await openClone(`${world.clone}2`, `${world.remote.root}-gone`);
  expect(gone).toMatchObject({ kind: 'blocked', why: /could not be cloned: .* cannot be reached\n/ });
  expect(readdirSync(dirname(world.clone))).toEqual(['repository']);
});

test('the next attempt finds the checkout as sent: ignored files stay, leftovers are removed', async () => {
  const world = makeWorld();
  const { bosun, worker } = world;
  bosun.write('.ai/first.md', 'first\n');
  bosun.write('.ai/runs/r1/first.md', 'first\n');
  await world.send();
  worker.write('ignored/installed', 'kept\n');
  worker.write('left.txt', 'of the attempt before\n');
  worker.write('a.txt', 'of the attempt before\n');
  worker.git('commit', '-qam', 'never given back');
  worker.write('.git-is-a-file', '');
  bosun.remove('.ai/first.md');
  bosun.remove('.ai/runs/r1/first.md');
  bosun.write('b.txt', 'second\n');
  bosun.git('commit', '-qam', 'second');
  await world.send();
  expect(worker.status()).toBe('');
  expect([worker.read('a.txt'), worker.read('b.txt'), worker.read('ignored/installed')]).toEqual([
    'one\n',
    'second\n',
    'kept\n',
  ]);
  expect([worker.has('.ai/first.md'), worker.has('.ai/runs/r1/first.md')]).toEqual([false, false]);
  expect(worker.git('rev-parse', 'HEAD')).toBe(bosun.git('rev-parse', 'HEAD'));
});

test('a checkout left in the middle of a rebase by a killed agent is restored', async () => {
  const world = makeWorld();
  const { worker } = world;
  const sent = await world.send();
  worker.write('a.txt', 'x\n');
  worker.git('commit', '-qam', 'x');
  worker.git('switch', '-q', '-c', 'other', 'HEAD~1');
  worker.write('a.txt', 'y\n');
  worker.git('commit', '-qam', 'y');
  expect(() => worker.git('rebase', 'main')).toThrow();
  const gitDir = worker.git('rev-parse', '--absolute-git-dir');
  writeFileSync(join(gitDir, 'index.lock'), '');
  worker.write('ignored/installed', 'kept\n');
  good('ready', await world.lay(sent));
  expect([worker.status(), worker.git('branch', '--show-current'), worker.read('a.txt')]).toEqual([
    '',
    'main',
    'one\n',
  ]);
  expect(worker.git('status')).not.toContain('rebase');
  expect(worker.read('ignored/installed')).toBe('kept\n');
  writeFileSync(join(gitDir, 'locked'), 'initializing');
  worker.remove('a.txt');
  good('ready', await world.lay(sent));
  writeFileSync(join(gitDir, 'index'), 'no index');
  good('ready', await world.lay(sent));
  expect([worker.status(), worker.read('a.txt')]).toEqual(['', 'one\n']);
});

test('a branch checked out elsewhere is left there, and the checkout is detached', async () => {
  const world = makeWorld();
  const sent = await world.send();
  const second = openRepository(join(makeFolder(), 'second'));
  const shared = join(second.root, '.ai', 'runs', 'r1');
  good('ready', await layOut({ clone: world.clone, checkout: second.root, commit: sent, prefix: '', shared }));
  expect([world.worker.git('branch', '--show-current'), second.git('branch', '--show-current')]).toEqual(['main', '']);
  expect(second.git('rev-parse', 'HEAD')).toBe(world.bosun.git('rev-parse', 'HEAD'));
});

test('neither Bosun’s own files, shared files nor the project follow a link out of the checkout', async () => {
  const world = makeWorld({ 'a.txt': 'one\n', 'app/a.txt': 'one\n' });
  const { bosun, worker } = world;
  const outside = makeFolder();
  const sent = await world.send();
  symlinkSync(outside, join(bosun.root, 'escape'));
  symlinkSync(outside, join(bosun.root, 'workflow_edits'));
  bosun.git('add', '-f', '.');
  bosun.git('commit', '-qm', 'links');
  const linked = await world.send();
  const out = {
    clone: world.clone,
    checkout: worker.root,
    commit: linked,
    prefix: 'escape',
    shared: world.workerPlace.shared,
  };
  expect(await layOut(out)).toMatchObject({ kind: 'blocked', why: /leads outside .* at escape/ });
  const shared = join(worker.root, 'escape', 'runs');
  expect(await layOut({ ...out, prefix: '', shared })).toMatchObject({
    kind: 'blocked',
    why: /leads outside .* at escape/,
  });
  expect(await layOut({ ...out, prefix: '../x' })).toMatchObject({
    kind: 'blocked',
    why: /is not a folder in a checkout/,
  });
  expect(readdirSync(outside)).toEqual([]);
  expect(await layOut({ ...out, commit: sent, prefix: '', shared: join(outside, 'r1') })).toMatchObject({
    kind: 'ready',
  });
});

test('a remote without a branch can be cloned, and an address that looks like an option is rejected', async () => {
  const world = makeWorld();
  world.remote.git('branch', '-D', 'main');
  world.bosun.git('fetch', '-q', '--prune', 'origin');
  await world.send();
  expect(world.worker.read('a.txt')).toBe('one\n');
  expect(await openClone(`${world.clone}2`, '--upload-pack=x')).toMatchObject({
    kind: 'blocked',
    why: /is not a valid address/,
  });
});

test('a foreign folder is never used as a checkout', async () => {
  const world = makeWorld();
  const sent = await world.send();
  const theirs = makeFolder();
  writeFileSync(join(theirs, 'file'), 'theirs');
  const out = { clone: world.clone, checkout: theirs, commit: sent, prefix: '', shared: world.workerPlace.shared };
  expect(await layOut(out)).toMatchObject({ kind: 'blocked', why: /is not a checkout of Bosun's/ });
  expect(readdirSync(theirs)).toEqual(['file']);
  // Not even where Bosun had a checkout before.
  rmSync(world.worker.root, { recursive: true });
  mkdirSync(join(world.worker.root, '.git'), { recursive: true });
  writeFileSync(join(world.worker.root, 'file'), 'theirs');
  expect(await world.lay(sent)).toMatchObject({ kind: 'blocked', why: /is not a checkout of Bosun's/ });
  expect(world.worker.read('file')).toBe('theirs');
});

test('no git hook runs on the worker, even one from the user’s global config', async () => {
  const world = makeWorld();
  const hooks = makeFolder();
  const ran = join(hooks, 'ran');
  const names = [
    'post-checkout',
    'post-index-change',
    'reference-transaction',
    'pre-push',
    'post-merge',
    'pre-auto-gc',
  ];
  for (const name of names) writeFileSync(join(hooks, name), `#!/bin/sh\necho ${name} >> '${ran}'\n`, { mode: 0o755 });
  const config = join(hooks, 'config');
  writeFileSync(config, `[core]\n\thooksPath = ${hooks}\n`);
  const { commit } = await packBundle(world.place);
  good('pushed', await pushBundle(world.place.folder, 'origin', { ref: refs.out, commit }));
  vi.stubEnv('GIT_CONFIG_GLOBAL', config);
  good('ready', await openClone(world.clone, world.remote.root));
  good('fetched', await fetchBundle(world.clone, world.remote.root, { ref: refs.out, commit }));
  good('ready', await world.lay(commit));
  good('ready', await openClone(world.clone, world.remote.root));
  good('ready', await world.lay(commit));
  vi.unstubAllEnvs();
  expect(existsSync(ran) ? readFileSync(ran, 'utf8') : '').toBe('');
});

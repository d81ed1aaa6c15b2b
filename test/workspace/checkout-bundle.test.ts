// The whole way: from Bosun's checkout to a worker's, and back.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { excludeOwnFiles, packBundle, takeBundle } from '../../src/workspace/index.js';
import { good, makeWorld, refs } from './bundle-world.js';
import type { Repository } from './repository.js';

const oddName = Buffer.from([0x66, 0xff, 0x0a, 0x20, 0x78]);

/** Changes of every kind, none of them committed. */
function stir(repository: Repository): void {
  repository.write('b.txt', 'staged\n');
  repository.git('add', 'b.txt');
  repository.write('b.txt', 'staged, and changed after\n');
  repository.write('new ü file.txt', 'new\n');
  repository.write('run.sh', '#!/bin/sh\n');
  chmodSync(join(repository.root, 'run.sh'), 0o755);
  symlinkSync('a.txt', join(repository.root, 'link'));
  writeFileSync(Buffer.concat([Buffer.from(`${repository.root}/`), oddName]), 'odd\n');
  repository.remove('gone.txt');
  repository.write('ignored/big.bin', 'x'.repeat(1_000));
  repository.write('.env', 'secret');
}

const files = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'gone.txt': 'x\n', '.gitignore': 'ignored/\n.env\n' };

function porcelain(repository: Repository): string[] {
  // What is staged travels as a change.
  return repository
    .status()
    .split('\n')
    .map((line) => `${line.slice(0, 2).trim().slice(0, 1)} ${line.slice(3)}`)
    .sort();
}

test('a bundle carries changes of every kind, own and shared files, and no ignored files', async () => {
  const world = makeWorld(files);
  const { bosun, worker, project } = world;
  stir(bosun);
  bosun.write('.ai/STATE.json', '{"own":1}');
  bosun.write('workflow_edits/x.json', '{}');
  bosun.write('progress.txt', 'so far\n');
  bosun.write('.ai/runs/r1/plan.md', 'plan\n');
  bosun.write('.ai/runs/r1/logs/r1/step-000.jsonl', 'another log\n');
  bosun.write('.ai/runs/r2/plan.md', 'of another run\n');
  await excludeOwnFiles(bosun.root);
  const told = () => [bosun.status(), bosun.git('stash', 'list'), bosun.git('ls-files', '--stage', '--debug')];
  const before = told();
  await packBundle(world.place);
  expect(told()).toEqual(before);
  expect(bosun.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\nrefs/remotes/origin/main');
  await world.send();
  expect(worker.git('rev-parse', 'HEAD')).toBe(bosun.git('rev-parse', 'HEAD'));
  expect(worker.git('branch', '--show-current')).toBe('main');
  expect(porcelain(worker)).toEqual(porcelain(bosun));
  expect(worker.read('b.txt')).toBe('staged, and changed after\n');
  expect(statSync(join(worker.root, 'run.sh')).mode & 0o111).not.toBe(0);
  expect(readlinkSync(join(worker.root, 'link'))).toBe('a.txt');
  expect(readFileSync(Buffer.concat([Buffer.from(`${worker.root}/`), oddName]), 'utf8')).toBe('odd\n');
  expect([worker.has('ignored'), worker.has('.env'), worker.has('gone.txt')]).toEqual([false, false, false]);
  expect(project.read('.ai/STATE.json')).toBe('{"own":1}');
  expect(project.read('workflow_edits/x.json')).toBe('{}');
  expect(project.read('progress.txt')).toBe('so far\n');
  expect(project.read('.ai/runs/r1/plan.md')).toBe('plan\n');
  expect([project.has('.ai/runs/r1/logs'), project.has('.ai/runs/r2')]).toEqual([false, false]);
});

test('an agent’s work elsewhere is applied, committed or not, idempotently', async () => {
  const world = makeWorld(files);
  const { bosun, worker } = world;
  stir(bosun);
  bosun.write('.ai/HANDOFF.md', 'old\n');
  bosun.write('.ai/executor-result', 'gone soon\n');
  const sent = await world.send();
  worker.write('a.txt', 'agent, committed\n');
  worker.git('commit', '-qm', 'work', 'a.txt');
  worker.write('a.txt', 'agent, not committed\n');
  worker.write('src/deep/made.ts', 'made\n');
  worker.remove('link');
  chmodSync(join(worker.root, 'run.sh'), 0o644);
  worker.write('.ai/HANDOFF.md', 'new\n');
  worker.remove('.ai/executor-result');
  writeLog(world.workerPlace.log, 'its log\n');
  worker.write('.ai/runs/r1/logs/r1/step-001.jsonl', 'forged by the agent\n');
  worker.write('.ai/runs/r1/logs/r1/step-009.jsonl', 'no log of its own\n');
  worker.write('.ai/runs/r1/found.md', 'found\n');
  const back = await world.giveBack();
  for (const round of [1, 2]) {
    expect([round, await world.take(sent, back)]).toEqual([round, { kind: 'taken', stayed: [] }]);
    expect(bosun.git('rev-parse', 'HEAD')).toBe(worker.git('rev-parse', 'HEAD'));
    expect(bosun.git('branch', '--show-current')).toBe('main');
    expect(bosun.git('show', 'HEAD:a.txt')).toBe('agent, committed');
    expect(bosun.read('a.txt')).toBe('agent, not committed\n');
    expect(porcelain(bosun)).toEqual(porcelain(worker));
    // What a person had staged stays so.
    expect(bosun.git('diff', '--cached', '--name-only')).toBe('b.txt');
    expect(bosun.read('src/deep/made.ts')).toBe('made\n');
    expect(() => lstatSync(join(bosun.root, 'link'))).toThrow();
    expect(statSync(join(bosun.root, 'run.sh')).mode & 0o111).toBe(0);
    expect(bosun.read('.env')).toBe('secret');
    expect(bosun.read('.ai/HANDOFF.md')).toBe('new\n');
    expect(bosun.has('.ai/executor-result')).toBe(false);
    const { folder, path } = world.place.log;
    expect(readFileSync(join(folder, path), 'utf8')).toBe('its log\n');
    expect(statSync(join(folder, path)).mode & 0o777).toBe(0o600);
    expect(bosun.has('.ai/runs/r1/logs')).toBe(false);
    expect(bosun.read('.ai/runs/r1/found.md')).toBe('found\n');
  }
});

test('a bundle carries rewritten history', async () => {
  const world = makeWorld(files);
  const { bosun, worker } = world;
  bosun.git('commit', '-q', '--allow-empty', '-m', 'to be amended');
  const amended = await world.send();
  worker.write('a.txt', 'amended\n');
  worker.git('commit', '-qa', '--amend', '-m', 'amended');
  expect(await world.take(amended, await world.giveBack())).toEqual({ kind: 'taken', stayed: [] });
  expect(bosun.git('log', '--format=%s')).toBe('amended\nstart');
  expect([bosun.status(), bosun.read('a.txt')]).toEqual(['', 'amended\n']);
});

test('a bundle switches the checkout to the branch that the agent switched to', async () => {
  const world = makeWorld(files);
  const { bosun, worker } = world;
  const sent = await world.send();
  worker.git('switch', '-q', '-c', 'feature/x');
  worker.git('commit', '-q', '--allow-empty', '-m', 'aside');
  const back = await world.giveBack();
  expect(await world.take(sent, back)).toEqual({ kind: 'taken', stayed: [] });
  expect(await world.take(sent, back)).toEqual({ kind: 'taken', stayed: [] });
  expect(bosun.git('branch', '--show-current')).toBe('feature/x');
  expect(bosun.git('log', '-1', '--format=%s', 'main')).toBe('start');
});

test('a bundle works for a project in a subfolder and for a detached checkout', async () => {
  const world = makeWorld({ 'top.txt': 'top\n', 'apps/shop é/a.txt': 'one\n' }, 'apps/shop é');
  const { bosun, worker, project } = world;
  bosun.git('checkout', '-q', '--detach');
  bosun.write('top.txt', 'changed above\n');
  bosun.write('apps/shop é/.ai/STATE.json', '{}');
  bosun.write('.ai/theirs', 'not of this project\n');
  const sent = await world.send();
  expect(worker.git('branch', '--show-current')).toBe('');
  expect(worker.read('top.txt')).toBe('changed above\n');
  expect(project.read('.ai/STATE.json')).toBe('{}');
  expect(worker.status()).toBe(bosun.status());
  project.write('a.txt', 'agent\n');
  project.write('.ai/HANDOFF.md', 'done\n');
  worker.git('commit', '-qam', 'both');
  expect(await world.take(sent, await world.giveBack())).toEqual({ kind: 'taken', stayed: [] });
  expect(bosun.git('log', '-1', '--format=%s')).toBe('both');
  expect(bosun.git('branch', '--show-current')).toBe('');
  expect(bosun.read('apps/shop é/.ai/HANDOFF.md')).toBe('done\n');
  expect(bosun.status()).toBe('?? .ai/theirs');
});

test('the same state packs to the same commit, and oversized files and links are left out and listed', async () => {
  const world = makeWorld();
  const { bosun } = world;
  bosun.write('.ai/large.bin', new Uint8Array(8 * 1024 * 1024 + 1));
  bosun.write('.ai/small.md', 'x');
  symlinkSync('/etc/passwd', join(bosun.root, '.ai', 'passwd'));
  symlinkSync('/etc', join(bosun.root, 'workflow_edits'));
  const first = await packBundle(world.place);
  expect(first.leftOut.toSorted()).toEqual(['own/.ai/large.bin', 'own/.ai/passwd', 'own/workflow_edits']);
  expect((await packBundle(world.place)).commit).toBe(first.commit);
  expect(bosun.git('ls-tree', '-r', '--name-only', `${first.commit}:own`)).toBe('.ai/small.md');
});

test('a file left out on the way back is not treated as deleted', async () => {
  const world = makeWorld();
  world.bosun.write('.ai/grows.bin', 'small');
  const sent = await world.send();
  world.worker.write('.ai/grows.bin', new Uint8Array(8 * 1024 * 1024 + 1));
  expect(await world.take(sent, await world.giveBack())).toEqual({ kind: 'taken', stayed: [] });
  expect(world.bosun.read('.ai/grows.bin')).toBe('small');
});

test('a checkout in the middle of a merge cannot be packed', async () => {
  const { bosun, place } = makeWorld();
  bosun.write('.git/MERGE_HEAD', `${bosun.git('rev-parse', 'HEAD')}\n`);
  await expect(packBundle(place)).rejects.toThrow(/a merge is unfinished in .*, so it cannot be sent to a worker/);
});

test('force-added ignored files and submodule commits survive a round trip', async () => {
  const world = makeWorld();
  const { bosun, worker } = world;
  const part = makeWorld().bosun;
  bosun.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', part.root, 'part');
  bosun.git('commit', '-qm', 'part');
  bosun.write('ignored/kept.txt', 'forced\n');
  bosun.git('add', '-f', 'ignored/kept.txt');
  const sent = await world.send();
  expect(worker.read('ignored/kept.txt')).toBe('forced\n');
  worker.write('ignored/second.txt', 'forced there\n');
  worker.git('add', '-f', 'ignored/second.txt');
  worker.git('commit', '-qm', 'forced');
  const back = await world.giveBack();
  expect(await world.take(sent, back)).toEqual({ kind: 'taken', stayed: [] });
  expect(await world.take(sent, back)).toEqual({ kind: 'taken', stayed: [] });
  expect(bosun.read('ignored/kept.txt')).toBe('forced\n');
  expect(bosun.read('ignored/second.txt')).toBe('forced there\n');
  expect(readdirSync(join(bosun.root, 'part'))).toContain('a.txt');
  expect(bosun.status()).toBe('');
});

test('changes outside a sparse checkout are written to disk', async () => {
  const world = makeWorld({ 'in/a.txt': 'a\n', 'out/b.txt': 'b\n', 'out/c.txt': 'c\n' });
  const { bosun, worker } = world;
  bosun.git('sparse-checkout', 'set', 'in');
  expect(bosun.has('out/b.txt')).toBe(false);
  const sent = await world.send();
  expect(worker.read('out/b.txt')).toBe('b\n');
  worker.write('out/b.txt', 'agent\n');
  worker.write('in/a.txt', 'agent\n');
  const back = await world.giveBack();
  expect(await world.take(sent, back)).toEqual({ kind: 'taken', stayed: [] });
  expect(await world.take(sent, back)).toEqual({ kind: 'taken', stayed: [] });
  expect([bosun.read('out/b.txt'), bosun.has('out/c.txt')]).toEqual(['agent\n', false]);
  expect(bosun.status()).toBe(' M in/a.txt\n M out/b.txt');
});

test('an own file that the agent committed is not treated as another person’s change', async () => {
  const world = makeWorld();
  const { bosun, worker } = world;
  bosun.write('.ai/step-rules.yaml', 'old\n');
  const sent = await world.send();
  worker.write('.ai/step-rules.yaml', 'new\n');
  worker.git('add', '-f', '.ai/step-rules.yaml');
  worker.git('commit', '-qm', 'rules');
  const back = await world.giveBack();
  good('taken', await takeBundle(world.place, sent, back));
  good('taken', await takeBundle(world.place, sent, back));
  expect([bosun.status(), bosun.read('.ai/step-rules.yaml')]).toEqual(['', 'new\n']);
  expect(bosun.git('rev-parse', `${refs.back}`)).toBe(back);
});

function writeLog({ folder, path }: { readonly folder: string; readonly path: string }, content: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), content);
}

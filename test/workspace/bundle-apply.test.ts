// Bringing Bosun's checkout to what came back: what stands against it, being killed in between, and commits that lie.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packBundle } from '../../src/workspace/index.js';
import { blob, forge, makeWorld, mktree, refs } from './bundle-world.js';
import { snapshotsOf } from './dying-git.js';
import { makeFolder } from './repository.js';

const nothing = '0'.repeat(40);

test('applying a bundle keeps a person’s changes to other files, and accepts identical changes', async () => {
  const world = makeWorld({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n', 'd.txt': 'four\n' });
  const { bosun, worker } = world;
  const sent = await world.send();
  worker.write('a.txt', 'agent\n');
  worker.write('d.txt', 'the same\n');
  worker.write('new.txt', 'the same\n');
  worker.git('commit', '-qam', 'work');
  bosun.write('b.txt', 'person, staged\n');
  bosun.git('add', 'b.txt');
  bosun.write('c.txt', 'person\n');
  bosun.write('d.txt', 'the same\n');
  bosun.write('new.txt', 'the same\n');
  bosun.write('mine/new.txt', 'mine\n');
  expect(await world.take(sent, await world.giveBack())).toEqual({ kind: 'taken', stayed: [] });
  expect(bosun.read('a.txt')).toBe('agent\n');
  expect(bosun.status()).toBe('M  b.txt\n M c.txt\n?? mine/new.txt\n?? new.txt');
});

test('a conflict with a person’s change touches nothing and names the files', async () => {
  const world = makeWorld({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n', 'd.txt': 'four\n' });
  const { bosun, worker } = world;
  const sent = await world.send();
  worker.write('a.txt', 'agent\n');
  worker.write('b.txt', 'agent\n');
  worker.remove('c.txt');
  worker.write('made/x.txt', 'agent\n');
  worker.write('.ai/HANDOFF.md', 'done\n');
  worker.remove('d.txt');
  worker.write('d.txt/inside', 'a folder now\n');
  worker.git('add', '-A');
  worker.git('commit', '-qm', 'work');
  const back = await world.giveBack();
  bosun.write('b.txt', 'person\n');
  bosun.write('c.txt', 'person\n');
  bosun.write('made', 'a file of the person\n');
  bosun.write('d.txt', 'person\n');
  const before = [bosun.status(), bosun.git('rev-parse', 'HEAD')];
  const taken = await world.take(sent, back);
  expect(taken).toEqual({ kind: 'clash', files: ['b.txt', 'c.txt', 'd.txt', 'made'] });
  expect([bosun.status(), bosun.git('rev-parse', 'HEAD'), bosun.has('.ai/HANDOFF.md')]).toEqual([...before, false]);
});

test('a concurrent commit in the checkout blocks the agent’s commits, but not its uncommitted changes', async () => {
  const world = makeWorld();
  const { bosun, worker } = world;
  const sent = await world.send();
  worker.write('a.txt', 'agent\n');
  const loose = await world.giveBack();
  worker.git('commit', '-qam', 'work');
  const committed = await world.giveBack();
  bosun.write('b.txt', 'person\n');
  bosun.git('commit', '-qam', 'person');
  const blocked = await world.take(sent, committed);
  expect(blocked).toMatchObject({ kind: 'blocked', why: /is now at .* \(main\), but was at .* \(main\) when/ });
  expect(blocked).toMatchObject({ hint: expect.stringContaining(`log ${refs.back}`) });
  expect(bosun.read('a.txt')).toBe('one\n');
  expect(await world.take(sent, loose)).toEqual({ kind: 'taken', stayed: [] });
  expect([bosun.read('a.txt'), bosun.git('log', '-1', '--format=%s')]).toEqual(['agent\n', 'person']);
  bosun.git('switch', '-q', '-c', 'other');
  expect(await world.take(sent, loose)).toMatchObject({ kind: 'blocked', why: /\(other\) now/ });
});

test('an existing branch with other work blocks the branch that the agent switched to', async () => {
  const world = makeWorld();
  const sent = await world.send();
  world.worker.git('switch', '-q', '-c', 'feature');
  world.worker.git('commit', '-q', '--allow-empty', '-m', 'work');
  const back = await world.giveBack();
  world.bosun.git('branch', 'feature');
  expect(await world.take(sent, back)).toMatchObject({ kind: 'blocked', why: /switched to the branch feature/ });
  expect(world.bosun.git('branch', '--show-current')).toBe('main');
});

test('a detached HEAD of the agent moves the branch only if it extends it', async () => {
  const world = makeWorld();
  const { bosun, worker } = world;
  bosun.write('a.txt', 'two\n');
  bosun.git('commit', '-qam', 'second');
  const sent = await world.send();
  const before = bosun.git('rev-parse', 'HEAD');
  worker.git('checkout', '-q', '--detach', 'HEAD~1');
  const astray = await world.giveBack();
  expect(await world.take(sent, astray)).toMatchObject({ kind: 'blocked', why: /left main and ended at / });
  expect([bosun.git('rev-parse', 'main'), bosun.read('a.txt'), bosun.status()]).toEqual([before, 'two\n', '']);
  worker.git('checkout', '-q', '--detach', 'main');
  worker.git('commit', '-q', '--allow-empty', '-m', 'third');
  expect(await world.take(sent, await world.giveBack())).toEqual({ kind: 'taken', stayed: [] });
  expect([bosun.git('log', '--format=%s', 'main'), bosun.git('branch', '--show-current')]).toEqual([
    'third\nsecond\nstart',
    'main',
  ]);
});

test('a branch that another worktree has checked out is not checked out twice', async () => {
  const world = makeWorld();
  const { bosun, worker } = world;
  bosun.git('branch', 'feature');
  const tree = join(makeFolder(), 'tree');
  bosun.git('worktree', 'add', '-q', tree, 'feature');
  const sent = await world.send();
  worker.git('switch', '-q', '-c', 'feature');
  worker.write('a.txt', 'agent\n');
  expect(await world.take(sent, await world.giveBack())).toMatchObject({
    kind: 'blocked',
    why: expect.stringMatching(/switched to the branch feature, which is checked out in .+tree$/),
  });
  expect([bosun.git('branch', '--show-current'), bosun.read('a.txt')]).toEqual(['main', 'one\n']);
});

test('an application killed at any step is completed by the next one', async () => {
  const world = makeWorld({ 'a.txt': 'one\n', 'b.txt': 'two\n', '.gitignore': 'ignored/\n' });
  const { bosun, worker } = world;
  bosun.write('.ai/progress.md', 'old\n');
  const sent = await world.send();
  worker.write('a.txt', 'agent\n');
  worker.write('ignored/forced.txt', 'forced\n');
  worker.git('add', '-f', 'ignored/forced.txt');
  worker.git('commit', '-qam', 'work');
  worker.write('b.txt', 'loose\n');
  worker.write('.ai/progress.md', 'new\n');
  const back = await world.giveBack();
  bosun.write('mine.txt', 'person\n');
  const states = await snapshotsOf([bosun.root], () => world.take(sent, back));
  expect(states.length).toBeGreaterThan(3);
  for (const [at, state] of states.entries()) {
    state.restore();
    expect([at, await world.take(sent, back)]).toEqual([at, { kind: 'taken', stayed: [] }]);
    expect([at, bosun.status()]).toEqual([at, ' M b.txt\n?? mine.txt']);
    expect([bosun.read('ignored/forced.txt'), bosun.read('.ai/progress.md')]).toEqual(['forced\n', 'new\n']);
    expect(bosun.git('log', '--format=%s')).toBe('work\nstart');
  }
});

test('an unfinished rebase or a git lock blocks the application', async () => {
  const world = makeWorld();
  const sent = await world.send();
  world.worker.write('a.txt', 'agent\n');
  const back = await world.giveBack();
  world.bosun.write('.git/index.lock', '');
  expect(await world.take(sent, back)).toMatchObject({ kind: 'blocked', why: /another git process/ });
  world.bosun.remove('.git/index.lock');
  world.bosun.write('.git/rebase-merge/head-name', 'refs/heads/main\n');
  expect(await world.take(sent, back)).toMatchObject({ kind: 'blocked', why: /a rebase is unfinished/ });
  expect(world.bosun.read('a.txt')).toBe('one\n');
});

test('a malformed bundle is rejected, and nothing is touched', async () => {
  const world = makeWorld();
  const { bosun } = world;
  const sent = await world.send();
  const honest = sent;
  const bad = blob(world, 'bad\n');
  const folder = (name: string, lines: string[]) => `040000 tree ${mktree(world, lines)}\t${name}`;
  const work = (path: string, lines: string[]) =>
    forge(world, honest, (tree) => tree.set('work', folder('work', [folder(path, lines)])));
  const own = (line: string) => forge(world, honest, (tree) => tree.set('own', folder('own', [folder('.ai', [line])])));
  const cases: readonly (readonly [what: string, commit: string, why: RegExp])[] = [
    ['no commit', nothing, /it does not exist/],
    ['an option', '--output=x', /it has no commit id/],
    ['not a packed one', bosun.git('rev-parse', 'HEAD'), /not have exactly one parent|it contains/],
    [
      'a folder besides',
      forge(world, honest, (tree) => tree.set('x', folder('x', [`100644 blob ${bad}\ty`]))),
      /it contains x/,
    ],
    ['no note', forge(world, honest, (tree) => tree.delete('note.json')), /lacks work\/ or note.json/],
    [
      'a bad note',
      forge(world, honest, (tree) => tree.set('note.json', `100644 blob ${bad}\tnote.json`)),
      /cannot read its note.json/,
    ],
    ['a link in own/', own(`120000 blob ${blob(world, '/etc/passwd')}\tx`), /own\/\.ai\/x is not a plain file/],
    [
      'files of runs in own/',
      own(folder('runs', [`100644 blob ${bad}\ty`])),
      /own\/\.ai\/runs\/y does not belong there/,
    ],
    [
      'a file of the project in own/',
      forge(world, honest, (tree) => tree.set('own', folder('own', [`100644 blob ${bad}\tMakefile`]))),
      /own\/Makefile does not belong there/,
    ],
    [
      'a log of another attempt',
      forge(world, honest, (tree) => tree.set('shared', folder('shared', [folder('logs', [`100644 blob ${bad}\tz`])]))),
      /shared\/logs\/z does not belong there/,
    ],
    [
      'a .GIT folder in work/',
      work('.GIT', [`100644 blob ${bad}\tconfig`]),
      /work\/\.GIT\/config does not belong there/,
    ],
    [
      'a folder named .. in work/',
      work('..', [`100644 blob ${bad}\tescaped`]),
      /work\/\.\.\/escaped does not belong there/,
    ],
    ['a too large own file', own(`100644 blob ${blob(world, 'x'.repeat(8 * 1024 * 1024 + 1))}\tlarge`), /too large/],
  ];
  for (const [what, commit, why] of cases) {
    expect([what, await world.take(sent, commit)]).toEqual([
      what,
      expect.objectContaining({ kind: 'blocked', why: expect.stringMatching(why) }),
    ]);
  }
  expect(bosun.status()).toBe('');
});

test('own files are written neither through an existing link nor through one in the bundle', async () => {
  const world = makeWorld();
  const { bosun, worker } = world;
  const outside = makeFolder();
  const sent = await world.send();
  worker.write('.ai/x', 'escaped\n');
  const back = await world.giveBack();
  symlinkSync(outside, join(bosun.root, '.ai'));
  expect(await world.take(sent, back)).toMatchObject({
    kind: 'blocked',
    why: /Cannot write \.ai\/x .*: \.ai is not a folder/,
  });
  bosun.remove('.ai');
  const link = blob(world, outside);
  const lines = bosun.git('ls-tree', `${back}:work`).split('\n');
  const work = mktree(world, [...lines, `120000 blob ${link}\t.ai`]);
  const forged = forge(world, back, (tree) => tree.set('work', `040000 tree ${work}\twork`));
  expect(await world.take(sent, forged)).toMatchObject({ kind: 'blocked', why: /\.ai is not a folder/ });
  expect(bosun.has('.ai')).toBe(false);
  mkdirSync(join(bosun.root, '.ai'));
  symlinkSync(join(outside, 'target'), join(bosun.root, '.ai', 'x'));
  expect(await world.take(sent, back)).toEqual({ kind: 'taken', stayed: [] });
  expect(bosun.read('.ai/x')).toBe('escaped\n');
  writeFileSync(join(outside, 'target'), 'of somebody else\n');
  symlinkSync(join(outside, 'target'), join(bosun.root, '.ai', 'y'));
  const { commit, leftOut } = await packBundle(world.place);
  expect(leftOut).toEqual(['own/.ai/y']);
  expect(bosun.git('ls-tree', '-r', '--name-only', commit)).not.toContain('.ai/y');
});

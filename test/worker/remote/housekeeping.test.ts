import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AttemptSpec } from '../../../src/jobs/attempt-spec.js';
import { takeCheckout } from '../../../src/worker/remote/clone-checkouts.js';
import { keepHouse } from '../../../src/worker/remote/disk-cleanup.js';
import { endOrphans, underway } from '../../../src/worker/remote/orphan-processes.js';
import { isRunning } from '../../agents/attempts/given.js';
import { aJob } from '../../store/values.js';
import { makeFolder } from '../../workspace/repository.js';

const dayMs = 24 * 3_600_000;
const bundle = { remote: 'https://git.example/shop.git', prefix: '' };

function specOf(workdir: string, parts: Partial<AttemptSpec> = {}): AttemptSpec {
  const sharedDir = '/srv/shop/.ai/runs/r1';
  return { ...aJob('a1').payload, project: 'shop', item: '', root: '/srv/shop', workdir, sharedDir, ...parts };
}

function age(path: string, days: number): void {
  const at = (Date.now() - days * dayMs) / 1_000;
  utimesSync(join(path, 'used'), at, at);
}

describe('the checkouts of a remote worker', () => {
  it('are the same for the same checkout of Bosun’s, and distinct otherwise', async () => {
    const home = { dir: makeFolder() };
    const take = (workdir: string, bosun = 'h1', remote = bundle.remote) =>
      takeCheckout(home, bosun, specOf(workdir), { ...bundle, remote });
    const first = await take('/srv/shop');
    first.release();
    const again = await take('/srv/shop');
    again.release();
    expect(again.top).toBe(first.top);
    const tops = [first, await take('/w/1'), await take('/srv/shop', 'h2'), await take('/srv/shop', 'h1', '/x.git')];
    expect(new Set(tops.map(({ top }) => top)).size).toBe(4);
    expect(new Set(tops.map(({ clone }) => clone)).size).toBe(2);
    for (const { top } of tops) expect(top.startsWith(join(home.dir, 'clones'))).toBe(true);
  });

  it('are never shared by two attempts at a time', async () => {
    const home = { dir: makeFolder() };
    const [one, two] = [
      await takeCheckout(home, 'h1', specOf('/srv/shop'), bundle),
      await takeCheckout(home, 'h1', specOf('/srv/shop'), bundle),
    ];
    expect(two.top).not.toBe(one.top);
    one.release();
    expect((await takeCheckout(home, 'h1', specOf('/srv/shop'), bundle)).top).toBe(one.top);
  });

  it('hold the shared folder inside for the main checkout, and beside it for an item’s worktree', async () => {
    const home = { dir: makeFolder() };
    const main = await takeCheckout(home, 'h1', specOf('/srv/shop'), { ...bundle, prefix: 'sub/' });
    expect([main.folder, main.shared]).toEqual([join(main.top, 'sub'), join(main.top, 'sub/.ai/runs/r1')]);
    const item = await takeCheckout(home, 'h1', specOf('/home/b/worktrees/1', { item: 'US-001' }), bundle);
    expect(item.shared.startsWith(item.top)).toBe(false);
    expect(item.shared.startsWith(join(item.top, '..'))).toBe(true);
  });

  it('are deleted when unused for a week, except those in use', async () => {
    const home = { dir: makeFolder() };
    const [old, used, young] = await Promise.all(
      ['/w/1', '/w/2', '/w/3'].map((workdir) => takeCheckout(home, 'h1', specOf(workdir), bundle)),
    );
    if (!old || !used || !young) throw new Error('no checkouts');
    for (const { top } of [old, used, young]) mkdirSync(top);
    old.release();
    young.release();
    for (const [{ top }, days] of [
      [old, 8],
      [used, 8],
      [young, 6],
    ] as const)
      age(join(top, '..'), days);
    const removed = await keepHouse({ home, log: () => undefined });
    expect(removed).toEqual([join(old.top, '..')]);
    expect([old, used, young].map(({ top }) => existsSync(top))).toEqual([false, true, true]);
    expect(readdirSync(join(old.top, '../..')).filter((name) => name.startsWith('gone'))).toEqual([]);
  });

  it('are limited to twenty per clone, least recently used first, sparing those with unsaved work', async () => {
    const home = { dir: makeFolder() };
    const tops: string[] = [];
    for (let number = 0; number < 22; number += 1) {
      const { top, keep, release } = await takeCheckout(home, 'h1', specOf(`/w/${number}`), bundle);
      if (number === 21) keep();
      release();
      age(join(top, '..'), 1 + number / 100);
      tops.push(join(top, '..'));
    }
    expect([...(await keepHouse({ home, log: () => undefined }))].sort()).toEqual(tops.slice(20, 21));
  });

  it('release their branches when deleted, and the clone is deleted after a month without checkouts', async () => {
    const home = { dir: makeFolder() };
    const { clone, top, release } = await takeCheckout(home, 'h1', specOf('/w/1'), bundle);
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' });
    git('init', '-q', '--bare', clone);
    const tree = git('-C', clone, 'mktree', '--missing').trim() || git('-C', clone, 'write-tree').trim();
    const commit = git('-C', clone, 'commit-tree', tree, '-m', 'one').trim();
    git('-C', clone, 'worktree', 'add', '-q', '-b', 'main2', top, commit);
    release();
    age(join(top, '..'), 8);
    await keepHouse({ home, log: () => undefined });
    expect(git('-C', clone, 'worktree', 'list')).not.toContain(top);
    expect(existsSync(clone)).toBe(true);
    age(join(clone, '..'), 31);
    await keepHouse({ home, log: () => undefined });
    expect(existsSync(clone)).toBe(false);
  });

  it('need no clones folder to be cleaned up', async () => {
    expect(await keepHouse({ home: { dir: join(makeFolder(), 'none') }, log: () => undefined })).toEqual([]);
  });
});

describe('orphans of a killed worker', () => {
  function agentWith(token: string): ChildProcess {
    const agent = spawn('sleep', ['600'], {
      detached: true,
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], BOSUN_TOKEN: token },
    });
    onTestFinished(() => void agent.kill('SIGKILL'));
    return agent;
  }

  it('are killed by the next worker of the same home, while agents of a live worker are not', async () => {
    const home = { dir: makeFolder() };
    const [left, living, over] = ['left', 'living', 'over'].map((name) => agentWith(`${name}-${process.pid}`));
    underway(home).begin(`living-${process.pid}`);
    underway(home).begin(`over-${process.pid}`)();
    const folder = join(home.dir, 'underway');
    const [note = ''] = readdirSync(folder);
    const text = readFileSync(join(folder, note), 'utf8');
    // As by a process that had this pid before.
    const dead = { ...JSON.parse(text), startedAt: 'long ago', tokens: [`left-${process.pid}`] };
    writeFileSync(join(folder, 'dead.json'), JSON.stringify(dead));
    writeFileSync(join(folder, 'odd.json'), '{');
    expect(await endOrphans(home)).toBe(1);
    expect([left, living, over].map((one) => isRunning(one?.pid ?? 0))).toEqual([false, true, true]);
    expect(readdirSync(folder)).toEqual([note]);
    expect(await endOrphans(home)).toBe(0);
  });

  it('do not exist if no worker has run', async () => {
    expect(await endOrphans({ dir: makeFolder() })).toBe(0);
  });
});

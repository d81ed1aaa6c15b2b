import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/bot/index.js';
import { checkRepository } from '../../src/cli/doctor/projects.js';
import { configOf, givenWorld, oneAgent, tempFolder, type World } from '../dispatch/given.js';

async function found(
  world: World,
  onPath: (program: string) => string | null = () => null,
): Promise<readonly Finding[]> {
  const [project] = configOf(world).projects;
  if (project === undefined) throw new Error('no project');
  return checkRepository(project, 'project shop', onPath);
}

const given = (settings = '') => givenWorld('', oneAgent.replace('root: "%ROOT%"', `root: "%ROOT%"${settings}`));
const words = (findings: readonly Finding[]) => findings.map((one) => JSON.stringify(one)).join('\n');

describe('bosun doctor, checking a project’s repository', () => {
  it('reports nothing if all is well', async () => {
    expect(await found(given())).toEqual([]);
  });

  it('reports a missing remote for pushing, and a missing gh for pull requests', async () => {
    const world = given(', deliver: pr');
    expect(words(await found(world))).toMatch(
      /has no remote origin[\s\S]*remote add origin[\s\S]*gh is not on the PATH/,
    );
    world.git('remote', 'add', 'origin', tempFolder());
    expect(await found(world, () => '/usr/bin/gh')).toEqual([]);
    expect(words(await found(given(', deliver: push, git: { remote: upstream }')))).toContain('no remote upstream');
    expect(await found(given(', deliver: push, git: { remote: "https://example.com/x.git" }'))).toEqual([]);
  });

  it('reports a stale git lock, but not a fresh one', async () => {
    const world = given();
    const lock = join(world.root, '.git', 'index.lock');
    writeFileSync(lock, '');
    expect(await found(world)).toEqual([]);
    const before = new Date(Date.now() - 10 * 60_000);
    utimesSync(lock, before, before);
    expect(words(await found(world))).toMatch(/a git process has held its lock for 10 min[\s\S]*delete .*index\.lock/);
  });

  it('reports an unconfigured filter, submodules, missing worktrees and links that cannot be made', async () => {
    const world = given(', worktree: { link: [data, README.md] }');
    mkdirSync(join(world.root, 'assets'));
    world.write('assets/.gitattributes', '*.bin filter=lfs diff=lfs -text\n');
    const gone = join(tempFolder(), 'gone');
    world.git('worktree', 'add', '-q', '-b', 'other', gone);
    rmSync(gone, { recursive: true });
    const library = givenWorld('').root;
    world.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib');
    world.git('commit', '-q', '-m', 'lib');
    world.write('lib/README.md', 'changed\n');
    const said = words(await found(world));
    for (const what of [
      /the filter \\"lfs\\"[\s\S]*git lfs install/,
      /it has submodules[\s\S]*git submodule update --init/,
      /submodules have changes: lib/,
      /worktrees that no longer exist: [^"]*gone[\s\S]*worktree prune/,
      /worktree\.link: data does not exist/,
      /worktree\.link: README\.md is not ignored/,
    ]) {
      expect(said).toMatch(what);
    }
    world.git('config', 'filter.lfs.clean', 'cat');
    expect(words(await found(world))).not.toContain('lfs');
  });
});

import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProjectConfig } from '../../src/config/index.js';
import { prepareWorktree } from '../../src/worker/attempt/prepare-worktree.js';
import { commitAll, dropWorktree, openWorktree } from '../../src/workspace/index.js';
import { isRunning } from '../agents/attempts/given.js';
import { givenWorld, tempFolder, type World } from '../dispatch/given.js';

interface Given {
  readonly world: World;
  readonly folder: string;
  make(settings?: Partial<ProjectConfig['worktree']>, limitMs?: number): ReturnType<typeof prepareWorktree>;
  has(path: string): boolean;
}

async function given(ignored = 'node_modules/\n/.venv\nvendor/\n*.log\ndata/\n'): Promise<Given> {
  const world = givenWorld('');
  world.write('.gitignore', ignored);
  world.git('add', '-A');
  world.git('commit', '-q', '-m', 'ignore');
  world.write('node_modules/lib.js', 'lib\n');
  world.write('data/big.bin', 'big\n');
  world.write('data/other.bin', 'other\n');
  const opened = await openWorktree({ root: world.root, path: join(tempFolder(), 'tree'), branch: 'story' });
  if (opened.kind !== 'opened') throw new Error(opened.why);
  const folder = opened.root;
  return {
    world,
    folder,
    make: (settings = {}, ...limit) =>
      prepareWorktree(
        { root: world.root, folder, settings: { setup: null, link: null, ...settings }, name: 'story' },
        ...limit,
      ),
    has: (path) => existsSync(join(folder, path)),
  };
}

const statusOf = (world: World, folder: string) => world.git('-C', folder, 'status', '--porcelain');

describe('linking folders into a worktree', () => {
  it('links usual folders that exist and are ignored by git, so that no commit includes them', async () => {
    const { world, folder, make, has } = await given();
    expect(await make()).toEqual({ kind: 'fit', note: null });
    expect(readlinkSync(join(folder, 'node_modules'))).toBe(join(world.root, 'node_modules'));
    expect(['.venv', 'vendor', 'data'].filter(has)).toEqual([]);
    expect(statusOf(world, folder)).toBe('');
    world.git('-C', folder, 'add', '-A');
    expect(await commitAll(folder, 'work')).toEqual({ kind: 'nothing' });
    expect(world.git('status', '--porcelain')).toBe('');
    expect(await make()).toEqual({ kind: 'fit', note: null });
  });

  it('leaves the shared folders intact when the worktree is removed', async () => {
    const { world, folder, make } = await given();
    await make();
    const dropped = await dropWorktree({ root: world.root, path: folder, branch: 'story', keepBranch: false });
    expect(dropped).toEqual({ kind: 'dropped', branch: 'deleted' });
    expect(readFileSync(join(world.root, 'node_modules', 'lib.js'), 'utf8')).toBe('lib\n');
  });

  it('links nothing that is tracked, a plain file or already in the worktree', async () => {
    const { world, folder, make } = await given('vendor\n.venv\n');
    world.write('.venv', 'a file\n');
    world.write('vendor/x', 'x\n');
    mkdirSync(join(folder, 'vendor'));
    expect(await make()).toEqual({ kind: 'fit', note: null });
    expect(lstatSync(join(folder, 'vendor')).isDirectory()).toBe(true);
    expect([existsSync(join(folder, 'node_modules')), existsSync(join(folder, '.venv'))]).toEqual([false, false]);
  });

  it('links what the project configures instead, and notes what could not be linked', async () => {
    const { world, folder, make, has } = await given();
    mkdirSync(join(folder, 'vendor'));
    world.write('vendor/x', 'x\n');
    const link = ['data/big.bin', './data/other.bin', 'gone', 'README.md', '../shop', '/etc', '.git', 'vendor/'];
    const said = await make({ link });
    expect(said).toEqual({
      kind: 'fit',
      note: 'Not linked into the worktree: gone does not exist; README.md is not ignored by git; ../shop is not a path inside the project; /etc is not a path inside the project; .git is not a path inside the project; vendor/ already exists.',
    });
    expect(readFileSync(join(folder, 'data', 'big.bin'), 'utf8')).toBe('big\n');
    expect([has('data/other.bin'), has('node_modules')]).toEqual([true, false]);
    expect(statusOf(world, folder)).toBe('');
  });

  it('links nothing if the project configures an empty list', async () => {
    const { make, has } = await given();
    expect(await make({ link: [] })).toEqual({ kind: 'fit', note: null });
    expect(has('node_modules')).toBe(false);
  });

  it('does not follow a link of the repository out of the worktree', async () => {
    const { folder, make } = await given();
    const outside = tempFolder();
    symlinkSync(outside, join(folder, 'data'));
    expect(await make({ link: ['data/big.bin'] })).toMatchObject({ note: expect.stringContaining('leads outside') });
    expect(existsSync(join(outside, 'big.bin'))).toBe(false);
  });
});

describe('the setup command of a worktree', () => {
  it('runs once after linking, and again if the command changes', async () => {
    const { folder, make } = await given();
    const setup = 'cat node_modules/lib.js; pwd; echo "$BOSUN_ROOT"; echo ran >> setup.log';
    expect(await make({ setup })).toEqual({ kind: 'fit', note: null });
    await make({ setup });
    expect(readFileSync(join(folder, 'setup.log'), 'utf8')).toBe('ran\n');
    await make({ setup: `${setup} ` });
    await make({ setup: `${setup}; true` });
    expect(readFileSync(join(folder, 'setup.log'), 'utf8')).toBe('ran\nran\n');
  });

  it('that fails is reported with the end of its output, and runs again', async () => {
    const { folder, make } = await given();
    const setup = 'seq 2000; echo "no network" >&2; echo ran >> setup.log; exit 7';
    const said = await make({ setup });
    expect(said).toMatchObject({
      kind: 'failed',
      why: expect.stringMatching(/ended with exit 7\n[\s\S]*2000\nno network$/),
    });
    expect(said.kind === 'failed' ? said.why.length : 0).toBeLessThan(2_500);
    await make({ setup });
    expect(readFileSync(join(folder, 'setup.log'), 'utf8')).toBe('ran\nran\n');
  });

  it('is killed on timeout with its child processes', async () => {
    const { folder, make } = await given();
    const setup = 'setsid sleep 600 & echo $! > pid.log; sleep 600';
    expect(await make({ setup }, 500)).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('took longer than 1 min'),
    });
    expect(isRunning(Number(readFileSync(join(folder, 'pid.log'), 'utf8')))).toBe(false);
  });

  it('sees no secret of Bosun’s environment', async () => {
    const { folder, make } = await given();
    process.env['TELEGRAM_BOT_TOKEN'] = 's3cret';
    try {
      await make({ setup: 'env > env.log' });
    } finally {
      delete process.env['TELEGRAM_BOT_TOKEN'];
    }
    const env = readFileSync(join(folder, 'env.log'), 'utf8');
    expect(env).toContain('PATH=');
    expect(env).not.toContain('s3cret');
  });
});

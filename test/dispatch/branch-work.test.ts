// A run on a branch of its own, with a real repository, remote and (where one is needed) a program that plays `gh`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { workOnCheckout } from '../../src/dispatch/checkouts/checkout-operations.js';
import type { CheckoutSite } from '../../src/dispatch/checkouts/run-branch-operations.js';
import type { Run, WorkspaceOp, WorkspaceResult } from '../../src/engine/index.js';
import { requestPull } from '../../src/workspace/run-branch/pull-request.js';
import { benchOf, creation, givenWorld, siteOf, tempFolder, type World } from './given.js';

type Delivery = Run['deliver'];
type Prepare = Extract<WorkspaceOp, { kind: 'prepare' }>;

interface Stage {
  readonly world: World;
  /** The branch that `prepare` gave, kept as the engine would. */
  prepare(how?: Partial<Prepare>): Promise<WorkspaceResult>;
  work(op: WorkspaceOp): Promise<WorkspaceResult>;
  deliver(message?: string, agents?: readonly string[]): Promise<WorkspaceResult>;
  publish(how: Delivery, text?: string): Promise<WorkspaceResult>;
  leave(status?: Run['status']): Promise<WorkspaceResult>;
  folder(): string;
  site(): CheckoutSite;
}

async function given(task = 'Fix the Café page!', more: Partial<CheckoutSite> = {}): Promise<Stage> {
  const world = givenWorld('');
  const bench = benchOf(world);
  await bench.dispatcher.submit(() => creation(1, { task }));
  let branch: Run['branch'] = null;
  let status: Run['status'] = 'running';
  const site = (): CheckoutSite => {
    const real = siteOf(world.root, 'r1', bench.store);
    const run = bench.store.run('r1');
    if (run === null) throw new Error('no run');
    const store = { ...bench.store, run: () => ({ ...run, branch, status }) };
    return { ...real, store, ...more };
  };
  let ops = 0;
  const work = async (op: WorkspaceOp) => {
    const result = await workOnCheckout(site(), op);
    if (result.ok && result.branch) branch = { ...result.branch, isLeft: false };
    return result;
  };
  const id = () => `r1-op${++ops}`;
  return {
    world,
    work,
    site,
    prepare: (how = {}) => work({ id: 'r1-op0', kind: 'prepare', stash: false, deliver: 'branch', ...how }),
    deliver: (message = 'work', agents = []) => work({ id: id(), kind: 'deliver', chain: '', message, agents }),
    publish: (how, text = 'All of it.') => work({ id: id(), kind: 'publish', how, title: 'Fix the page', text }),
    leave: (over = 'completed') => {
      status = over;
      return work({ id: id(), kind: 'leave' });
    },
    folder: () => branch?.folder ?? world.root,
  };
}

const name = 'bosun/r1-fix-the-cafe-page';
const onBranch = (world: World) => world.git('rev-parse', '--abbrev-ref', 'HEAD');
const messageOf = (result: WorkspaceResult) => (result.ok ? 'ok' : result.message);
const noteOf = (result: WorkspaceResult) => (result.ok ? result.note : `refused: ${result.message}`);

function addRemote(world: World): string {
  const remote = join(tempFolder(), 'remote.git');
  world.git('init', '-q', '--bare', remote);
  world.git('remote', 'add', 'origin', remote);
  return remote;
}

describe('a run’s branch', () => {
  it('is created from the current branch, named after run and task, and left when the run is over', async () => {
    const { world, ...run } = await given();
    expect(await run.prepare()).toMatchObject({ ok: true, branch: { name, base: 'main', folder: null } });
    expect(onBranch(world)).toBe(name);
    world.write('made.txt', 'one\n');
    await run.deliver();
    expect(await run.publish('branch')).toMatchObject({
      ok: true,
      note: `1 commit, 1 file +1 −0, on the branch ${name}`,
      diffStat: { files: 1 },
    });
    expect(await run.leave()).toMatchObject({ ok: true, note: null });
    expect(onBranch(world)).toBe('main');
    expect(existsSync(join(world.root, 'made.txt'))).toBe(false);
    expect(world.git('show', `${name}:made.txt`)).toBe('one');
    expect(world.git('status', '--porcelain')).toBe('');
  });

  it('gets a number if its name is taken, and is reused by a repeated prepare', async () => {
    const { world, ...run } = await given();
    world.git('branch', name);
    expect(await run.prepare()).toMatchObject({ branch: { name: `${name}-2` } });
    expect(await run.prepare()).toMatchObject({ branch: { name: `${name}-2`, base: 'main' } });
    expect(world.git('branch', '--list', 'bosun/*').split('\n')).toHaveLength(2);
  });

  it('is named after the run alone if the task has no characters valid in a branch name', async () => {
    const { world, ...run } = await given('修正');
    world.git('branch', 'bosun');
    expect(await run.prepare()).toMatchObject({ branch: { name: 'bosun-r1' } });
  });

  it('is deleted if it is empty, and kept with its work if the run was aborted', async () => {
    const empty = await given();
    await empty.prepare();
    expect(noteOf(await empty.publish('push'))).toBe('nothing to commit');
    expect(noteOf(await empty.leave())).toBeNull();
    expect(empty.world.git('branch', '--list', 'bosun/*')).toBe('');
    const begun = await given();
    await begun.prepare();
    begun.world.write('made.txt', 'one\n');
    await begun.deliver();
    expect(noteOf(await begun.leave('cancelled'))).toBe(`The work so far stays on the branch ${name}.`);
    expect(onBranch(begun.world)).toBe('main');
  });

  it('stays checked out if switching away would carry uncommitted work along, with a note', async () => {
    const { world, ...run } = await given();
    await run.prepare();
    world.write('half.txt', 'half\n');
    const said = messageOf(await run.leave('cancelled'));
    expect(said).toContain(`stays on the branch ${name}: it holds uncommitted changes (half.txt)`);
    expect(said).toContain('git switch main');
    expect([onBranch(world), readFileSync(join(world.root, 'half.txt'), 'utf8')]).toEqual([name, 'half\n']);
  });

  it('is not left while the base is gone or checked out elsewhere, or while a merge is unfinished', async () => {
    const { world, ...run } = await given();
    await run.prepare();
    world.git('branch', '-m', 'main', 'trunk');
    expect(messageOf(await run.leave())).toContain('the branch main no longer exists');
    world.git('branch', '-m', 'trunk', 'main');
    const other = join(tempFolder(), 'other');
    world.git('worktree', 'add', '-q', other, 'main');
    expect(messageOf(await run.leave())).toContain(`main is checked out in ${other}`);
    world.git('worktree', 'remove', other);
    writeFileSync(join(world.root, '.git', 'MERGE_HEAD'), `${world.git('rev-parse', 'HEAD')}\n`);
    expect(messageOf(await run.leave())).toContain('a merge is unfinished');
    rmSync(join(world.root, '.git', 'MERGE_HEAD'));
    expect(await run.leave()).toMatchObject({ ok: true });
    expect(onBranch(world)).toBe('main');
  });

  it('is not committed to while a person has another branch checked out', async () => {
    const { world, ...run } = await given();
    await run.prepare();
    world.git('switch', '-q', 'main');
    world.write('made.txt', 'one\n');
    const said = messageOf(await run.deliver());
    expect(said).toMatch(/^main is checked out in .*, and r1 works on bosun\/r1-fix.*\n.*git switch bosun/);
    expect(world.git('rev-list', '--count', 'main')).toBe('1');
    world.git('switch', '-q', name);
    expect(await run.deliver()).toMatchObject({ ok: true, commit: expect.any(String) });
  });

  it('stashes a person’s changes first, and restores them if the branch cannot be created', async () => {
    const { world, ...run } = await given();
    world.write('README.md', 'mine\n');
    expect(await run.prepare()).toMatchObject({ ok: false, code: 'dirty' });
    writeFileSync(join(world.root, '.git', 'HEAD.lock'), '');
    const failed = await run.prepare({ stash: true });
    expect(failed).toMatchObject({ ok: false });
    expect(readFileSync(join(world.root, 'README.md'), 'utf8')).toBe('mine\n');
    rmSync(join(world.root, '.git', 'HEAD.lock'));
    expect(await run.prepare({ stash: true })).toMatchObject({ stash: expect.any(String), branch: { name } });
    expect(await run.prepare({ stash: true })).toMatchObject({ stash: expect.any(String), branch: { name } });
    expect(world.git('stash', 'list').split('\n')).toHaveLength(1);
    const stash = world.git('rev-parse', 'stash@{0}');
    const restore = { id: 'r1-op9', kind: 'restore', stash } as const;
    world.write('half.txt', 'half\n');
    await run.leave('cancelled');
    expect(messageOf(await run.work(restore))).toMatch(
      /stay in the stash, because bosun\/r1-\S+ is still checked out\. By hand: git switch main, then git stash apply --index [0-9a-f]{10}$/,
    );
    rmSync(join(world.root, 'half.txt'));
    await run.leave('cancelled');
    expect(await run.work(restore)).toMatchObject({ ok: true, note: 'Your own changes are back.' });
    expect(readFileSync(join(world.root, 'README.md'), 'utf8')).toBe('mine\n');
  }, 60_000);
});

describe('a run in a worktree beside the person', () => {
  const beside = { worktree: true } as const;

  async function begun(): Promise<Stage> {
    const stage = await given();
    stage.world.write('README.md', 'mine\n');
    stage.world.write('loose.txt', 'mine\n');
    expect(await stage.prepare({ ...beside })).toMatchObject({ ok: true, branch: { name, base: 'main' } });
    return stage;
  }

  const mine = (world: World) => [
    onBranch(world),
    world.git('status', '--porcelain'),
    readFileSync(join(world.root, 'README.md'), 'utf8'),
  ];

  it('touches neither the changes nor the checkout, and lands its commits on the base', async () => {
    const { world, ...run } = await begun();
    const before = mine(world);
    expect(run.folder()).toMatch(/worktrees\/shop\/r1\/run$/);
    expect(readFileSync(join(run.folder(), 'README.md'), 'utf8')).toBe('shop\n');
    writeFileSync(join(run.folder(), 'made.txt'), 'one\n');
    await run.deliver('work');
    writeFileSync(join(run.folder(), 'more.txt'), 'two\n');
    await run.deliver('more');
    expect(mine(world)).toEqual(before);
    const [first, again] = [await run.publish('commit'), await run.publish('commit')];
    const tip = world.git('rev-parse', 'main');
    expect(first).toMatchObject({
      ok: true,
      commit: tip,
      note: `2 commits, 2 files +2 −0, on main as ${tip.slice(0, 8)}`,
    });
    expect(again).toEqual(first);
    expect(mine(world)).toEqual(before);
    expect(readFileSync(join(world.root, 'made.txt'), 'utf8')).toBe('one\n');
    expect(await run.leave()).toMatchObject({ ok: true, note: null });
    expect(existsSync(run.folder())).toBe(false);
    expect(world.git('branch', '--list', 'bosun/*')).toBe('');
    expect(world.git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('is rebased onto a base that has moved', async () => {
    const { world, ...run } = await begun();
    writeFileSync(join(run.folder(), 'made.txt'), 'one\n');
    await run.deliver('work');
    world.write('other.txt', 'x\n');
    world.git('add', 'other.txt');
    world.git('commit', '-q', '-m', 'other');
    expect(noteOf(await run.publish('commit'))).toMatch(/^1 commit, 1 file \+1 −0, on main as /);
    expect(world.git('log', '--format=%s', 'main').split('\n')).toEqual(['work', 'other', 'start']);
    expect(world.git('status', '--porcelain')).toBe(' M README.md\n?? loose.txt');
  });

  it('moves the base by ref only if it is no longer checked out', async () => {
    const { world, ...run } = await begun();
    writeFileSync(join(run.folder(), 'made.txt'), 'one\n');
    await run.deliver('work');
    world.git('switch', '-q', '-c', 'elsewhere');
    expect(await run.publish('commit')).toMatchObject({ ok: true });
    expect(world.git('log', '--format=%s', 'main').split('\n')).toEqual(['work', 'start']);
    expect(existsSync(join(world.root, 'made.txt'))).toBe(false);
  });

  it.each([
    ['touches what the person has changed', 'README.md', (world: World) => world.write('README.md', 'mine\n')],
    [
      'does not apply to a base that has moved',
      'made.txt',
      (world: World) => {
        world.write('made.txt', 'of the base\n');
        world.git('add', 'made.txt');
        world.git('commit', '-q', '-m', 'other');
      },
    ],
  ])('keeps its branch and touches nothing if its work %s', async (_, file, happen) => {
    const { world, ...run } = await begun();
    writeFileSync(join(run.folder(), file), 'work\n');
    await run.deliver('work');
    happen(world);
    const [before, base, tip] = [mine(world), world.git('rev-parse', 'main'), world.git('rev-parse', name)];
    const said = messageOf(await run.publish('commit'));
    expect(said).toContain(file);
    expect(said).toMatch(/local changes in .* are in the way|has new commits that conflict with the work/);
    expect([mine(world), world.git('rev-parse', 'main'), world.git('rev-parse', name)]).toEqual([before, base, tip]);
    expect(await run.leave()).toMatchObject({ ok: true });
    expect(world.git('rev-parse', name)).toBe(tip);
    expect(mine(world)).toEqual(before);
  });

  it('reports a base, branch or worktree that is gone', async () => {
    const { world, ...run } = await begun();
    writeFileSync(join(run.folder(), 'made.txt'), 'one\n');
    await run.deliver('work');
    world.git('branch', '-m', 'main', 'trunk');
    expect(messageOf(await run.publish('commit'))).toContain('the branch main no longer exists');
    rmSync(run.folder(), { recursive: true });
    const gone = messageOf(await run.publish('commit'));
    expect(gone).toMatch(
      /^The checkout of r1 no longer exists: .*\nIts commits are on bosun\S+ To continue from there: git -C /,
    );
    const files = { id: 'r1-op9', kind: 'read', chain: '', node: null, files: [], survey: null, phase: null } as const;
    expect(messageOf(await run.work({ ...files, isConfirmed: false }))).toBe(gone);
    expect(messageOf(await run.deliver())).toBe(gone);
    execFileSync('sh', ['-c', gone.slice(gone.indexOf('git -C'))], { stdio: 'pipe' });
    writeFileSync(join(run.folder(), 'more.txt'), 'two\n');
    expect(await run.deliver('more')).toMatchObject({ ok: true, commit: expect.any(String) });
    rmSync(run.folder(), { recursive: true });
    expect(await run.leave('cancelled')).toMatchObject({
      ok: true,
      note: `The work so far stays on the branch ${name}.`,
    });
  });

  it('commits uncommitted work to its branch when it is aborted', async () => {
    const { world, ...run } = await begun();
    writeFileSync(join(run.folder(), 'half.txt'), 'half\n');
    expect(noteOf(await run.leave('cancelled'))).toBe(`The work so far stays on the branch ${name}.`);
    expect(world.git('show', `${name}:half.txt`)).toBe('half');
    expect(existsSync(run.folder())).toBe(false);
  });

  it('keeps its branch and base when it is prepared again after a crash, even if the base has moved', async () => {
    const { world, ...run } = await begun();
    writeFileSync(join(run.folder(), 'made.txt'), 'one\n');
    await run.deliver('work');
    world.git('commit', '-q', '--allow-empty', '-m', 'other');
    expect(await run.prepare({ ...beside })).toMatchObject({ ok: true, branch: { name, base: 'main' } });
    expect(world.git('branch', '--list', 'bosun/*').split('\n')).toHaveLength(1);
  });
});

describe('pushing', () => {
  async function withWork(project?: CheckoutSite['project']): Promise<Stage> {
    const stage = await given(undefined, project ? { project } : {});
    await stage.prepare({ deliver: 'push' });
    stage.world.write('made.txt', 'one\n');
    await stage.deliver();
    return stage;
  }

  it('pushes the branch to origin and sets its upstream, idempotently', async () => {
    const { world, ...run } = await withWork();
    const remote = addRemote(world);
    const [first, second] = [await run.publish('push'), await run.publish('push')];
    expect(noteOf(first)).toBe(`1 commit, 1 file +1 −0, on the branch ${name}, pushed to origin`);
    expect(second).toEqual(first);
    expect(world.git('--git-dir', remote, 'log', '-1', '--format=%s', name)).toBe('work');
    expect(world.git('rev-parse', '--abbrev-ref', `${name}@{upstream}`)).toBe(`origin/${name}`);
  });

  it('uses the remote that the project names, by URL too, and hides the URL’s password', async () => {
    const remote = join(tempFolder(), 'remote.git');
    const settings = {
      git: { remote: `file://${remote}`, base: null, largeFileBytes: 1_000_000, coAuthor: true },
      worktree: { setup: null, link: null },
    };
    const { world, ...run } = await withWork(settings);
    world.git('init', '-q', '--bare', remote);
    expect(noteOf(await run.publish('push'))).toContain(`pushed to file://${remote}`);
    world.git('remote', 'add', 'origin', 'http://ada:s3cret@127.0.0.1:1/shop.git');
    const other = await withWork({
      ...settings,
      git: { remote: 'http://ada:s3cret@127.0.0.1:1/shop.git', base: null, largeFileBytes: 1_000_000, coAuthor: true },
    });
    const said = messageOf(await other.publish('push'));
    expect(said).toContain('http://127.0.0.1:1/shop.git cannot be reached');
    expect(said).not.toContain('s3cret');
  });

  it('asks before it sends a commit with a large file', async () => {
    const git = { remote: null, base: null, largeFileBytes: 1, coAuthor: true };
    const { world, ...run } = await given(undefined, { project: { git, worktree: { setup: null, link: null } } });
    await run.prepare({ deliver: 'push' });
    world.write('made.txt', 'one\n');
    world.git('add', '-A');
    world.git('commit', '-qm', 'by the agent');
    const remote = addRemote(world);
    expect(await run.publish('push')).toMatchObject({
      ok: false,
      code: 'large',
      files: [expect.stringMatching(/^\S+ \(/)],
    });
    expect(world.git('--git-dir', remote, 'branch', '--list', name)).toBe('');
  });

  it.each([
    ['no remote', () => undefined, /there is no remote origin in .*: it has no remotes\nAdd it \(git remote add/],
    [
      'a remote that is not there',
      (world: World) => world.git('remote', 'add', 'origin', join(tempFolder(), 'gone')),
      /origin cannot be reached\n/,
    ],
    [
      'a remote with other work on the branch',
      (world: World) => {
        addRemote(world);
        world.git('push', '-q', 'origin', `main:refs/heads/${name}`);
        const clone = join(tempFolder(), 'clone');
        world.git('clone', '-q', '-b', name, world.git('remote', 'get-url', 'origin'), clone);
        world.git('-C', clone, 'commit', '-q', '--allow-empty', '-m', 'theirs');
        world.git('-C', clone, 'push', '-q', 'origin', name);
      },
      /origin rejected it\n[\s\S]*Bosun never force-pushes/,
    ],
    [
      'a remote whose hook refuses',
      (world: World) => {
        const hook = join(addRemote(world), 'hooks', 'pre-receive');
        writeFileSync(hook, '#!/bin/sh\necho "no pushes on Fridays" >&2\nexit 1\n', { mode: 0o755 });
      },
      /origin rejected it\n[\s\S]*no pushes on Fridays/,
    ],
    [
      'a hook of the person that refuses',
      (world: World) => {
        addRemote(world);
        const hook = join(world.root, '.git', 'hooks', 'pre-push');
        writeFileSync(hook, '#!/bin/sh\necho "tests are red" >&2\nexit 1\n', { mode: 0o755 });
      },
      /tests are red[\s\S]*A pre-push hook/,
    ],
  ])('fails against %s with a hint on what to do', async (_, spoil, said) => {
    const { world, ...run } = await withWork();
    spoil(world);
    expect(messageOf(await run.publish('push'))).toMatch(said);
  });

  it('fails on a remote that wants a password, without prompting', async () => {
    const { world, ...run } = await withWork();
    const { createServer } = await import('node:http');
    const server = createServer((_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    world.git('remote', 'add', 'origin', `http://127.0.0.1:${port}/shop.git`);
    try {
      expect(messageOf(await run.publish('push'))).toMatch(/origin denies Bosun access\n[\s\S]*without a prompt/);
    } finally {
      server.close();
    }
  });
});

describe('a pull request', () => {
  function playGh(script: string): string {
    const folder = tempFolder();
    const said = join(folder, 'said');
    writeFileSync(
      join(folder, 'gh'),
      `#!/bin/sh\nfor a in "$@"; do printf '%s|' "$a" >> '${said}'; done\necho >> '${said}'\n${script}\n`,
      {
        mode: 0o755,
      },
    );
    vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
    return said;
  }

  async function asked(
    url?: string,
    more: Partial<CheckoutSite> = {},
    text?: string,
  ): Promise<{ readonly note: string | null; readonly world: World }> {
    const { world, ...run } = await given(undefined, more);
    await run.prepare({ deliver: 'pr' });
    world.write('made.txt', 'one\n');
    await run.deliver('work', ['claude']);
    const remote = addRemote(world);
    if (url !== undefined) {
      world.git('remote', 'set-url', 'origin', url);
      world.git('config', `url.${remote}.pushInsteadOf`, url);
    }
    try {
      return { note: noteOf(await run.publish('pr', text)), world };
    } finally {
      vi.unstubAllEnvs();
    }
  }

  it('is opened with the run’s title and text, and its URL is reported', async () => {
    const said = playGh('[ "$1" = auth ] && exit 0; echo https://example.com/pull/7');
    expect((await asked()).note).toBe(
      `1 commit, 1 file +1 −0, on the branch ${name}, pushed to origin\nhttps://example.com/pull/7`,
    );
    expect(readFileSync(said, 'utf8').split('\n')[1]).toBe(
      `pr|create|--head|${name}|--base|main|--title|Fix the page|--body|All of it.|`,
    );
  });

  it('names the run’s page and who made its commits, and cuts a long text between words', async () => {
    const said = playGh('[ "$1" = auth ] && exit 0; echo https://example.com/pull/7');
    const agents = [{ kind: 'claude', coAuthor: 'Claude <noreply@anthropic.com>' }];
    const page = 'https://bosun.example/runs/r1';
    await asked(undefined, { agents, page }, 'words '.repeat(4_000));
    const [, body = ''] = readFileSync(said, 'utf8').split('|--body|');
    expect(body).toMatch(
      / words…\n\nBosun: https:\/\/bosun\.example\/runs\/r1\nCo-authored-by: Claude <noreply@anthropic\.com>\|/,
    );
    expect(body.length).toBeLessThan(20_200);
  });

  it('is reported if it already exists', async () => {
    playGh(
      '[ "$1" = auth ] && exit 0; echo "a pull request for it already exists:\nhttps://example.com/pull/6" >&2; exit 1',
    );
    expect((await asked()).note).toContain('\nhttps://example.com/pull/6');
  });

  it('reports a refusal, with the branch pushed and the password in the URL hidden', async () => {
    playGh('[ "$1" = auth ] && exit 0; echo "no access for https://ada:s3cret@example.com" >&2; exit 1');
    const { note } = await asked();
    expect(note).toMatch(
      /^refused: bosun\/r1-.* is pushed, but creating the pull request failed: no access for https:\/\/example/,
    );
  });

  it('is left to a person if `gh` is not logged in, with a note', async () => {
    playGh('exit 1');
    expect((await asked()).note).toContain(
      'pushed to origin\nCould not open a pull request: `gh` is not logged in. Open a pull request there.',
    );
  });

  it.each([
    ['git@git.example.org:shop/web.git', null, '`gh` is not logged in to git.example.org'],
    ['git@github.com:shop/web.git', 'https://github.com/shop/web/compare/', '`gh` is not logged in to github.com'],
    // That program is not for this host.
    ['git@gitlab.com:shop/web.git', 'https://gitlab.com/shop/web/-/merge_requests/new', null],
  ])('for %s is left to a person, with the reason and the page to open', async (url, page, why) => {
    playGh('exit 1');
    try {
      const words = { branch: 'made', base: 'main', title: 'Fix', text: '', page: null };
      const said = await requestPull({ folder: tempFolder(), url, ...words });
      expect(said).toMatchObject({ kind: 'by_hand', why, page: page && expect.stringContaining(page) });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('is left to a person if `gh` is not installed, with a note', async () => {
    // Git alone, without whatever else is on this machine.
    const folder = tempFolder();
    for (const name of ['git', 'sh'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(folder, name));
    vi.stubEnv('PATH', folder);
    expect((await asked()).note).toContain(
      'Could not open a pull request: `gh` is not installed. Open a pull request there.',
    );
  });
});

describe('a crash of a run on its own branch', () => {
  it('between checkout and report is recovered by preparing again', async () => {
    const { world, ...run } = await given();
    await run.prepare();
    const again = await run.prepare();
    expect(again).toMatchObject({ ok: true, branch: { name, base: 'main', folder: null } });
    expect(onBranch(world)).toBe(name);
  });

  it('while files are restored is recovered: files already restored do not count as a person’s changes', async () => {
    const { world, ...run } = await given();
    await run.prepare();
    world.write('made.txt', 'one\n');
    world.write('README.md', 'work\n');
    await run.deliver();
    // One file is as the base has it, the other one is not yet.
    writeFileSync(join(world.root, '.git', 'bosun-leaving'), '');
    writeFileSync(join(world.root, 'README.md'), 'shop\n');
    expect(await run.leave()).toMatchObject({ ok: true });
    expect([onBranch(world), world.git('status', '--porcelain')]).toEqual(['main', '']);
    expect(existsSync(join(world.root, '.git', 'bosun-leaving'))).toBe(false);
  });
});

describe('a branch that a step proposed', () => {
  const proposed = (name: string) => ({ id: 'r1-op1', kind: 'branch', chain: '', name }) as const;

  it('is created under a name that git accepts, and delivered and left as any other', async () => {
    const { world, ...run } = await given();
    const made = { ok: true, base: 'main', branch: { name: 'feature/count', base: 'main', folder: null } };
    expect(await run.work(proposed('`feature//count`'))).toMatchObject(made);
    expect(onBranch(world)).toBe('feature/count');
    world.write('made.txt', 'one\n');
    expect(await run.deliver('feat: US-001 - Count')).toMatchObject({ ok: true, onBranch: 'feature/count' });
    expect(noteOf(await run.publish('branch'))).toBe('1 commit, 1 file +1 −0, on the branch feature/count');
    await run.leave();
    expect([onBranch(world), world.git('log', '-1', '--format=%s', 'feature/count')]).toEqual([
      'main',
      'feat: US-001 - Count',
    ]);
  });

  it('is made once, also if Bosun dies before it has heard of it', async () => {
    const { world, ...run } = await given();
    await run.work(proposed('feature/count'));
    expect(await run.work(proposed('feature/count'))).toMatchObject({
      branch: { name: 'feature/count', base: 'main' },
    });
    expect(world.git('branch', '--list', 'feature/*')).toMatch(/^\* feature\/count$/);
  });

  it('gets another name where that one is taken, and says so', async () => {
    const { world, ...run } = await given();
    world.git('branch', 'feature/count');
    const result = await run.work(proposed('feature/count'));
    expect([onBranch(world), noteOf(result)]).toEqual([
      'feature/count-2',
      'The branch feature/count was taken: the run works on feature/count-2.',
    ]);
    world.git('branch', 'hotfix');
    const other = await given();
    other.world.git('branch', 'hotfix');
    await other.work(proposed('hotfix/cart'));
    expect(onBranch(other.world)).toBe('hotfix-cart');
  });

  it('is the one checked out, if it is named or nothing usable is proposed', async () => {
    const { world, ...run } = await given();
    for (const name of ['main', '…']) expect(await run.work(proposed(name))).toMatchObject({ ok: true, base: 'main' });
    expect(onBranch(world)).toBe('main');
  });
});

describe('the commit of a step’s work', () => {
  const agents = [{ kind: 'claude', coAuthor: 'Claude <noreply@anthropic.com>' }, { kind: 'codex' }];
  const git = { remote: null, base: null, largeFileBytes: 1_000_000 };
  const deliver = { id: 'r1-op1', kind: 'deliver', chain: '', message: 'Count\n\nIt counts.' } as const;

  it.each([
    [
      true,
      ['claude', 'codex'],
      /^Count\n\nIt counts\.\n\nCo-authored-by: Claude <noreply@anthropic\.com>\nBosun: r1-op1/,
    ],
    [false, ['claude'], /^Count\n\nIt counts\.\n\nBosun: r1-op1/],
    [true, [], /^Count\n\nIt counts\.\n\nBosun: r1-op1/],
  ])('names its agents if the project wants that (%j, %j)', async (coAuthor, kinds, message) => {
    const { world, ...run } = await given();
    world.write('made.txt', 'one\n');
    const project = { git: { ...git, coAuthor }, worktree: { setup: null, link: null } };
    expect(await workOnCheckout({ ...run.site(), project, agents }, { ...deliver, agents: kinds })).toMatchObject({
      ok: true,
      onBranch: 'main',
    });
    expect(world.git('log', '-1', '--format=%B')).toMatch(message);
  });
});

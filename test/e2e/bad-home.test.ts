// The same for what people write, say too much of, and keep Bosun's own things on.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { perform, requestSchema } from '../../src/bot/index.js';
import { openApp } from '../../src/cli/app.js';
import { emptyPlan } from '../../src/dispatch/index.js';
import { connect, setPragma } from '../../src/store/file/connection.js';
import { bosun, start } from '../cli/given.js';
import { givenWorld, oneAgent, tempFolder } from '../dispatch/given.js';
import { itWhere } from '../it-where.js';
import { openHome } from '../open-home.js';
import { aMessage } from '../store/values.js';
import { given, good, longMs, opened, seen } from './stage.js';

/** Without it the store's own tests still fill a database that is limited. */
const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-mount-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0;
  if (isMounted) execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
  rmdirSync(folder);
  return isMounted;
})();

describe('a broken workflow file', () => {
  const broken = 'workflow: mine\nversion: 1\nchain:\n  - id: build\n    kind: tusk\n  - id: build\n';

  it('is refused with file, line and column, and starts no run', async () => {
    const stage = await given();
    stage.world.write('.ai/workflows/mine.yaml', broken);
    await expect(stage.run('Add it', 'mine')).rejects.toMatchObject({
      code: 'bad_workflow',
      message: expect.stringMatching(/mine:5:\d+: .*"kind"/),
    });
    expect(await stage.say('start shop with mine: add it')).toMatch(/mine:5:\d+: .*"kind"[\s\S]*mine:6:\d+: /);
    expect(stage.app.runtime.store.runs(null, 10, null)).toEqual([]);
    await stage.run('Add it', 'one');
    expect(stage.status().run).toMatchObject({ status: 'completed' });
  });

  it('that is a dangling symlink is reported as not accepted, and the chat keeps answering', async () => {
    const stage = await given();
    symlinkSync('nowhere', join(stage.world.root, '.ai/workflows/odd.yaml'));
    expect(await stage.say('start shop with odd: add it')).toContain(
      'The workflow "odd" is not in force: .ai/workflows/odd.yaml cannot be used, it is a link, or cannot be read',
    );
    expect(stage.app.runtime.store.pendingInbox()).toEqual([]);
    expect(await stage.say('projects')).toContain('shop');
  });
});

describe('a broken config.yaml', () => {
  const bad =
    'executors: { agent: { kind: command, run: [sh] } }\nprojcts: { shop: { root: / } }\nprojects:\n  shop: { rot: "/srv" }\n';

  it('prevents startup with its place, a suggested key and the number of further errors', async () => {
    const world = givenWorld(good, bad);
    await expect(openApp({ home: world.home, work: true })).rejects.toMatchObject({ code: 'bad_config' });
    const { code, err } = await bosun(['say', 'projects'], { home: world.home.dir });
    expect(code).toBe(1);
    expect(err).toMatch(
      /^error: bad_config: .*config\.yaml:2:1: unknown key "projcts"; did you mean "projects"\? \(and 2 more\)\. Fix .*config\.yaml/,
    );
    expect(err.trim().split('\n')).toHaveLength(1);
    world.configure(oneAgent);
    expect((await bosun(['say', 'projects'], { home: world.home.dir })).out).toContain('shop: idle');
  });

  it('is refused while Bosun runs, which keeps the old config until the file is fixed', async () => {
    const stage = await given();
    stage.world.configure(bad);
    await vi.waitUntil(() => stage.log.length > 0, { timeout: longMs, interval: 5 });
    expect(stage.log.join('\n')).toMatch(
      /config\.yaml is invalid, so the previous version stays in force: .*config\.yaml:2:1: /,
    );
    await stage.run('Add it');
    expect(stage.status().run).toMatchObject({ status: 'completed' });
    stage.world.configure(oneAgent.replace('root:', 'aliases: [S], root:'));
    await vi.waitUntil(() => stage.app.config().projects[0]?.aliases.length === 1, { timeout: longMs, interval: 5 });
    expect(await stage.say('status S')).toContain('shop: done');
  });
});

describe('the home folder', () => {
  const said = (home: string, ...words: readonly string[]) => bosun(['say', ...words], { home });

  it('is reported with a remedy when it cannot be written', async () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    for (const home of ['/proc/bosun', join(file, 'home'), file]) {
      const { code, err } = await said(home, 'projects');
      expect(code).toBe(1);
      expect(err).toMatch(new RegExp(`^error: (disk|bad_config): .*${home}.*--home`));
    }
  });

  itWhere(canMount, 'this user may not mount')(
    'is reported when it becomes read-only, and works again once it is writable',
    async () => {
      const disk = tempFolder();
      mountSmall(disk);
      const home = join(disk, 'home');
      const remount = (how: string) => execFileSync('mount', ['-o', `remount,${how}`, disk], { stdio: 'ignore' });
      expect((await said(home, 'projects')).code).toBe(0);
      remount('ro');
      const { code, err } = await said(home, 'projects');
      expect(code).toBe(1);
      expect(err).toMatch(new RegExp(`^error: disk: .*${home}/.*EROFS`));
      remount('rw');
      expect((await said(home, 'projects')).code).toBe(0);
    },
  );

  it('with the database of a newer Bosun is refused and left unchanged', async () => {
    const world = givenWorld(good);
    expect((await said(world.home.dir, 'projects')).code).toBe(0);
    const db = connect(world.home.dbPath);
    setPragma(db, 'user_version', 999);
    db.close();
    const before = readFileSync(world.home.dbPath);
    const { code, err } = await said(world.home.dir, 'projects');
    expect(code).toBe(1);
    expect(err).toMatch(/^error: bad_database: .*bosun\.db has version 999.*update Bosun/);
    expect(readFileSync(world.home.dbPath).equals(before)).toBe(true);
  });

  it('with a garbage database is refused and kept, and works with a new one', async () => {
    const world = givenWorld(good);
    writeFileSync(world.home.dbPath, 'this is no database, but somebody may want it back'.repeat(100));
    const before = readFileSync(world.home.dbPath);
    const { code, err } = await said(world.home.dir, 'projects');
    expect(code).toBe(1);
    expect(err).toMatch(/^error: bad_database: .*bosun\.db: is damaged or not a Bosun database.*[mM]ove .*away/);
    expect(readFileSync(world.home.dbPath).equals(before)).toBe(true);
    renameSync(world.home.dbPath, `${world.home.dbPath}.away`);
    expect((await said(world.home.dir, 'projects')).code).toBe(0);
  });

  it('in use refuses a second Bosun with the pid of the first, and is free once that one was killed', async () => {
    const world = givenWorld(good);
    const first = await start(['up', '--port', '0'], { home: world.home.dir });
    await first.line(/^ready /);
    const second = await start(['up', '--port', '0'], { home: world.home.dir });
    const { code, err } = await second.ended;
    expect(code).toBe(3);
    expect(err).toContain(`error: busy_home: Bosun is already running in ${world.home.dir}: pid ${first.child.pid}`);
    expect((await said(world.home.dir, 'projects')).out).toContain('shop: idle');
    first.child.kill('SIGKILL');
    await first.ended;
    expect((await said(world.home.dir, 'status', 'shop')).out).toContain('idle');
  });

  itWhere(canMount, 'this user may not mount')(
    'on a full disk refuses input, keeps its data and works again once there is space',
    async () => {
      const disk = tempFolder();
      mountSmall(disk);
      const world = givenWorld(good);
      const home = openHome(join(disk, 'home'));
      writeFileSync(home.configPath, readFileSync(world.home.configPath));
      const stage = await opened({ ...world, home });
      await stage.run('Add it');
      const { runs, audit } = {
        runs: stage.app.runtime.store.runs(null, 10, null),
        audit: stage.app.runtime.store.auditBreak(),
      };
      fill(join(disk, 'filler'));
      for (const text of [`shop: ${'x'.repeat(50_000)}`, 'shop: another task']) {
        await expect(stage.say(text)).rejects.toMatchObject({
          code: 'disk',
          message: expect.stringContaining(home.dbPath),
          hint: expect.stringContaining('free some space'),
        });
      }
      // More than one flush takes, so that whoever waits looks while some of them are still to come.
      const refused = Array.from({ length: 250 }, () =>
        stage.app.runtime.submit(() => ({ ...emptyPlan, messages: [aMessage('local', 'x'.repeat(10_000))] })),
      );
      const waiting = stage.app.runtime.whenAtRest(null, longMs);
      for (const one of await Promise.allSettled(refused)) expect(one).toMatchObject({ reason: { code: 'disk' } });
      expect(await waiting).toBe(true);
      expect(stage.app.runtime.store.runs(null, 10, null)).toEqual(runs);
      rmSync(join(disk, 'filler'));
      expect(await stage.say('status shop')).toContain('shop: done');
      await stage.run('Add more');
      expect(stage.status().run).toMatchObject({ id: 'r2', status: 'completed' });
      expect([audit, stage.app.runtime.store.auditBreak()]).toEqual([null, null]);
    },
  );
});

function mountSmall(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' });
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
  });
}

function fill(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  for (let bytes = 4_000_000; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    try {
      writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      // Full for this size: the next one is smaller.
    }
  }
}

describe('a flood', () => {
  it('of text in one message is shortened with the whole in a file, or refused as too long', async () => {
    const stage = await given();
    const task = `Add ${'ordér '.repeat(16_000)}`.slice(0, 9_000).trim();
    await stage.say(`shop: ${task}`);
    const [card] = stage.messages().slice(-1);
    expect(card?.view.text.length).toBeLessThan(4_000);
    expect(card?.view.file?.text).toContain(task);
    expect(stage.status()).toMatchObject({ run: { status: 'draft' }, interactions: [{ kind: 'confirm' }] });
    expect(() => requestSchema.parse({ do: 'say', text: 'x'.repeat(100_001) })).toThrow();
    await stage.press('cancel');
    const runs = stage.app.runtime.store.runs(null, 10, null);
    for (const flood of ['x'.repeat(100_000), `shop: ${'x '.repeat(49_000)}`, 'a\n'.repeat(50_000)])
      expect(await stage.say(flood)).toContain('That message is too long');
    expect(stage.app.runtime.store.runs(null, 10, null)).toEqual(runs);
    expect(await stage.say('projects')).toContain('shop');
  });

  it('of a thousand messages at once is answered once each', async () => {
    const stage = await given();
    const texts = Array.from({ length: 1_000 }, (_, at) => (at % 2 === 0 ? 'projects' : 'status shop'));
    const answers = await Promise.all(
      texts.map((text) => perform(stage.app, requestSchema.parse({ do: 'say', text }))),
    );
    expect(answers.every(({ messages, exit }) => messages.length === 1 && exit === 0)).toBe(true);
    expect(new Set(answers.map(({ messages }) => messages[0]?.id)).size).toBe(1_000);
    expect(stage.app.runtime.store.pendingInbox()).toEqual([]);
    await stage.run('Add it');
    expect(stage.status().run).toMatchObject({ status: 'completed' });
  });

  it('of agent output is kept up to a limit, and its end is shown', async () => {
    const stage = await given(
      'yes "a line of output that goes on and on" | head -c 60000000; echo; echo "the very last words"; exit 3',
    );
    await stage.run('Add it');
    expect(seen(stage)).toContain('the very last words');
    const [row] = stage.app.runtime.store.attempts('r1', stage.status().nodes[0]?.id ?? '');
    expect(statSync(row?.attempt.logPath ?? '').size).toBeLessThan(25_000_000);
  });
});

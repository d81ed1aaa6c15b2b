// Copies of the database as docs/operations.md says to make them, and databases that are not this Bosun's.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { readLock } from '../../src/config/home/lock.js';
import { bosun, errorLine, newFolder, start } from '../cli/given.js';
import { openHome } from '../open-home.js';
import { openStore } from '../open-store.js';
import { textOf } from './given.js';

const page = textOf('docs/operations.md');

/** The statement of the page, as its shell line would hand it to SQLite. */
function copyStatement(to: string): string {
  const [, statement = ''] = /sqlite3 bosun\.db "(VACUUM INTO '[^']+')"/.exec(page) ?? [];
  return statement.replace(/'[^']+'/, `'${to}'`);
}

/** A home from a copy: the database, and the files that the page names beside it. */
function restored(home: string, copy: string): string {
  const [, named = ''] = /cp -p ([\w. ]+) copies\//.exec(page) ?? [];
  const files = named.split(' ');
  expect(files).toEqual(['config.yaml', 'secret', 'token']);
  const again = join(newFolder(), 'again');
  mkdirSync(again, { mode: 0o700 });
  for (const file of files) copyFileSync(join(home, file), join(again, file));
  copyFileSync(copy, join(again, 'bosun.db'));
  return again;
}

function onDatabase(home: string, sql: string): void {
  const db = new Sqlite(join(home, 'bosun.db'));
  db.exec(sql);
  db.close();
}

describe('a backup taken while Bosun runs', { timeout: 60_000 }, () => {
  it('is consistent, keeps the home id, and resumes from its moment', async () => {
    const home = join(newFolder(), 'home');
    const up = await start(['up', '--port', '0'], { home, env: { DEMO_DELAY_MS: '100' } });
    await up.line(/^ready /);
    expect((await bosun(['say', 'continue demo'], { home })).code).toBe(0);
    const db = new Sqlite(join(home, 'bosun.db'));
    const running = db.prepare(`SELECT count(*) FROM jobs WHERE state = 'leased'`).pluck();
    await expect.poll(() => running.get(), { timeout: 20_000, interval: 20 }).toBe(1);
    const copy = join(newFolder(), 'copy.db');
    db.exec(copyStatement(copy));
    db.close();
    up.child.kill('SIGTERM');
    await up.ended;

    const again = restored(home, copy);
    const verified = await bosun(['verify'], { home: again });
    expect(verified).toMatchObject({ code: 0, out: 'ok: 1 run, the event chain is intact\n' });
    expect(openHome(again).homeId).toBe(openHome(home).homeId);
    // What ran at that moment is taken up.
    const next = await start(['up', '--port', '0'], { home: again });
    await next.line(/^ready /);
    await expect
      .poll(async () => (await bosun(['inbox'], { home: again })).out, { timeout: 20_000, interval: 200 })
      .toContain('US-001 Order history');
    next.child.kill('SIGTERM');
    expect(await next.ended).toMatchObject({ code: 0 });
  });
});

describe('the documented command for a home’s name in Redis', () => {
  it('prints the home id', () => {
    const home = openHome(join(newFolder(), 'home'));
    const [, line = ''] = /`(echo h\$\(.*?\))` prints/.exec(page) ?? [];
    expect(execFileSync('sh', ['-c', line], { cwd: home.dir, encoding: 'utf8' }).trim()).toBe(home.homeId);
  });
});

/** A home that a Bosun has used, with nothing in it. */
function usedHome(): string {
  const { dir, dbPath, configPath, homeId } = openHome(join(newFolder(), 'home'));
  writeFileSync(configPath, 'web: { port: 0 }\n', { mode: 0o600 });
  openStore(dbPath, { homeId }).close();
  return dir;
}

describe('a database', () => {
  it('of a newer version is refused with the documented error, and left unchanged', async () => {
    const home = usedHome();
    onDatabase(home, 'PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)');
    const before = readFileSync(join(home, 'bosun.db'));
    for (const args of [['up', '--port', '0'], ['verify']]) {
      const refused = await bosun(args, { home });
      expect(refused.code).toBe(1);
      expect(errorLine(refused)).toMatch(
        /^error: bad_database: \S+ has version 99, this Bosun knows versions up to \d+\. update Bosun/,
      );
    }
    expect(page).toMatch(/`error: bad_database: … has version \d+, this Bosun knows versions up to \d+`/);
    expect(readFileSync(join(home, 'bosun.db')).equals(before)).toBe(true);
    expect(readLock(openHome(home))).toBeNull();
  });

  it('with Litestream’s own tables is read and written as usual', async () => {
    const home = usedHome();
    onDatabase(
      home,
      'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); CREATE TABLE _litestream_lock (id INTEGER)',
    );
    expect((await bosun(['say', 'help'], { home })).code).toBe(0);
    const verified = await bosun(['verify'], { home });
    expect(verified).toMatchObject({ code: 0, out: 'ok: 0 runs, the event chain is intact\n' });
  });
});

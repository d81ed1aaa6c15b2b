// Checkpoints by a thread of their own, on real files: the event loop goes on, and the WAL begins anew.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Sqlite from 'better-sqlite3';
import { buildSync } from 'esbuild';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkpointSettings, checkpoints } from '../../src/store/file/checkpoints.js';
import { fileGate } from '../../src/store/file/file-gate.js';
import { openWriter } from '../../src/store/open-store.js';
import { tempFolder } from './given.js';

const sizes = { ...checkpointSettings, pages: 60, fewPages: 10, lastPages: 40, maxPages: 600 };

function openWithCheckpoints(threadFile = checkpointSettings.threadFile) {
  const path = join(tempFolder(), 'bosun.db');
  const db = openWriter(path, {});
  db.exec('CREATE TABLE lines (n INTEGER PRIMARY KEY, body TEXT)');
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const own = checkpoints(db, path, { ...sizes, threadFile });
  onTestFinished(() => {
    own.close();
    db.close();
  });
  const insert = db.prepare('INSERT INTO lines (body) VALUES (?)');
  const wal = db.prepare<[], { log: number; checkpointed: number }>('PRAGMA wal_checkpoint(NOOP)');
  const size = () => wal.get() ?? { log: 0, checkpointed: 0 };
  const write = (times: number) => {
    for (let time = 0; time < times; time += 1) {
      insert.run('x'.repeat(3_000));
      own.committed();
    }
  };
  const rest = () => vi.waitFor(() => expect(own.isAtWork()).toBe(false), { timeout: 10_000, interval: 5 });
  return { path, db, own, write, size, rest };
}

test('a long WAL is checkpointed by the thread, and begins anew with the next commit', async () => {
  const { path, own, write, size, rest } = openWithCheckpoints();
  write(5);
  expect(own.isAtWork()).toBe(false);
  const before = statSync(path).size;
  while (!own.isAtWork()) write(1);
  // Nothing has run in this thread: SQLite's own checkpoint would have.
  expect(size().checkpointed).toBe(0);
  await rest();
  expect(size().log).toBe(size().checkpointed);
  expect(statSync(path).size).toBeGreaterThan(before + 20 * 3_000);
  write(1);
  expect(size().log).toBeLessThan(10);
});

test('a writer that never pauses does not make the WAL grow without end', async () => {
  const { write, size } = openWithCheckpoints();
  let longest = 0;
  for (let turn = 0; turn < 300; turn += 1) {
    write(10);
    longest = Math.max(longest, size().log);
    await new Promise((resolve) => setImmediate(resolve));
  }
  // 3,000 commits wrote ten times as many pages.
  expect(longest).toBeLessThan(1_500);
});

test('a reader that holds the WAL back makes a checkpoint wait for as many pages again', async () => {
  const { path, own, write, size, rest } = openWithCheckpoints();
  const reader = new Sqlite(path, { readonly: true });
  write(10);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM lines').get();
  write(30);
  await rest();
  expect(size().checkpointed).toBeLessThan(size().log);
  const { log } = size();
  write(1);
  expect(own.isAtWork()).toBe(false);
  reader.exec('COMMIT');
  reader.close();
  while (!own.isAtWork()) write(1);
  expect(size().log).toBeGreaterThan(log);
  await rest();
  expect(size().checkpointed).toBe(size().log);
});

test('once the thread has died, commits checkpoint as SQLite does by default', async () => {
  const { own, write, size, rest } = openWithCheckpoints(() => new URL('data:text/javascript,process.exit(1)'));
  write(40);
  expect(own.isAtWork()).toBe(true);
  await rest();
  write(100);
  expect(own.isAtWork()).toBe(false);
  expect(size().log).toBeLessThan(2 * sizes.pages);
});

test('a thread that cannot be started leaves checkpoints to the commits', () => {
  const { own, write, size } = openWithCheckpoints(() => new URL('https://example.invalid/thread.js'));
  write(100);
  expect(own.isAtWork()).toBe(false);
  expect(size().log).toBeLessThan(2 * sizes.pages);
});

test('a backup put in the place of the database does not get the WAL of the former file', async () => {
  const { path, write, rest } = openWithCheckpoints();
  const backup = readFileSync(path);
  renameSync(path, `${path}.away`);
  writeFileSync(path, backup);
  write(40);
  await rest();
  expect(readFileSync(path).equals(backup)).toBe(true);
});

test('closing waits for the thread, and the last connection removes the WAL', async () => {
  const { path, db, own, write, rest } = openWithCheckpoints();
  write(80);
  await rest();
  while (!own.isAtWork()) write(1);
  own.close();
  db.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  const read = new Sqlite(path, { readonly: true });
  expect(read.prepare('SELECT count(*) FROM lines').pluck().get()).toBeGreaterThan(80);
  expect(read.prepare('PRAGMA integrity_check').pluck().get()).toBe('ok');
  read.close();
});

test('a writer killed with SIGKILL among checkpoints has lost no commit that it reported', async () => {
  const folder = tempFolder();
  const script = join(folder, 'writer.cjs');
  const root = join(import.meta.dirname, '../..');
  buildSync({
    ...{ entryPoints: [join(import.meta.dirname, 'fixtures/checkpointing-writer.ts')], outfile: script },
    ...{ bundle: true, platform: 'node', format: 'cjs', external: ['better-sqlite3'], logLevel: 'error' },
  });
  const path = join(folder, 'bosun.db');
  const thread = checkpointSettings.threadFile().href;
  const env = { ...process.env, NODE_PATH: join(root, 'node_modules') };
  for (const commits of [330, 700, 1_234]) {
    const child = spawn(process.execPath, [script, path, thread], { stdio: ['ignore', 'pipe', 'inherit'], env });
    let said = 0;
    let lines = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      said = Number(line);
      lines += 1;
      // The file grows by checkpoints alone.
      if (lines >= commits && statSync(path).size > said * 1_000) child.kill('SIGKILL');
    }
    const read = new Sqlite(path);
    expect(read.prepare('PRAGMA integrity_check').pluck().get()).toBe('ok');
    expect(Number(read.prepare('SELECT max(n) FROM lines').pluck().get())).toBeGreaterThanOrEqual(said);
    expect(read.prepare('SELECT count(*) = max(n) FROM lines').pluck().get()).toBe(1);
    read.close();
  }
});

test('the content of the file is inspected after a checkpoint, not during it', () => {
  const path = join(tempFolder(), 'bosun.db');
  writeFileSync(path, 'one');
  let isWriting = true;
  const inspect = vi.fn<() => void>();
  const gate = fileGate(path, { inspect, isWriting: () => isWriting, onFailure: () => undefined });
  gate.begin(statSync(path).size);
  writeFileSync(path, 'two and more');
  gate.check();
  expect(inspect).not.toHaveBeenCalled();
  isWriting = false;
  gate.check();
  expect(inspect).toHaveBeenCalledTimes(1);
});

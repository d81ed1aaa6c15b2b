// The ceiling: better-sqlite3 alone, WAL and synchronous FULL, one small transaction after the other.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';

export function measureCommits(count = 3_000) {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-'));
  const db = new Database(join(folder, 'bare.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE step (id INTEGER PRIMARY KEY, state TEXT, body TEXT) STRICT');
  const insert = db.prepare('INSERT INTO step (state, body) VALUES (?, ?)');
  const body = JSON.stringify({ text: 'x'.repeat(300) });
  const commit = db.transaction(() => insert.run('passed', body));
  for (let index = 0; index < 200; index++) commit.immediate();
  const started = performance.now();
  for (let index = 0; index < count; index++) commit.immediate();
  const perSecond = (count * 1000) / (performance.now() - started);
  db.close();
  rmSync(folder, { recursive: true, force: true });
  return perSecond;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

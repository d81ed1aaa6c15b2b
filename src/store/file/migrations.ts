// Each migration leads to the next file version. Never edit a released one.
import { closeSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { BosunError } from '../../base/index.js';
import { readPragma, setPragma } from './connection.js';

const base = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots (hash TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;

CREATE TABLE runs (
  id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, project TEXT NOT NULL, status TEXT NOT NULL,
  unfinished INTEGER NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE INDEX runs_by_project ON runs (project, number);
CREATE INDEX runs_live ON runs (project, number) WHERE status IN ('running', 'paused');
CREATE INDEX runs_draft ON runs (project, number) WHERE status = 'draft';
CREATE INDEX runs_unfinished ON runs (number) WHERE unfinished = 1;

CREATE TABLE items (
  run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, key TEXT NOT NULL, pos INTEGER NOT NULL,
  status TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE chains (
  run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, key TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE nodes (
  run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, id TEXT NOT NULL, chain TEXT NOT NULL, pos INTEGER NOT NULL,
  state TEXT NOT NULL, live TEXT, last TEXT, body TEXT NOT NULL, PRIMARY KEY (run, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX nodes_by_chain ON nodes (run, chain, pos);

CREATE TABLE attempts (
  id TEXT PRIMARY KEY, run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, chain TEXT NOT NULL, node TEXT NOT NULL,
  state TEXT NOT NULL, checkpoint TEXT, body TEXT NOT NULL
) STRICT;
CREATE INDEX attempts_by_node ON attempts (run, node);
CREATE INDEX attempts_open ON attempts (run) WHERE state IN ('queued', 'running');

CREATE TABLE interactions (
  id TEXT PRIMARY KEY, run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, project TEXT NOT NULL, chain TEXT NOT NULL,
  state TEXT NOT NULL, kind TEXT NOT NULL, opened_at INTEGER NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE INDEX interactions_open ON interactions (run) WHERE state = 'open';
CREATE INDEX interactions_open_in_project ON interactions (project) WHERE state = 'open';

CREATE TABLE events (
  seq INTEGER PRIMARY KEY, run TEXT NOT NULL, chain TEXT NOT NULL, type TEXT NOT NULL, at INTEGER NOT NULL, "by" TEXT,
  payload TEXT NOT NULL, hash TEXT NOT NULL
) STRICT;
CREATE INDEX events_of_run ON events (run, seq);

CREATE TABLE jobs (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, project TEXT NOT NULL, run TEXT NOT NULL, checkout TEXT, grp TEXT,
  priority INTEGER NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE INDEX jobs_open ON jobs (project, state) WHERE state IN ('queued', 'leased');

CREATE TABLE outbox (
  n INTEGER PRIMARY KEY, thread TEXT NOT NULL, run TEXT, interaction TEXT, card TEXT, edits TEXT, at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX outbox_of_thread ON outbox (thread, n);
CREATE INDEX outbox_of_card ON outbox (thread, card, n) WHERE card IS NOT NULL;

CREATE TABLE inbox (
  id INTEGER PRIMARY KEY, source TEXT NOT NULL, external_id TEXT NOT NULL, thread TEXT NOT NULL, "by" TEXT,
  at INTEGER NOT NULL, done INTEGER NOT NULL DEFAULT 0, body TEXT NOT NULL, UNIQUE (source, external_id)
) STRICT;
CREATE INDEX inbox_pending ON inbox (id) WHERE done = 0;

CREATE TABLE threads (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
CREATE TABLE followers (run TEXT NOT NULL, thread TEXT NOT NULL, PRIMARY KEY (run, thread)) STRICT;
`;

const leases = `
ALTER TABLE jobs ADD COLUMN worker TEXT;
ALTER TABLE jobs ADD COLUMN instance TEXT;
ALTER TABLE jobs ADD COLUMN lease_until INTEGER;
`;

const records = `
CREATE TABLE records (
  n INTEGER PRIMARY KEY, run TEXT NOT NULL, chain TEXT NOT NULL, at INTEGER NOT NULL, "by" TEXT, action TEXT NOT NULL,
  label TEXT, template TEXT, details TEXT NOT NULL
) STRICT;
CREATE INDEX records_of_run ON records (run, n);
`;

const definitionDefaults = `'$.call', NULL, '$.args', NULL, '$.freshSession', json('true'), '$.editable', json('false'),
  '$.insertBy', 'anyone', '$.pinLast', json('false'), '$.afterAny', json('[]'), '$.barrier', json('false'),
  '$.needs', NULL, '$.group', NULL, '$.when', NULL, '$.gate', NULL, '$.onAnswer', NULL, '$.team', NULL,
  '$.maxRestarts', 3, '$.over', 'items', '$.parallel', 1, '$.isolate', 'shared', '$.stepTypes', json('[]'),
  '$.onItemDone', NULL`;

/** Unfinished runs continue with defaults. */
const widerRows = `
UPDATE runs SET body = json_remove(json_insert(body,
  '$.ops', CASE json_type(body, '$.op') WHEN 'object' THEN json_array(json_extract(body, '$.op')) ELSE json('[]') END,
  '$.insertionLimit', 100, '$.counters.insertions', 0, '$.oneShot', json('false'), '$.position', NULL, '$.begin', NULL,
  '$.scratch', '', '$.progress', NULL), '$.op');
UPDATE items SET body = json_insert(body, '$.parent', '', '$.complexity', NULL, '$.parallelTags', 0, '$.priority', NULL,
  '$.values', json('{}'), '$.slot', NULL);
UPDATE chains SET body = json_insert(body, '$.scratch', '');
UPDATE nodes SET body = json_insert(body, '$.description', NULL, '$.restarts', 0, '$.retry', 0, '$.args', NULL,
  '$.params', json('{}'), '$.insertedBy', NULL, '$.verdict', NULL);
UPDATE attempts SET body = json_insert(body, '$.team', json('[]'));
UPDATE snapshots SET body = json_set(
  json_insert(body, '$.fragments', json('{}'), '$.survey', NULL, '$.positions', json('[]'), '$.exports', json('["state"]'),
    '$.policy.stopAtDecisions', 'never', '$.policy.adoptLate', json('false'), '$.policy.autoMode', json('false'),
    '$.limits.perItem', 60, '$.limits.insertions', 100, '$.limits.costUsd', NULL),
  '$.chain', (SELECT json_group_array(json_set(json_insert(node.value, ${definitionDefaults}),
    '$.body', (SELECT json_group_array(json_insert(inner.value, ${definitionDefaults}))
      FROM json_each(node.value, '$.body') AS inner)))
    FROM json_each(snapshots.body, '$.chain') AS node));
`;

const spending = `
CREATE TABLE spending (
  project TEXT NOT NULL, day TEXT NOT NULL, usd REAL NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
  PRIMARY KEY (project, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE calls (
  n INTEGER PRIMARY KEY, project TEXT NOT NULL, url TEXT NOT NULL, at INTEGER NOT NULL, state TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0, next_at INTEGER NOT NULL, problem TEXT, body TEXT NOT NULL
) STRICT;
CREATE INDEX calls_waiting ON calls (next_at) WHERE state = 'waiting';
CREATE INDEX calls_failed ON calls (project, n) WHERE state = 'failed';
ALTER TABLE jobs ADD COLUMN not_before INTEGER;

UPDATE runs SET body = json_insert(body, '$.grants', json('[]'), '$.purse', NULL, '$.finishing', NULL,
  '$.deliver', 'commit', '$.branch', NULL);
UPDATE attempts SET body = json_insert(body, '$.session', NULL, '$.resumes', NULL, '$.asks', json('[]'),
  '$.denied', json('[]'), '$.notBefore', NULL, '$.retryAt', NULL, '$.program', NULL);
INSERT INTO spending SELECT run.project, date(json_extract(attempt.body, '$.endedAt') / 1000, 'unixepoch', 'localtime'),
    total(json_extract(attempt.body, '$.costUsd')), cast(total(json_extract(attempt.body, '$.tokensIn')) AS INTEGER),
    cast(total(json_extract(attempt.body, '$.tokensOut')) AS INTEGER)
  FROM attempts AS attempt JOIN runs AS run ON run.id = attempt.run
  WHERE json_extract(attempt.body, '$.endedAt') IS NOT NULL GROUP BY 1, 2;
`;

const deliveries = `
CREATE TABLE deliveries (
  n INTEGER PRIMARY KEY, channel TEXT NOT NULL, thread TEXT NOT NULL, root TEXT NOT NULL, state TEXT NOT NULL,
  problem TEXT, at INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveries_open ON deliveries (channel, n) WHERE state IN ('waiting', 'sending');
CREATE INDEX deliveries_failed ON deliveries (n) WHERE state = 'failed';
CREATE TABLE posts (
  root TEXT PRIMARY KEY, lane TEXT NOT NULL, place TEXT NOT NULL, ids TEXT NOT NULL, n INTEGER NOT NULL, shown TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE post_ids (
  lane TEXT NOT NULL, id TEXT NOT NULL, root TEXT NOT NULL, PRIMARY KEY (lane, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE lanes (
  channel TEXT NOT NULL, lane TEXT NOT NULL, blocked_until INTEGER NOT NULL, moved_to TEXT,
  PRIMARY KEY (channel, lane)
) STRICT, WITHOUT ROWID;
`;

const roots = `
CREATE TABLE roots (thread TEXT PRIMARY KEY, lane TEXT NOT NULL, root TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX roots_by_place ON roots (lane, root);
CREATE TABLE wants (n INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
ALTER TABLE posts ADD COLUMN channel TEXT NOT NULL DEFAULT 'telegram';
CREATE INDEX posts_by_age ON posts (n);
ALTER TABLE post_ids ADD COLUMN channel TEXT NOT NULL DEFAULT 'telegram';
ALTER TABLE post_ids ADD COLUMN n INTEGER NOT NULL DEFAULT 0;
UPDATE post_ids SET n = coalesce((SELECT posts.n FROM posts WHERE posts.root = post_ids.root), 0);
CREATE INDEX post_ids_by_age ON post_ids (n);
ALTER TABLE deliveries ADD COLUMN told INTEGER NOT NULL DEFAULT 1;
CREATE INDEX deliveries_untold ON deliveries (channel, n) WHERE told = 0;
CREATE INDEX deliveries_open_of_root ON deliveries (root) WHERE state IN ('waiting', 'sending');
`;

const askings = `
CREATE INDEX outbox_of_interaction ON outbox (interaction, n) WHERE interaction IS NOT NULL;
`;

const lookedFor = `
CREATE INDEX runs_by_status ON runs (status, number);
CREATE INDEX runs_by_status_in_project ON runs (project, status, number);
CREATE INDEX events_of_people ON events (seq) WHERE "by" IS NOT NULL;
CREATE INDEX events_of_person ON events ("by", seq) WHERE "by" IS NOT NULL;
`;

const wanted = `
ALTER TABLE jobs ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN extended_ms INTEGER NOT NULL DEFAULT 0;
`;

/** Changes nothing, but stops an earlier Bosun, which would miss the defaults that rows leave out (decision 0083). */
const sparseBodies = '';

/** Files that hold finished runs in place of rows (decision 0077). `first_seq`, `last_seq`: of the events without a row. */
const archives = `
CREATE TABLE archives (
  run TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL,
  first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, at INTEGER NOT NULL, cleared INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX archives_to_clear ON archives (run) WHERE cleared = 0;
CREATE INDEX archives_by_event ON archives (first_seq);
`;

export const migrations: readonly string[] = [
  ...[base, leases, records + widerRows, spending, deliveries, roots, askings],
  ...[lookedFor, wanted, sparseBodies, archives],
];

/** One transaction per step. The only way back is the copy. */
export function migrate(db: Database, path: string): void {
  const found = checkedVersion(db, path);
  if (found > 0 && found < migrations.length) keepCopy(db, path, found);
  for (let version = found; version < migrations.length; version += 1) {
    const step = migrations[version] ?? '';
    db.transaction(() => {
      db.exec(step);
      setPragma(db, 'user_version', version + 1);
    }).immediate();
  }
}

function keepCopy(db: Database, path: string, version: number): void {
  const draft = `${path}.draft`;
  rmSync(draft, { force: true });
  closeSync(openSync(draft, 'wx', 0o600));
  db.prepare('VACUUM INTO ?').run(draft);
  const beginning = `${basename(path)}.version-`;
  for (const name of readdirSync(dirname(path))) {
    if (name.startsWith(beginning)) rmSync(join(dirname(path), name), { force: true });
  }
  renameSync(draft, `${path}.version-${version}`);
}

export function requireCurrent(db: Database, path: string): void {
  if (checkedVersion(db, path) < migrations.length) {
    throw new BosunError('bad_database', `${path} was written by an older Bosun`, {
      hint: 'start this Bosun once so that it brings the database up to date',
    });
  }
}

function checkedVersion(db: Database, path: string): number {
  const version = readPragma(db, 'user_version');
  if (version > migrations.length) {
    throw new BosunError(
      'bad_database',
      `${path} has version ${version}, this Bosun knows versions up to ${migrations.length}`,
      { hint: 'update Bosun, or choose another home with --home' },
    );
  }
  if (version === 0 && db.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() !== undefined) {
    throw new BosunError('bad_database', `${path} is the database of another program`, {
      hint: 'move it away, or choose another home with --home',
    });
  }
  return version;
}

// A thread with its own connection that runs SQLite's checkpoints: they write and sync megabytes, which would block
// the event loop. Plain JavaScript, because a thread starts from a file that Node reads by itself.
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

const { path, dev, ino, state, fewPages, maxPasses } = workerData;
const shared = new Int32Array(state);
/** Opened by the first request and kept: see connection.ts about connections that are collected. */
let open = null;

parentPort.on('message', (order) => {
  if (order === 'close') close();
  else parentPort.postMessage(attempt());
});

/** Never throws: a checkpoint that fails is tried again later, and a damaged file is found by the writer's own checks. */
function attempt() {
  try {
    return { ...checkpoint(), problem: null };
  } catch (error) {
    return { log: 0, checkpointed: 0, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Repeats while the writer adds more than `fewPages` during a pass: only a complete checkpoint lets the WAL begin anew. */
function checkpoint() {
  open ??= connect();
  const run = open.checkpoint;
  let result = run.get();
  for (let pass = 1; pass < maxPasses && result.log - result.checkpointed > fewPages; pass += 1) {
    const { checkpointed } = result;
    result = run.get();
    if (result.checkpointed <= checkpointed) break;
  }
  return result;
}

function connect() {
  const now = statSync(path, { bigint: true });
  // Opening a file that took the database's place would apply the WAL to it.
  if (now.dev !== dev || now.ino !== ino) throw new Error(`${path} was replaced`);
  const db = new Sqlite(path, { fileMustExist: true });
  // The rest of the settings is kept in the file, or concerns only writers.
  db.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
  return { db, checkpoint: db.prepare('PRAGMA wal_checkpoint(PASSIVE)') };
}

function close() {
  try {
    open?.db.close();
  } finally {
    Atomics.store(shared, 0, 1);
    Atomics.notify(shared, 0);
    parentPort.close();
  }
}

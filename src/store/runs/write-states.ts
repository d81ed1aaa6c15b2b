// Writes changed runs. Values are immutable, so one with the same reference is already on disk.
import type { Database } from 'better-sqlite3';
import type { Attempt, Chain, Interaction, Item, Node, Run, State } from '../../engine/index.js';
import { chainBody, nodeBody } from './row-values.js';

export interface StateChange {
  readonly before: State | null;
  readonly after: State;
}

export function stateWriter(db: Database): (changes: readonly StateChange[]) => void {
  const write = statements(db);

  function writeRun(before: Run | null, run: Run): void {
    const body = JSON.stringify(run);
    // The columns are indexed, and most changes of a run leave them alone.
    const unfinished = isUnfinished(run) ? 1 : 0;
    const isSame = before?.status === run.status && (isUnfinished(before) ? 1 : 0) === unfinished;
    if (isSame && write.runBody.run(body, run.id).changes === 1) return;
    write.run.run(run.id, run.number, run.project, run.status, unfinished, body);
  }

  function writeItems(run: string, before: readonly Item[], after: readonly Item[]): void {
    if (before === after) return;
    eachChanged(before, after, keyOf, (item, pos) => {
      write.item.run(run, item.key, pos, item.status, JSON.stringify(item));
    });
    for (const item of missing(before, after, keyOf)) write.dropItem.run(run, item.key);
  }

  function writeChain(run: string, before: Chain | null, chain: Chain): void {
    if (before === chain) return;
    // A chain begins in memory without nodes, so one without nodes may not be on disk yet.
    const isStored = before !== null && before.nodes.length > 0;
    if (!isStored || !isSameButNodes(before, chain)) write.chain.run(run, chain.key, chainBody(chain));
    const nodes = before?.nodes ?? [];
    if (nodes === chain.nodes) return;
    eachChanged(nodes, chain.nodes, idOf, (node, pos, was, wasPos) => {
      writeNode(run, chain.key, node, pos, was, wasPos);
    });
    for (const node of missing(nodes, chain.nodes, idOf)) write.dropNode.run(run, node.id);
  }

  function writeNode(run: string, chain: string, node: Node, pos: number, was: Node | null, wasPos: number): void {
    if (was === node) {
      write.nodePos.run(pos, run, node.id);
      return;
    }
    for (const attempt of [node.last, node.live]) {
      if (attempt !== null && attempt !== was?.live && attempt !== was?.last)
        writeAttempt(run, chain, node.id, attempt);
    }
    const live = node.live?.id ?? null;
    const last = node.last?.id ?? null;
    const body = nodeBody(node);
    const isInPlace = was !== null && pos === wasPos;
    if (isInPlace && write.nodeBody.run(node.state, live, last, body, run, node.id).changes === 1) return;
    write.node.run(run, node.id, chain, pos, node.state, live, last, body);
  }

  function writeAttempt(run: string, chain: string, node: string, attempt: Attempt): void {
    write.attempt.run(attempt.id, run, chain, node, attempt.state, JSON.stringify(attempt));
  }

  function writeInteractions(run: Run, before: readonly Interaction[], after: readonly Interaction[]): void {
    if (before === after) return;
    // Interactions that are no longer in the state were settled earlier; their rows stay.
    eachChanged(before, after, idOf, (it, _pos, was) => {
      if (it === was) return;
      write.interaction.run(it.id, run.id, run.project, it.chain, it.state, it.kind, it.openedAt, JSON.stringify(it));
    });
  }

  return (changes) => {
    for (const { before, after } of lastOfEachRun(changes)) {
      if (before !== after) writeRun(before, after);
    }
    // The rest is written change by change: an attempt or interaction may have come and gone within one transaction.
    for (const { before, after } of changes) {
      const id = after.run.id;
      writeItems(id, before?.items ?? [], after.items);
      writeChain(id, before?.chain.key === after.chain.key ? before.chain : null, after.chain);
      writeInteractions(after.run, before?.interactions ?? [], after.interactions);
    }
  };
}

function isUnfinished({ status, ops }: Run): boolean {
  return status === 'draft' || status === 'running' || status === 'paused' || ops.length > 0;
}

/** Within one transaction only a run's last version needs writing. */
function lastOfEachRun(changes: readonly StateChange[]): Iterable<{ before: Run | null; after: Run }> {
  const runs = new Map<string, { before: Run | null; after: Run }>();
  for (const { before, after } of changes) {
    const known = runs.get(after.run.id);
    if (known === undefined) runs.set(after.run.id, { before: before?.run ?? null, after: after.run });
    else known.after = after.run;
  }
  return runs.values();
}

function eachChanged<T>(
  before: readonly T[],
  after: readonly T[],
  key: (value: T) => string,
  change: (value: T, pos: number, was: T | null, wasPos: number) => void,
): void {
  let places: Map<string, number> | null = null;
  for (const [pos, value] of after.entries()) {
    let wasPos = pos;
    let was = before[pos];
    if (was === value) continue;
    if (was === undefined || key(was) !== key(value)) {
      places ??= new Map(before.map((old, at) => [key(old), at]));
      wasPos = places.get(key(value)) ?? -1;
      was = before[wasPos];
    }
    change(value, pos, was ?? null, wasPos);
  }
}

function missing<T>(before: readonly T[], after: readonly T[], key: (value: T) => string): readonly T[] {
  const isPrefix = before.length <= after.length && before.every((old, at) => keyAt(after, at, key) === key(old));
  if (isPrefix) return [];
  const kept = new Set(after.map(key));
  return before.filter((old) => !kept.has(key(old)));
}

function keyAt<T>(values: readonly T[], at: number, key: (value: T) => string): string | null {
  const value = values[at];
  return value === undefined ? null : key(value);
}

function isSameButNodes(a: Chain, b: Chain): boolean {
  const was = new Map<string, unknown>(Object.entries(a));
  return Object.entries(b).every(([key, value]) => key === 'nodes' || was.get(key) === value);
}

const keyOf = (item: Item) => item.key;
const idOf = (it: { readonly id: string }) => it.id;

function statements(db: Database) {
  return {
    run: db.prepare(
      `INSERT INTO runs (id, number, project, status, unfinished, body) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET status = excluded.status, unfinished = excluded.unfinished, body = excluded.body`,
    ),
    runBody: db.prepare('UPDATE runs SET body = ? WHERE id = ?'),
    item: db.prepare(
      `INSERT INTO items (run, key, pos, status, body) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (run, key) DO UPDATE SET pos = excluded.pos, status = excluded.status, body = excluded.body`,
    ),
    dropItem: db.prepare('DELETE FROM items WHERE run = ? AND key = ?'),
    chain: db.prepare(
      'INSERT INTO chains (run, key, body) VALUES (?, ?, ?) ON CONFLICT (run, key) DO UPDATE SET body = excluded.body',
    ),
    node: db.prepare(
      `INSERT INTO nodes (run, id, chain, pos, state, live, last, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (run, id) DO UPDATE SET chain = excluded.chain, pos = excluded.pos, state = excluded.state,
         live = excluded.live, last = excluded.last, body = excluded.body`,
    ),
    nodeBody: db.prepare('UPDATE nodes SET state = ?, live = ?, last = ?, body = ? WHERE run = ? AND id = ?'),
    nodePos: db.prepare('UPDATE nodes SET pos = ? WHERE run = ? AND id = ?'),
    dropNode: db.prepare('DELETE FROM nodes WHERE run = ? AND id = ?'),
    // Leaves the checkpoint alone: `setCheckpoint` writes it, and it outlives the attempt's changes.
    attempt: db.prepare(
      `INSERT INTO attempts (id, run, chain, node, state, body) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, body = excluded.body`,
    ),
    interaction: db.prepare(
      `INSERT INTO interactions (id, run, project, chain, state, kind, opened_at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, body = excluded.body`,
    ),
  };
}

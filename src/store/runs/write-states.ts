// Writes each changed row once. Values are immutable, so a row with the same reference is on disk.
import type { Database } from 'better-sqlite3';
import type { Attempt, Chain, Interaction, Item, Node, Run, State } from '../../engine/index.js';
import { attemptShape, chainShape, nodeShape, runShape } from './row-shapes.js';

export interface StateChange {
  readonly before: State | null;
  readonly after: State;
}

export function stateWriter(db: Database): (changes: readonly StateChange[]) => void {
  const write = statements(db);

  function writeRun(before: Run | null, run: Run): void {
    const body = runShape.write(run);
    // The columns are indexed, and most changes leave them alone.
    const unfinished = isUnfinished(run) ? 1 : 0;
    const isSame = before?.status === run.status && (isUnfinished(before) ? 1 : 0) === unfinished;
    if (isSame && write.runBody.run(body, run.id).changes === 1) return;
    write.run.run(run.id, run.number, run.project, run.status, unfinished, body);
  }

  function writeItems(run: string, { before, after }: Net<readonly Item[]>): void {
    if (before === after) return;
    const known = before ?? [];
    const gone = eachChanged(known, after, keyOf, (item, pos) => {
      write.item.run(run, item.key, pos, item.status, JSON.stringify(item));
    });
    for (const item of gone) write.dropItem.run(run, item.key);
  }

  function writeChain({ run, before, after: chain }: ChainNet): void {
    if (before === chain) return;
    // A chain without nodes may not be on disk yet.
    const isStored = before !== null && before.nodes.length > 0;
    if (!isStored || !isSameBut('nodes', before, chain)) write.chain.run(run, chain.key, chainShape.write(chain));
    const nodes = before?.nodes ?? [];
    if (nodes === chain.nodes) return;
    const gone = eachChanged(nodes, chain.nodes, idOf, (node, pos, was, wasPos) => {
      writeNode(run, chain.key, node, pos, was, wasPos);
    });
    for (const node of gone) write.dropNode.run(run, node.id);
  }

  function writeNode(run: string, chain: string, node: Node, pos: number, was: Node | null, wasPos: number): void {
    if (was === node) {
      write.nodePos.run(pos, run, node.id);
      return;
    }
    const live = node.live?.id ?? null;
    const last = node.last?.id ?? null;
    const body = nodeShape.write(node);
    const isInPlace = was !== null && pos === wasPos;
    if (isInPlace && write.nodeBody.run(node.state, live, last, body, run, node.id).changes === 1) return;
    write.node.run(run, node.id, chain, pos, node.state, live, last, body);
  }

  return (changes) => {
    const net = netOf(changes);
    for (const { before, after } of net.runs.values()) {
      if (before !== after) writeRun(before, after);
    }
    for (const [run, items] of net.items) writeItems(run, items);
    for (const chain of net.chains.values()) writeChain(chain);
    for (const [id, { run, chain, node, attempt, isKnown }] of net.attempts) {
      const body = attemptShape.write(attempt);
      if (isKnown && write.attemptBody.run(attempt.state, body, id).changes === 1) continue;
      write.attempt.run(id, run, chain, node, attempt.state, body);
    }
    for (const [id, { run, it }] of net.interactions) {
      write.interaction.run(id, run.id, run.project, it.chain, it.state, it.kind, it.openedAt, JSON.stringify(it));
    }
  };
}

/** The value on disk and the one at the transaction's end. */
interface Net<T> {
  readonly before: T | null;
  after: T;
}

interface ChainNet extends Net<Chain> {
  readonly run: string;
}

interface ChangedAttempt {
  readonly run: string;
  readonly chain: string;
  readonly node: string;
  readonly attempt: Attempt;
  readonly isKnown: boolean;
}

interface NetChanges {
  readonly runs: Map<string, Net<Run>>;
  readonly items: Map<string, Net<readonly Item[]>>;
  readonly chains: Map<string, ChainNet>;
  readonly attempts: Map<string, ChangedAttempt>;
  readonly interactions: Map<string, { run: Run; it: Interaction }>;
}

/**
 * Writes only a row's last state. Attempts and interactions come from all states, because one may have come and gone.
 */
function netOf(changes: readonly StateChange[]): NetChanges {
  const net: NetChanges = {
    ...{ runs: new Map(), items: new Map(), chains: new Map(), attempts: new Map(), interactions: new Map() },
  };
  for (const { before, after } of changes) {
    const { run, chain } = after;
    const chainBefore = before?.chain.key === chain.key ? before.chain : null;
    note(net.runs, run.id, before?.run ?? null, run);
    note(net.items, run.id, before?.items ?? null, after.items);
    const key = `${run.id}\n${chain.key}`;
    const known = net.chains.get(key);
    if (known === undefined) net.chains.set(key, { run: run.id, before: chainBefore, after: chain });
    else known.after = chain;
    noteAttempts(net, run.id, chainBefore?.nodes ?? [], chain);
    noteInteractions(net, before?.interactions ?? [], after);
  }
  return net;
}

function note<T>(changes: Map<string, Net<T>>, id: string, before: T | null, after: T): void {
  const known = changes.get(id);
  if (known === undefined) changes.set(id, { before, after });
  else known.after = after;
}

function noteAttempts({ attempts }: NetChanges, run: string, before: readonly Node[], chain: Chain): void {
  if (before === chain.nodes) return;
  eachChanged(before, chain.nodes, idOf, (node, _pos, was) => {
    for (const attempt of [node.last, node.live]) {
      if (attempt === null || attempt === was?.live || attempt === was?.last) continue;
      const { id } = attempt;
      const isKnown = attempts.get(id)?.isKnown ?? (was?.live?.id === id || was?.last?.id === id);
      attempts.set(id, { run, chain: chain.key, node: node.id, attempt, isKnown });
    }
  });
}

function noteInteractions({ interactions }: NetChanges, before: readonly Interaction[], after: State): void {
  if (before === after.interactions) return;
  eachChanged(before, after.interactions, idOf, (it, _pos, was) => {
    if (it !== was) interactions.set(it.id, { run: after.run, it });
  });
}

function isUnfinished({ status, ops, unlanded }: Run): boolean {
  const isUnderWay = status === 'draft' || status === 'running' || status === 'paused';
  return isUnderWay || ops.length > 0 || unlanded === 'waits';
}

/** Calls `change` for new, replaced or moved values; returns the removed ones. */
function eachChanged<T>(
  before: readonly T[],
  after: readonly T[],
  key: (value: T) => string,
  change: (value: T, pos: number, was: T | null, wasPos: number) => void,
): readonly T[] {
  let places: Map<string, number> | null = null;
  for (let pos = 0; pos < after.length; pos += 1) {
    const value = after[pos];
    const same = before[pos];
    if (value === undefined || same === value) continue;
    if (same !== undefined && key(same) === key(value)) {
      change(value, pos, same, pos);
      continue;
    }
    places ??= new Map(before.map((old, at) => [key(old), at]));
    const wasPos = places.get(key(value)) ?? -1;
    change(value, pos, before[wasPos] ?? null, wasPos);
  }
  if (before.length <= after.length && !hasMoved(before, after, places, key)) return [];
  const kept = new Set(after.map(key));
  return before.filter((old) => !kept.has(key(old)));
}

function hasMoved<T>(
  before: readonly T[],
  after: readonly T[],
  places: ReadonlyMap<string, number> | null,
  key: (value: T) => string,
): boolean {
  return places !== null && before.some((old, at) => keyAt(after, at, key) !== key(old));
}

function keyAt<T>(values: readonly T[], at: number, key: (value: T) => string): string | null {
  const value = values[at];
  return value === undefined ? null : key(value);
}

function isSameBut<T extends object>(except: keyof T, a: T, b: T): boolean {
  for (const key in b) if (key !== except && a[key] !== b[key]) return false;
  return true;
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
    // Leaves out the checkpoint, which `setCheckpoint` writes and which outlives the attempt's changes.
    attempt: db.prepare(
      `INSERT INTO attempts (id, run, chain, node, state, body) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, body = excluded.body`,
    ),
    attemptBody: db.prepare('UPDATE attempts SET state = ?, body = ? WHERE id = ?'),
    interaction: db.prepare(
      `INSERT INTO interactions (id, run, project, chain, state, kind, opened_at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, body = excluded.body`,
    ),
  };
}

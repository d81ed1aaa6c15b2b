// A database in which much has happened: ten thousand runs, one of them with 600 nodes and 50,000 events.

import type { Attempt, Chain, Event, Item, Node, State } from '../../src/engine/index.js';
import type { SqliteStore } from '../../src/store/open-store.js';
import type { Batch } from '../../src/store/store.js';
import { batchOf } from '../empty-batch.js';
import { def, item, loop, Player, pass, workflow } from '../engine/builders.js';
import { type Given, given } from './given.js';

const steps = ['context', 'plan', 'code', 'lint', 'test', 'verify'];
const flow = workflow(
  [
    loop(
      'stories',
      steps.map((id) => def(id)),
    ),
  ],
  { name: 'large' },
);

export interface Size {
  readonly runs: number;
  readonly items: number;
  readonly events: number;
}

export async function filled({ runs, items, events }: Size): Promise<Given> {
  const bosun = await given();
  const store = bosun.app.runtime.store as SqliteStore;
  const keys = Array.from({ length: items }, (_, index) => `US-${String(index + 1).padStart(3, '0')}`);
  const player = Player.start(flow, { items: keys.map((key) => item(key)) }).walk(pass, pass, pass, pass, pass, pass);
  const own = statesOf(player, keys);
  const commit = (batch: Partial<Batch>) => void store.commit(batchOf(batch));
  commit({ states: own, events: player.events, snapshots: [{ hash: player.run.snapshot, workflow: flow }] });
  const [first] = own;
  if (!first) throw new Error('no state');
  const others = Array.from({ length: runs }, (_, index) => otherRun(first.after, index + 13));
  commit({ states: others });
  for (let from = 0; from < events; from += 5_000) {
    commit({ events: Array.from({ length: Math.min(5_000, events - from) }, (_, index) => talk(from + index)) });
  }
  return bosun;
}

/** Each item with a chain of its own, as the first one walked it. */
function statesOf(player: Player, keys: readonly string[]): Batch['states'] {
  const model = player.world.chains.get(keys[0] ?? '');
  const root = player.world.chains.get('');
  if (!model || !root) throw new Error('the first item has no chain');
  const items = player.state.items.map(
    (one, index): Item => (index < keys.length / 2 ? { ...one, status: 'done', endedAt: 9_000 } : one),
  );
  const own = Array.from({ length: keys.length * 3 }, (_, index) =>
    copied(model, `of the run ${index}`, keys.length + index),
  );
  const long = { ...root, nodes: [...root.nodes, ...own.flatMap(({ nodes }) => nodes.slice(0, 1))] };
  const chains = [long, ...keys.map((key, index) => copied(model, key, index))];
  return chains.map((chain) => ({ before: null, after: { ...player.state, items, chain } }));
}

/** The first one is the model itself, so that events tell of it. */
function copied(model: Chain, key: string, index: number): Chain {
  const own = (id: string) => (index === 0 ? id : `${id}-${index}`);
  const attempt = (one: Attempt | null) => one && { ...one, id: own(one.id), summary: 'x'.repeat(2_000) };
  const nodes = model.nodes.map((node): Node => ({ ...node, id: own(node.id), last: attempt(node.last), live: null }));
  return { ...model, key, nodes };
}

function otherRun(state: State, number: number): Batch['states'][number] {
  const run = {
    ...state.run,
    id: `r${number}`,
    number,
    status: 'completed' as const,
    live: [],
    ops: [],
    task: 'y'.repeat(500),
  };
  return { before: null, after: { ...state, run, items: [], interactions: [], chain: { ...state.chain, nodes: [] } } };
}

function talk(index: number): Event {
  return { type: 'pause', run: 'r12', chain: '', at: 100_000 + index, by: index % 3 === 0 ? 'ada' : 'bob' };
}

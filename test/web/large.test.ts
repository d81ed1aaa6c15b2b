// Ten thousand runs, one of them with 600 nodes and 50,000 events: a page costs what it shows, not what there is.
import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import type { Batch, SqliteStore } from '../../src/dispatch/index.js';
import type { Attempt, Chain, Event, Item, Node, State } from '../../src/engine/index.js';
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
const none = { snapshots: [], jobs: [], droppedJobs: [], messages: [], threads: [], follows: [], inboxDone: [] };

interface Size {
  readonly runs: number;
  readonly items: number;
  readonly events: number;
}

async function filled({ runs, items, events }: Size): Promise<Given> {
  const bosun = await given();
  const store = bosun.app.room.store as SqliteStore;
  const keys = Array.from({ length: items }, (_, index) => `US-${String(index + 1).padStart(3, '0')}`);
  const player = Player.start(flow, { items: keys.map((key) => item(key)) }).walk(pass, pass, pass, pass, pass, pass);
  const own = statesOf(player, keys);
  const commit = (batch: Partial<Batch>) => void store.commit({ ...none, events: [], states: [], ...batch });
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
    (one, index): Item => (index < keys.length / 2 ? { ...one, status: 'done' } : one),
  );
  const own = Array.from({ length: keys.length * 3 }, (_, index) =>
    copied(model, `of the run ${index}`, keys.length + index),
  );
  const long = { ...root, nodes: [...root.nodes, ...own.flatMap(({ nodes }) => nodes.slice(0, 1))] };
  const chains = [long, ...keys.map((key, index) => copied(model, key, index))];
  return chains.map((chain) => ({ before: null, after: { ...player.state, items, chain } }));
}

function copied(model: Chain, key: string, index: number): Chain {
  const attempt = (one: Attempt | null) => one && { ...one, id: `${one.id}-${index}`, summary: 'x'.repeat(2_000) };
  const nodes = model.nodes.map(
    (node): Node => ({ ...node, id: `${node.id}-${index}`, last: attempt(node.last), live: null }),
  );
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

const pages = [
  '/',
  '/chat',
  '/inbox',
  '/history',
  '/history?status=failed',
  '/projects/shop',
  '/runs/r12',
  '/costs',
  '/audit',
];

/** The best of some: whatever else the machine does makes a page slower, and never faster. */
async function bestMs({ get }: Given, path: string): Promise<{ readonly ms: number; readonly chars: number }> {
  const times: number[] = [];
  let chars = 0;
  for (let turn = 0; turn < 7; turn += 1) {
    const from = performance.now();
    const reply = await get(path);
    times.push(performance.now() - from);
    expect(`${path}: ${reply.status}`).toBe(`${path}: 200`);
    chars = reply.text.length;
  }
  return { ms: Math.min(...times), chars };
}

it('shows each page as fast with ten thousand runs, 600 nodes and 50,000 events as with few', async () => {
  const small = await filled({ runs: 30, items: 30, events: 300 });
  const large = await filled({ runs: 10_000, items: 100, events: 50_000 });
  for (const path of pages) {
    const [few, many] = [await bestMs(small, path), await bestMs(large, path)];
    expect(`${path}: ${many.ms < 4 * few.ms + 60 || `${few.ms} ms, ${many.ms} ms`}`).toBe(`${path}: true`);
    expect(`${path}: ${many.chars < 1.3 * few.chars + 5_000 || `${few.chars}, ${many.chars}`}`).toBe(`${path}: true`);
  }
}, 60_000);

it('replays a long history in pieces, so that others are answered meanwhile, and refuses what is too long', async () => {
  const { get } = await filled({ runs: 10, items: 2, events: 30_000 });
  const replay = get('/runs/r12/history?at=15000');
  let answers = 0;
  let longestMs = 0;
  for (let isDone = false; !isDone; answers += 1) {
    const from = performance.now();
    isDone = await Promise.race([replay.then(() => true), get('/healthz').then(() => false)]);
    longestMs = Math.max(longestMs, performance.now() - from);
  }
  expect(answers).toBeGreaterThan(3);
  expect(longestMs).toBeLessThan(1_000);
  expect((await replay).text).toContain('Event 15000 of');
  expect((await get('/runs/r12/history?at=29000')).text).toContain('Only the first 20000 events');
  expect((await get('/runs/r12/history')).status).toBe(200);
}, 60_000);

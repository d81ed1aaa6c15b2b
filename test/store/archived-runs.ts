// Finished runs with something in every table, side by side, and all that can be read of them.
import type { State } from '../../src/engine/index.js';
import type { SqliteStore } from '../../src/store/index.js';
import { aJob, anEvent, anInteraction, anItem, aRecord, aWalk, batch, stepped } from './values.js';

export interface Filling {
  readonly runs: number;
  readonly steps: number;
}

/** r1 up to the last, each of 4 nodes; all ended, and the last holds the newest event. */
export function fillWithFinishedRuns(store: SqliteStore, { runs, steps }: Filling): void {
  let states: State[] = Array.from({ length: runs }, (_, at) => ({
    ...aWalk(at + 1, 4),
    items: [anItem('US-2', 1), anItem('US-1', 2)],
    interactions: [anInteraction(`i${at + 1}-1`, { state: 'answered' })],
  }));
  store.commit(batch({ states: states.map((after) => ({ before: null, after })) }));
  for (let at = 1; at <= steps; at += 1) {
    const next = states.map(stepped);
    const ids = next.flatMap(({ chain }) =>
      chain.nodes.flatMap(({ live }) => (live?.state === 'queued' ? [live.id] : [])),
    );
    store.commit(
      batch({
        states: next.map((after, of) => ({ before: states[of] ?? null, after })),
        events: next.flatMap(({ run }) => eventsAt(run.id, at)),
        records: next.map(({ run }) => aRecord(run.id, '', { details: { step: at } })),
        jobs: ids.map((id) => aJob(id)),
      }),
    );
    store.jobs.forget(ids);
    states = next;
  }
  const ended = states.map((state) => endedFrom(state));
  store.commit(
    batch({
      states: ended.map((after, of) => ({ before: states[of] ?? null, after })),
      events: ended.map(({ run }) => anEvent(run.id, steps + 1)),
    }),
  );
}

function eventsAt(run: string, at: number) {
  const said = { type: 'pause' as const, run, chain: '', at, by: 'ada' };
  return at % 7 === 0 ? [said, anEvent(run, at)] : [anEvent(run, at)];
}

function endedFrom(state: State): State {
  return { ...state, run: { ...state.run, status: 'completed', endedAt: 1_000, live: [] } };
}

export function allOf(store: SqliteStore, id: string): unknown {
  const { browsing, pages } = store;
  const attempts = store.attemptsOfRun(id, 1_000);
  const [first] = attempts;
  return {
    run: store.run(id),
    spine: store.spine(id),
    chain: store.chain(id, ''),
    nodes: store.nodes(id),
    attempts,
    attempt: first && store.attempt(first.attempt.id),
    ofNode: store.attempts(id, 'n2'),
    events: store.events(id, 0, 1_000),
    later: store.events(id, 40, 3),
    newestEvents: store.newestEvents(id, 5),
    records: store.records(id),
    costs: store.costsOfRun(id),
    newestAttempts: browsing.newestAttempts(id, 3),
    chainNodes: browsing.chainNodes(id, '', 1, 2),
    chainLength: browsing.chainLength(id, ''),
    name: browsing.nodeName(id, 'n1'),
    label: browsing.nodeLabel(id, 'n1'),
    count: browsing.countEvents(id),
    nth: browsing.nthEvent(id, 4),
    settled: browsing.settledEvent(id, 'none', 3),
    after: pages.attemptsAfter(id, first?.attempt.id ?? null, 2),
    places: pages.nodePlaces(id),
    named: pages.nodesNamed(id, ['n2', 'n4']),
    begin: pages.chainBegin(id, '', 2),
    before: pages.chainBefore(id, '', 'n3'),
  };
}

/** The longest processor time between two turns of the event loop: what keeps the machine busy besides does not count. */
export async function longestTurnMs(act: () => Promise<unknown>): Promise<number> {
  let [last, longest, isOver] = [process.cpuUsage(), 0, false];
  const turn = () => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    longest = Math.max(longest, user + system);
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await act();
  isOver = true;
  return longest / 1_000;
}

export async function inTurns(slice: () => boolean): Promise<number> {
  let count = 1;
  for (; slice(); count += 1) await new Promise((resolve) => setImmediate(resolve));
  return count;
}

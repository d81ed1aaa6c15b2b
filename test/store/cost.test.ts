// Ratios within one run of the test, never times: what a transition costs must not grow with what lies beside it.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { State } from '../../src/engine/index.js';
import type { SqliteStore } from '../../src/store/index.js';
import { openStore } from '../open-store.js';
import { aJob, aMessage, anEvent, anInteraction, aWalk, batch, stepped, tempFolder } from './given.js';

const generous = 3;

function opened(): SqliteStore {
  const store = openStore(join(tempFolder(), 'bosun.db'));
  onTestFinished(() => store.close());
  return store;
}

/**
 * How much more the first costs: each at its best of several rounds, taken in turns so that a busy machine hits both; of
 * many more where it seems too much, for what is really dearer stays so.
 */
function ratio(first: () => void, second: () => void): number {
  let [firstMs, secondMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 9 || (round < 90 && firstMs / secondMs > generous); round += 1) {
    firstMs = Math.min(firstMs, timeMs(first));
    secondMs = Math.min(secondMs, timeMs(second));
  }
  return firstMs / secondMs;
}

function timeMs(act: () => void): number {
  const from = performance.now();
  act();
  return performance.now() - from;
}

function walker(store: SqliteStore, number: number, project: string) {
  let state: State = aWalk(number, 8, { project });
  store.commit(batch({ states: [{ before: null, after: state }] }));
  let at = 0;
  return (times: number, together: number) => {
    for (let done = 0; done < times; done += together) {
      const states = Array.from({ length: together }, () => {
        const before = state;
        state = stepped(before);
        return { before, after: state };
      });
      const steps = states.map((_, of) => at + of);
      at += together;
      const ids = steps.map((step) => `r${number}-job-${step}`);
      store.commit(
        batch({
          states,
          events: steps.map((step) => anEvent(`r${number}`, step)),
          messages: steps.map((step) => aMessage(`t${number}`, `step ${step}`, { card: `card-r${number}` })),
          jobs: ids.map((id) => aJob(id, { project })),
        }),
      );
      store.jobs.forget(ids);
    }
  };
}

type Read = (store: SqliteStore) => unknown;

/** What a decision, a card and the queue read, of run r1 of the project shop. */
const reads: readonly (readonly [string, Read])[] = [
  ['a spine', (store) => store.spine('r1')],
  ['a chain', (store) => store.chain('r1', '')],
  ['an attempt', (store) => store.attempt('r1-1')],
  ['open attempts', (store) => store.openAttempts()],
  ['live runs', (store) => store.liveRuns('shop')],
  ['failed runs', (store) => store.failedRuns('shop')],
  ['drafts', (store) => store.drafts('shop')],
  ['runs', (store) => store.runs('shop', 5, null)],
  ['open interactions', (store) => store.openInteractions('shop')],
  ['events', (store) => store.events('r1', 0, 5)],
  ['a card', (store) => store.cardMessage('t1', 'card-r1')],
  ['a card that is not there', (store) => store.cardMessage('t1', 'none')],
  ['attempts of a node', (store) => store.attempts('r1', 'none')],
  ['messages', (store) => store.messages('t1', null, 5)],
  ['waiting inbound messages', (store) => store.pendingInbox()],
  ['waiting jobs', (store) => store.jobs.counts('shop')],
];

function expectAlike(many: SqliteStore, few: SqliteStore): void {
  const often = (read: Read, store: SqliteStore) => () => {
    for (let at = 0; at < 50; at += 1) read(store);
  };
  const costs = reads.map(([name, read]) => ({ name, ratio: ratio(often(read, many), often(read, few)) }));
  expect(costs.filter((cost) => cost.ratio > generous)).toEqual([]);
}

function inbound(at: number) {
  const body = { type: 'text' as const, text: 'status', replyTo: null };
  return { source: 'local', externalId: `x${at}`, thread: 't', by: null, body, at };
}

test('a transition and its reads cost the same after ten thousand events as after ten', () => {
  const after = (events: number, together: number) => {
    const store = opened();
    const walk = walker(store, 1, 'shop');
    walk(events, together);
    return { store, walk };
  };
  const [few, many] = [after(10, 10), after(10_000, 250)];
  expectAlike(many.store, few.store);
  // Flushed together, so that the disk does not hide the rest.
  const writes = ratio(
    () => many.walk(100, 100),
    () => few.walk(100, 100),
  );
  expect(writes).toBeLessThan(generous);
});

test('a transition and its reads cost the same beside two thousand runs as beside one', () => {
  const crowd = (count: number) => {
    const store = opened();
    const walk = walker(store, 1, 'shop');
    const steps = Array.from({ length: count }, (_, at) => at);
    const states = steps.flatMap((at) => {
      // One run in two is a draft, and every attempt is over.
      const status = at % 2 === 0 ? 'draft' : 'paused';
      const queued = stepped(aWalk(at + 2, 4, { project: `p${at}`, status }));
      const passed = stepped(stepped(queued));
      return [{ before: null, after: { ...passed, interactions: [anInteraction(`i${at + 2}-1`)] } }];
    });
    store.commit(
      batch({
        states,
        events: steps.map((at) => anEvent(`r${at + 2}`, at)),
        jobs: steps.map((at) => aJob(`waits-${at}`, { project: `p${at}` })),
        messages: steps.map((at) => aMessage(`t${at + 2}`, 'x', { card: 'c' })),
        inboxDone: steps.map((at) => store.receive(inbound(at))?.id ?? 0),
      }),
    );
    walk(20, 1);
    return { store, walk };
  };
  const [one, many] = [crowd(1), crowd(2_000)];
  expectAlike(many.store, one.store);
  const writes = ratio(
    () => many.walk(100, 100),
    () => one.walk(100, 100),
  );
  expect(writes).toBeLessThan(generous);
});

test('a hundred transitions in one flush cost less than half of one flush each', () => {
  const walk = walker(opened(), 1, 'shop');
  const together = ratio(
    () => walk(100, 100),
    () => walk(100, 1),
  );
  expect(together).toBeLessThan(0.5);
});

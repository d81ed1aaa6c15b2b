import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Interaction, type Run, type SkipReason, type State, skipText } from '../../src/engine/index.js';
import { connect } from '../../src/store/file/connection.js';
import type { SqliteStore } from '../../src/store/index.js';
import { openStore } from '../open-store.js';
import {
  aChain,
  aJob,
  aMessage,
  aNode,
  anAttempt,
  anEvent,
  anInteraction,
  anItem,
  aRecord,
  aRun,
  aState,
  aWalk,
  batch,
  stepped,
  tempFolder,
  workflow,
} from './given.js';

let path: string;
let store: SqliteStore;

beforeEach(() => {
  path = join(tempFolder(), 'bosun.db');
  store = openStore(path);
  onTestFinished(() => store.close());
});

function commit(before: State | null, after: State): void {
  store.commit(batch({ states: [{ before, after }] }));
}

/** How many rows each table gained or lost writes for: a trigger in the file counts them. */
function countWrites(): (act: () => void) => Record<string, number> {
  const db = connect(path);
  onTestFinished(() => void db.close());
  db.exec('CREATE TABLE written (name TEXT)');
  for (const table of ['runs', 'items', 'chains', 'nodes', 'attempts', 'interactions']) {
    for (const change of ['INSERT', 'UPDATE', 'DELETE']) {
      db.exec(`CREATE TRIGGER ${table}_${change} AFTER ${change} ON ${table}
        BEGIN INSERT INTO written VALUES ('${table}'); END`);
    }
  }
  return (act) => {
    db.exec('DELETE FROM written');
    act();
    const rows = db
      .prepare<[], { name: string; n: number }>('SELECT name, count(*) AS n FROM written GROUP BY name')
      .all();
    return Object.fromEntries(rows.map((row) => [row.name, row.n]));
  };
}

describe('stored states', () => {
  test('are read back as they were', () => {
    const settled = anAttempt('a1', {
      state: 'settled',
      outcome: 'failing',
      tests: { pass: 1, fail: 2, skip: 0, failing: ['x › y'] },
    });
    const live = anAttempt('a2', { state: 'running', worker: 'w1' });
    const chain = {
      ...aChain('US-1', [aNode('n2', { state: 'running', live, last: settled }), aNode('n1')]),
      edges: { 'verify>implement': 2 },
      context: { nasty: "'; DROP TABLE runs; --\u0000\u2028" },
    };
    const items = [anItem('US-2', 2), anItem('US-1', 1, { status: 'running' })];
    const interactions = [anInteraction('i1-2'), anInteraction('i1-1', { kind: 'question' })];
    const state = aState(aRun(1), { items, chain, interactions });
    commit(null, state);
    expect(store.spine('r1')).toEqual({ run: state.run, items, interactions, workflow });
    expect(store.chain('r1', 'US-1')).toEqual(chain);
    expect(store.chain('r1', '')).toBeNull();
    expect(store.attempt('a2')).toEqual({ attempt: live, run: 'r1', chain: 'US-1', node: 'n2', checkpoint: null });
  });

  test.each<[string, SkipReason]>([
    ['routed', { type: 'routed' }],
    ['finished', { type: 'finished' }],
    ['inferred done', { type: 'inferred' }],
    ['decided anew', { type: 'decided_anew' }],
    ["not where quality != 'quick'", { type: 'condition', when: "quality != 'quick'" }],
    ['replaced by review_fix', { type: 'replaced', fragment: 'review_fix' }],
    ['no API (yet) here (ada)', { type: 'person', reason: 'no API (yet) here', by: 'ada' }],
    ['no tests were added', { type: 'edit', reason: 'no tests were added' }],
  ])('parse the skip reason "%s" written by an earlier version', (stored, skipReason) => {
    commit(null, aState(aRun(1), { chain: aChain('', [aNode('n1', { state: 'skipped', skipReason })]) }));
    const db = connect(path);
    onTestFinished(() => void db.close());
    db.prepare("UPDATE nodes SET body = json_set(body, '$.skipReason', ?)").run(stored);
    expect(store.nodes('r1')[0]?.skipReason).toEqual(skipReason);
    expect(skipText(skipReason)).toBe(stored);
  });

  test('write one row per change and none for unchanged parts', () => {
    const written = countWrites();
    const items = [anItem('US-1', 1), anItem('US-2', 2)];
    const first = { ...aWalk(1, 8), items, interactions: [anInteraction('i1-1')] };
    expect(written(() => commit(null, first))).toEqual({ runs: 1, items: 2, chains: 1, nodes: 8, interactions: 1 });
    const queued = stepped(first);
    expect(written(() => commit(first, queued))).toEqual({ runs: 1, nodes: 1, attempts: 1 });
    const moved = { ...queued, items: [items[0] ?? anItem('x', 0), anItem('US-2', 2, { status: 'done' })] };
    expect(written(() => commit(queued, moved))).toEqual({ items: 1 });
    const noted = { ...moved, chain: { ...moved.chain, context: { a: 'b' } } };
    expect(written(() => commit(moved, noted))).toEqual({ chains: 1 });
    expect(written(() => commit(noted, { ...noted }))).toEqual({});
    const asked = { ...noted, interactions: [...noted.interactions, anInteraction('i1-2')] };
    expect(written(() => commit(noted, asked))).toEqual({ interactions: 1 });
    expect(written(() => commit(asked, { ...asked, interactions: asked.interactions.slice(1) }))).toEqual({});
  });

  test('write each row once, however often one transaction changes it', () => {
    const first = { ...aWalk(1, 8), items: [anItem('US-1', 1)] };
    commit(null, first);
    const states: State[] = [first, stepped(first)];
    for (const state of ['queued', 'running', 'settled'] as const) {
      const last = states.at(-1) ?? first;
      const [node = aNode('n1'), ...others] = last.chain.nodes;
      const nodes = [{ ...node, last: anAttempt('a9', { state }) }, ...others];
      const context = { now: state };
      const items = [anItem('US-1', 1, { title: state })];
      states.push({ ...last, run: { ...last.run }, items, chain: { ...last.chain, nodes, context } });
    }
    const changes = states.slice(1).map((after, at) => ({ before: states[at] ?? null, after }));
    const written = countWrites();
    expect(written(() => store.commit(batch({ states: changes })))).toEqual({
      ...{ runs: 1, items: 1, chains: 1, nodes: 1, attempts: 2 },
    });
    expect(store.attempt('a9')?.attempt.state).toBe('settled');
    expect(store.chain('r1', '')).toEqual(states.at(-1)?.chain);
  });

  test('keep the order of a chain when nodes are inserted, removed or moved', () => {
    const [a, b, c] = [aNode('n1'), aNode('n2'), aNode('n3')];
    let state = aState(aRun(1), { chain: aChain('', [a, b, c]) });
    commit(null, state);
    const edits = [
      [a, aNode('n4'), aNode('n5'), b, c],
      [{ ...b, state: 'ready' as const }, c, { ...a, state: 'ready' as const }, aNode('n4')],
      [c, a, b],
      [aNode('n9')],
      [],
    ];
    for (const nodes of edits) {
      const after = { ...state, chain: { ...state.chain, nodes } };
      commit(state, after);
      expect(store.chain('r1', '')).toEqual(after.chain);
      state = after;
    }
    expect(store.nodes('r1')).toEqual([]);
  });

  test('keep every attempt of a node, even those that came and went within one flush', () => {
    const node = aNode('n1');
    const states = [aState(aRun(1), { chain: aChain('', [node]) })];
    for (const id of ['a1', 'a2', 'a3']) {
      const last = states.at(-1) ?? aState(aRun(1));
      const done = anAttempt(id, { state: 'settled' });
      states.push({ ...last, chain: { ...last.chain, nodes: [{ ...node, last: done }] } });
    }
    store.commit(batch({ states: states.map((after, at) => ({ before: states[at - 1] ?? null, after })) }));
    expect(store.attempts('r1', 'n1').map((row) => row.attempt.id)).toEqual(['a1', 'a2', 'a3']);
    expect(store.chain('r1', '')?.nodes[0]?.last?.id).toBe('a3');
  });

  test('of one run in one flush end with the last one, and settled interactions are kept', () => {
    const open = anInteraction('i1-1');
    const answered: Interaction = {
      ...open,
      state: 'answered',
      answer: { option: 'approve', text: null, by: 'ada', at: 6 },
    };
    const one = aState(aRun(1), { interactions: [open] });
    const two = { ...one, run: { ...one.run, costUsd: 1 }, interactions: [answered] };
    const three = { ...two, run: { ...two.run, costUsd: 2, status: 'completed' as const }, interactions: [] };
    const changes = [one, two, three].map((after, at, all) => ({ before: all[at - 1] ?? null, after }));
    store.commit(batch({ states: changes }));
    expect(store.run('r1')).toEqual(three.run);
    expect(store.interaction('i1-1')).toEqual({ run: 'r1', interaction: answered });
    expect(store.spine('r1')?.interactions).toEqual([]);
    expect(store.liveRuns(null)).toEqual([]);
  });

  test('keep a chain whose first stored change only adds nodes', () => {
    const empty = { ...aWalk(1, 0), chain: aChain('US-1', []) };
    commit(null, { ...empty, chain: aChain('', []) });
    const begun = { ...empty, chain: { ...empty.chain, nodes: [aNode('n1')] } };
    commit(empty, begun);
    expect(store.chain('r1', 'US-1')).toEqual(begun.chain);
  });

  test('keep a second chain beside the first', () => {
    const main = aWalk(1, 2);
    commit(null, main);
    const other = { ...main, chain: aChain('US-1', [aNode('n7')]) };
    commit(main, other);
    expect(store.chain('r1', '')).toEqual(main.chain);
    expect(store.chain('r1', 'US-1')).toEqual(other.chain);
  });

  test('have the same rows whether they are committed one by one or together', () => {
    const flushes: { before: State | null; after: State }[] = [{ before: null, after: aWalk(1, 3) }];
    for (let at = 0; at < 20; at += 1) {
      const before = flushes.at(-1)?.after ?? aWalk(1, 3);
      flushes.push({ before, after: stepped(before) });
    }
    for (const { before, after } of flushes) commit(before, after);
    const together = openStore(join(tempFolder(), 'bosun.db'));
    onTestFinished(() => together.close());
    together.commit(batch({ states: flushes }));
    const dump = (from: SqliteStore) => [
      from.spine('r1'),
      from.chain('r1', ''),
      from.openAttempts(),
      from.attempts('r1', 'n2'),
    ];
    expect(dump(together)).toEqual(dump(store));
    expect(store.chain('r1', '')).toEqual(flushes.at(-1)?.after.chain);
  });
});

describe('stored runs', () => {
  beforeEach(() => {
    const runs = [
      aRun(1, { status: 'completed' }),
      aRun(2, { status: 'paused' }),
      aRun(3, { status: 'draft' }),
      aRun(4, { project: 'blog' }),
      aRun(5, { status: 'draft' }),
    ];
    store.commit(batch({ states: runs.map((run) => ({ before: null, after: aState(run) })) }));
  });
  const ids = (runs: readonly { readonly id: string }[]) => runs.map((run) => run.id);

  test('are listed by project and by status', () => {
    expect(ids(store.liveRuns(null))).toEqual(['r2', 'r4']);
    expect(ids(store.liveRuns('shop'))).toEqual(['r2']);
    expect(ids(store.drafts('shop'))).toEqual(['r3', 'r5']);
    expect(ids(store.runs('shop', 2, null))).toEqual(['r5', 'r3']);
    expect(ids(store.runs(null, 10, 3))).toEqual(['r2', 'r1']);
  });

  test('are unfinished until they are over and their checkout work has ended', () => {
    expect(ids(store.unfinishedRuns())).toEqual(['r2', 'r3', 'r4', 'r5']);
    const restoring = aRun(6, { status: 'cancelled', ops: [{ id: 'o1', kind: 'restore', stash: 's' }] });
    commit(null, aState(restoring));
    expect(ids(store.unfinishedRuns())).toContain('r6');
    commit(aState(restoring), aState({ ...restoring, ops: [] }));
    expect(ids(store.unfinishedRuns())).not.toContain('r6');
  });

  test('have something to do, unless they are drafts without approval, checkout work and open session', () => {
    const draft = (number: number, fields: Partial<Run>) =>
      aRun(number, { status: 'draft', approved: false, ...fields });
    const opened = { key: 'k', chain: '', node: 'n', step: 's', by: 'ada', at: 1, since: 1, processes: [] };
    commit(null, aState(draft(6, {})));
    commit(null, aState(draft(7, { approved: true })));
    commit(null, aState(draft(8, { ops: [{ id: 'o1', kind: 'restore', stash: 's' }] })));
    commit(null, aState(draft(9, { opened })));
    const active = ids(store.activeRuns());
    expect(active).toEqual(expect.arrayContaining(['r2', 'r4', 'r7', 'r8', 'r9']));
    expect(active).not.toContain('r1');
    expect(active).not.toContain('r6');
  });

  test('get numbers that are never reused, even before they are stored', () => {
    expect([store.nextRunNumber(), store.nextRunNumber()]).toEqual([6, 7]);
    commit(null, aState(aRun(9)));
    expect(store.nextRunNumber()).toBe(10);
  });

  test('list their nodes in chain order, grouped by item', () => {
    const run = aRun(6);
    const items = [anItem('US-2', 1), anItem('US-1', 2)];
    commit(null, aState(run, { items, chain: aChain('US-1', [aNode('n5'), aNode('n4')]) }));
    commit(null, aState(run, { items, chain: aChain('US-2', [aNode('n3')]) }));
    commit(null, aState(run, { items, chain: aChain('', [aNode('n2'), aNode('n1')]) }));
    expect(store.nodes('r6').map((node) => `${node.chain}/${node.id}`)).toEqual([
      '/n2',
      '/n1',
      'US-2/n3',
      'US-1/n5',
      'US-1/n4',
    ]);
  });
});

test('a checkpoint survives updates of its attempt, and one for an unknown attempt is rejected', () => {
  const queued = stepped(aWalk(1, 1));
  commit(null, queued);
  store.setCheckpoint('r1-1', 'abc123');
  commit(queued, stepped(queued));
  expect(store.openAttempts()).toMatchObject([{ checkpoint: 'abc123', attempt: { state: 'running' } }]);
  expect(() => store.setCheckpoint('nope', 'x')).toThrow(/nope/);
});

test('an attempt is open until it is settled', () => {
  const queued = stepped(aWalk(1, 1));
  const running = stepped(queued);
  commit(null, queued);
  commit(queued, running);
  expect(store.openAttempts()).toHaveLength(1);
  commit(running, stepped(running));
  expect(store.openAttempts()).toEqual([]);
  expect(store.attempt('r1-1')?.attempt.outcome).toBe('pass');
});

test('the attempts of a run are listed in order of dispatch, in their current state, up to a limit', () => {
  let state = aWalk(1, 3);
  commit(null, state);
  commit(null, aWalk(2, 1));
  commit(aWalk(2, 1), stepped(aWalk(2, 1)));
  for (let at = 0; at < 7; at += 1) {
    const after = stepped(state);
    commit(state, after);
    state = after;
  }
  const found = store.attemptsOfRun('r1', 10);
  expect(found.map(({ node, attempt }) => `${node} ${attempt.id} ${attempt.state}`)).toEqual([
    'n1 r1-1 settled',
    'n2 r1-2 settled',
    'n3 r1-3 queued',
  ]);
  expect(store.attemptsOfRun('r1', 2)).toEqual(found.slice(0, 2));
  expect(store.attemptsOfRun('r9', 2)).toEqual([]);
});

describe('the records of a run', () => {
  const claimed = aRecord('r1', 'US-1', { action: 'story_claimed', step: null, details: { slot: 2 } });
  const edited = aRecord('r1', 'US-1', {
    action: 'workflow_edit',
    details: { operation: 'skip', reason: 'it\'s "done"', new_steps: [{ id: 'step-011' }] },
  });
  const other = { ...aRecord('r1', 'US-2'), at: 9, by: 'ada' };

  test('are read back in order, for the run or one of its chains', () => {
    store.commit(batch({ records: [claimed, other] }));
    store.commit(batch({ records: [edited, aRecord('r2', 'US-1'), aRecord('r1', '')] }));
    expect(store.records('r1')).toEqual([claimed, other, edited, aRecord('r1', '')]);
    expect(store.records('r1', null)).toEqual(store.records('r1'));
    expect(store.records('r1', 'US-1')).toEqual([claimed, edited]);
    expect(store.records('r1', '')).toEqual([aRecord('r1', '')]);
    expect(store.records('r3')).toEqual([]);
  });

  test('are limited to the newest 20,000 per read', () => {
    const many = Array.from({ length: 20_002 }, (_, at) => ({ ...claimed, at }));
    store.commit(batch({ records: many }));
    const read = store.records('r1', 'US-1');
    expect([read.length, read[0]?.at, read.at(-1)?.at]).toEqual([20_000, 2, 20_001]);
    expect(store.records('r1')[0]?.at).toBe(2);
  });

  test('are rolled back with the rest of their commit', () => {
    const broken = { ...claimed, at: Symbol('no number') as never };
    expect(() => store.commit(batch({ records: [claimed, broken], events: [anEvent('r1', 1)] }))).toThrow();
    expect(store.records('r1')).toEqual([]);
    expect(store.events('r1', 0, 10)).toEqual([]);
  });
});

test('open interactions are found by project', () => {
  commit(null, aState(aRun(1), { interactions: [anInteraction('i1-1')] }));
  commit(
    null,
    aState(aRun(2, { project: 'blog' }), {
      interactions: [anInteraction('i2-1'), anInteraction('i2-2', { state: 'expired' })],
    }),
  );
  const ids = (project: string | null) => store.openInteractions(project).map((row) => row.interaction.id);
  expect(ids(null)).toEqual(['i1-1', 'i2-1']);
  expect(ids('blog')).toEqual(['i2-1']);
  expect(ids('none')).toEqual([]);
});

describe('stored messages', () => {
  const say = (...messages: Parameters<typeof aMessage>[]) =>
    store.commit(batch({ messages: messages.map((args) => aMessage(...args)) }));

  test('get ascending ids, by which they are found', () => {
    const [first, second] = say(['t1', 'one', { run: 'r1', interaction: 'i1-1' }], ['t2', 'two']);
    expect([first?.id, second?.id]).toEqual(['m1', 'm2']);
    expect(store.message('m1')).toEqual(first);
    expect(store.message('m3')).toBeNull();
    expect(store.message('m1; DROP TABLE outbox')).toBeNull();
  });

  test('of one card edit the card’s first message in each thread', () => {
    const sent = say(
      ['t1', 'a', { card: 'c' }],
      ['t2', 'a', { card: 'c' }],
      ['t1', 'b', { card: 'c' }],
      ['t1', 'x', { card: 'd' }],
      ['t1', 'c', { card: 'c' }],
      ['t1', 'no card'],
    );
    expect(sent.map((message) => message.edits)).toEqual([null, null, 'm1', null, 'm1', null]);
    expect(store.cardMessage('t1', 'c')).toMatchObject({ id: 'm5', edits: 'm1', view: { text: 'c' } });
    expect(store.cardMessage('t2', 'c')).toMatchObject({ id: 'm2', edits: null });
    expect(store.cardMessage('t3', 'c')).toBeNull();
  });

  test('that would change nothing are not stored again, and return the existing message', () => {
    const ids = (...messages: Parameters<typeof say>) => say(...messages).map((message) => message.id);
    expect(ids(['t1', 'a', { card: 'c' }], ['t1', 'a', { card: 'c', at: 2 }])).toEqual(['m1', 'm1']);
    expect(ids(['t1', 'a', { card: 'c', at: 3 }], ['t1', 'other'])).toEqual(['m1', 'm2']);
    expect(ids(['t1', 'b', { card: 'c' }], ['t1', 'a', { card: 'c' }])).toEqual(['m3', 'm4']);
    expect(store.messages('t1', null, 10)).toHaveLength(4);
    expect(say(['t1', 'same'], ['t1', 'same'])).toHaveLength(2);
  });

  test('of a thread are read on from a given message', () => {
    say(['t1', 'one'], ['t2', 'other'], ['t1', 'two'], ['t1', 'three']);
    const texts = (after: string | null, limit: number) =>
      store.messages('t1', after, limit).map((message) => message.view.text);
    expect(texts(null, 10)).toEqual(['one', 'two', 'three']);
    expect(texts('m1', 1)).toEqual(['two']);
    expect(texts('m4', 10)).toEqual([]);
  });
});

test('an inbound message is stored once, and pending until it is done', () => {
  const inbound = {
    source: 'telegram',
    externalId: '7',
    thread: 't1',
    by: 'ada',
    body: { type: 'text' as const, text: 'status', replyTo: null },
    at: 1,
  };
  const row = store.receive(inbound);
  expect(row).toEqual({ ...inbound, id: 1 });
  expect(store.receive({ ...inbound, at: 2 })).toBeNull();
  expect(store.receive({ ...inbound, source: 'slack' })?.id).toBe(2);
  expect(store.pendingInbox()).toEqual([row, { ...inbound, source: 'slack', id: 2 }]);
  store.commit(batch({ inboxDone: [1] }));
  expect(store.pendingInbox().map((pending) => pending.id)).toEqual([2]);
  expect(store.receive(inbound)).toBeNull();
});

test('an inbound message is deduplicated by its aliases', () => {
  const body = { type: 'text' as const, text: 'status', replyTo: null };
  const inbound = { source: 'slack', externalId: 'a', aliases: ['b'], thread: 't1', by: 'ada', body, at: 1 };
  const rows = store.pendingInbox().length;
  expect(store.receive(inbound)).not.toBeNull();
  for (const [externalId, aliases] of [
    ['b', []],
    ['c', ['b']],
    ['c', ['a']],
    ['c', ['d', 'a']],
  ] as const) {
    expect(store.receive({ ...inbound, externalId, aliases })).toBeNull();
  }
  expect(store.isKnown('slack', 'c')).toBe(false);
  expect(store.receive({ ...inbound, externalId: 'c', aliases: ['d', 'c', 'd'] })).not.toBeNull();
  expect(store.pendingInbox()).toHaveLength(rows + 2);
});

test('threads are kept as last written, and follow a run once', () => {
  const thread = { id: 't1', channel: 'local', address: { chat: '-100' }, project: null, quiet: false };
  const follows = [
    { run: 'r1', thread: 't2' },
    { run: 'r1', thread: 't1' },
    { run: 'r1', thread: 't2' },
  ];
  store.commit(batch({ threads: [thread], follows }));
  store.commit(batch({ threads: [{ ...thread, project: 'shop' }], follows }));
  expect(store.thread('t1')).toEqual({ ...thread, project: 'shop' });
  expect(store.thread('t9')).toBeNull();
  expect(store.followers('r1')).toEqual(['t2', 't1']);
});

describe('the jobs of a commit', () => {
  test('are queued in the same transaction, once', () => {
    store.commit(batch({ jobs: [aJob('j1'), aJob('j2'), aJob('j1')] }));
    store.commit(batch({ jobs: [aJob('j1')] }));
    expect(store.jobs.queued().map((job) => job.id)).toEqual(['j1', 'j2']);
  });

  test('keep their cancels and extensions as long as they are open', () => {
    store.commit(batch({ jobs: [aJob('j1'), aJob('j2'), aJob('j3')] }));
    store.jobs.exchange([], [...['j2', 'j3'].map((id) => ({ id, worker: 'w' }))], 'me', 1);
    const extensions = [60_000, 30_000].map((byMs) => ({ attempt: 'j2', byMs }));
    store.commit(batch({ cancels: ['j1', 'j2', 'j4'], extensions }));
    expect(store.jobs.cancelled()).toEqual(['j1', 'j2']);
    expect(store.jobs.leased()).toMatchObject([
      { id: 'j2', isCancelled: true, extendedMs: 90_000 },
      { id: 'j3', isCancelled: false, extendedMs: 0 },
    ]);
    store.jobs.forget(['j2']);
    expect(store.jobs.cancelled()).toEqual(['j1']);
    expect([store.jobs.remove('j1'), store.jobs.remove('j3'), store.jobs.remove('j4')]).toEqual([
      ...['removed', 'leased', 'unknown'],
    ]);
  });
});

describe('the event history', () => {
  beforeEach(() => {
    store.commit(batch({ events: [anEvent('r1', 1), anEvent('r2', 2)] }));
    store.commit(batch({ events: [{ type: 'pause', run: 'r1', chain: '', at: 3, by: 'ada' }, anEvent('r1', 4)] }));
  });

  test('is read event by event, per run', () => {
    const events = store.events('r1', 0, 10);
    expect(events.map((row) => row.seq)).toEqual([1, 3, 4]);
    expect(events[1]?.event).toEqual({ type: 'pause', run: 'r1', chain: '', at: 3, by: 'ada' });
    expect(store.events('r1', 1, 1).map((row) => row.seq)).toEqual([3]);
  });

  test('passes the audit, also after the database was reopened', () => {
    expect(store.auditBreak()).toBeNull();
    store.close();
    store = openStore(path);
    store.commit(batch({ events: [anEvent('r1', 5)] }));
    expect(store.auditBreak()).toBeNull();
  });

  test('is audited in steps, so that other work can run in between', () => {
    store.commit(batch({ events: Array.from({ length: 1_200 }, (_, at) => anEvent('r1', at)) }));
    const walk = store.auditWalk();
    const steps = Array.from({ length: 4 }, () => walk.next());
    expect(steps.map(({ done }) => done)).toEqual([false, false, false, true]);
    expect(steps.at(-1)?.value).toBeNull();
  });

  test.each([
    ['a changed payload', `UPDATE events SET payload = replace(payload, 'ada', 'bob') WHERE seq = 3`, 3],
    ['a changed actor', `UPDATE events SET "by" = 'bob' WHERE seq = 3`, 3],
    ['a changed time', 'UPDATE events SET at = 7 WHERE seq = 2', 2],
    ['an event that was taken out', 'DELETE FROM events WHERE seq = 2', 3],
    ['a first event that was taken out', 'DELETE FROM events WHERE seq = 1', 2],
    ['a newest event that was taken out', 'DELETE FROM events WHERE seq = 4', 3],
    ['everything taken out', 'DELETE FROM events', 0],
  ])('fails the audit for %s', (_what, sql, seq) => {
    const db = connect(path);
    db.exec(sql);
    db.close();
    expect(store.auditBreak()?.seq).toBe(seq);
  });
});

// What of the store and the room a person gets: each of their ways is named here, so that a new one does not compile
// before it is decided.

import { isDeepStrictEqual } from 'node:util';
import { expect, it, vi } from 'vitest';
import type { HomeReader, SqliteStore } from '../../src/store/index.js';
import { visibleRuntime } from '../../src/web/access/visible-context.js';
import { visibleReader } from '../../src/web/access/visible-store.js';
import type { WebRuntime } from '../../src/web/context/web-context.js';
import { batchOf } from '../empty-batch.js';
import { type Given, given } from './given.js';

type Store = HomeReader;
type Asked<T> = { readonly [K in keyof T]: (from: T) => unknown };

/** That of bank waits until it is told to go. */
const agent = `cat > /dev/null
case "$PWD" in */bank*) while [ ! -e "$GO" ]; do sleep 0.05; done;; esac
echo hello > hello.txt
echo "STATUS: pass"
`;
const own = 'web-eve';
const at = Date.now();
const nothingMore = batchOf();

let bosun: Given;
let store: SqliteStore;
/** A run of shop that waits for its review, with its parts; one of bank is at work, and each project has a draft. */
let ids: { readonly run: string; readonly attempt: string; readonly node: string; readonly interaction: string };
let live: { readonly run: string; readonly attempt: string };

async function openOffice(): Promise<void> {
  bosun = await given({ agent, work: true, bank: { hook_secret: 'a secret of the bank' } });
  store = bosun.app.runtime.store;
  await bosun.post('/api/requests', { do: 'run', project: 'shop', task: 'Paint it', wait: true });
  const [open] = store.openInteractions('shop');
  const [first] = store.attemptsOfRun(open?.run ?? '', 1);
  if (!open || !first) throw new Error('no review is asked');
  ids = { run: open.run, attempt: first.attempt.id, node: first.node, interaction: open.interaction.id };
  await bosun.post('/api/requests', { do: 'run', project: 'bank', task: 'Count it' });
  const attempt = await bosun.attempt();
  await vi.waitFor(() => expect(store.browsing.runningAttempts(9)).toHaveLength(1), 10_000);
  live = { run: store.attempt(attempt)?.run ?? '', attempt };
  for (const project of ['shop', 'bank'])
    await bosun.post('/api/say', { text: `start ${project}: more`, thread: 'local' });
  const spent = ['shop', 'bank'].map((project) => ({ project, at, usd: 1.5, tokensIn: 10, tokensOut: 20 }));
  const record = { action: 'step_started', chain: '', step: null, details: {} } as const;
  failARunOfShop();
  store.commit({ ...nothingMore, spent, records: [{ run: ids.run, chain: '', at, by: 'ada', record }] });
}

/** Beside a live run no other one can fail, so it is written as an earlier version may have left it. */
function failARunOfShop(): void {
  const [draft] = store.drafts('shop');
  const spine = draft && store.spine(draft.id);
  const chain = draft && store.chain(draft.id, '');
  if (!spine || !chain) throw new Error('shop has no draft');
  const run = { ...spine.run, id: 'r99', number: 99, status: 'failed' } as const;
  store.commit({ ...nothingMore, states: [{ before: null, after: { ...spine, run, chain } }] });
}

const ofStore: Asked<Omit<Store, 'browsing' | 'pages' | 'counts'>> = {
  spine: (from) => from.spine(ids.run),
  chain: (from) => from.chain(ids.run, ''),
  run: (from) => from.run(ids.run),
  liveRuns: (from) => [from.liveRuns(null), from.liveRuns('shop')].flat(),
  failedRuns: (from) => from.failedRuns('shop'),
  drafts: (from) => from.drafts('shop'),
  unfinishedRuns: (from) => from.unfinishedRuns(),
  activeRuns: (from) => from.activeRuns(),
  runs: (from) => [from.runs(null, 9, null), from.runs('shop', 1, null), from.runs(null, 2, 3)].flat(),
  nodes: (from) => from.nodes(ids.run),
  attempt: (from) => from.attempt(ids.attempt),
  attempts: (from) => from.attempts(ids.run, ids.node),
  attemptsOfRun: (from) => from.attemptsOfRun(ids.run, 9),
  openAttempts: (from) => from.openAttempts(),
  interaction: (from) => from.interaction(ids.interaction),
  openInteractions: (from) => [from.openInteractions(null), from.openInteractions('shop')].flat(),
  events: (from) => from.events(ids.run, 0, 99),
  newestEvents: (from) => from.newestEvents(ids.run, 9),
  records: (from) => from.records(ids.run),
  spending: (from) => from.spending('shop', at),
  costsOfRun: (from) => from.costsOfRun(ids.run),
  thread: (from) => from.thread('local'),
  placed: (from) => from.placed('local'),
  followers: (from) => from.followers(ids.run),
  message: (from) => from.message('m1'),
  messages: (from) => from.messages('local', null, 99),
  recent: (from) => from.recent('local', 99),
  cardMessage: (from) => from.cardMessage('local', ids.interaction),
  asking: (from) => from.asking(ids.interaction),
  auditBreak: (from) => [from.auditBreak()],
  auditWalk: (from) => from.auditWalk(),
  homeId: () => null,
  path: () => null,
};

const ofBrowsing: Asked<Store['browsing']> = {
  // How much happens says nothing of what.
  newestSeq: () => null,
  newestMessage: () => null,
  openInteractions: (from) => [from.openInteractions(null, 9), from.openInteractions('shop', 1)].flat(),
  countOpen: (from) => from.countOpen(null) + from.countOpen('shop'),
  oldestOpen: (from) => from.oldestOpen(ids.run),
  liveRuns: (from) => from.liveRuns('shop', 9),
  runsAtWork: (from) => from.runsAtWork(null, 9),
  runningAttempts: (from) => from.runningAttempts(9),
  runs: (from) =>
    [2, 9].flatMap((limit) => [
      ...from.runs({ project: null, status: null, before: null, limit }),
      ...from.runs({ project: null, status: null, before: 4, limit }),
      ...from.runs({ project: 'shop', status: null, before: null, limit }),
    ]),
  searchRuns: (from) => [
    from.searchRuns({
      ...{
        words: 'paint',
        project: null,
        status: null,
        by: null,
        workflow: null,
        since: null,
        agent: null,
        minUsd: null,
        maxUsd: null,
      },
      ...{ before: null, limit: 9 },
    }).runs,
  ],
  newestAttempts: (from) => from.newestAttempts(ids.run, 9),
  chainNodes: (from) => from.chainNodes(ids.run, '', 0, 9),
  chainLength: (from) => from.chainLength(ids.run, ''),
  nodeName: (from) => from.nodeName(ids.run, ids.node),
  nodeLabel: (from) => from.nodeLabel(ids.run, ids.node),
  countEvents: (from) => from.countEvents(ids.run),
  nthEvent: (from) => from.nthEvent(ids.run, 2),
  settledEvent: (from) => from.settledEvent(ids.run, ids.attempt, store.attempt(ids.attempt)?.attempt.endedAt ?? 0),
  byPeople: (from) => from.byPeople(null, null, 9),
  spentByDay: (from) =>
    [1, 9].flatMap((limit) => from.spentByDay({ project: null, from: '2000-01-01', after: null, limit })),
  spentOnDays: (from) => from.spentOnDays('2000-01-01'),
  spentSince: (from) => from.spentSince('2000-01-01'),
  posts: (from) => from.posts('local', null, 9),
  messagesWith: (from) => from.messagesWith({ words: 'a', project: null, before: null, limit: 99 }).messages,
  saidWith: (from) => from.saidWith('a', 99).filter(({ thread }) => thread === 'local'),
  saidIn: (from) => from.saidIn('local', { from: 0, to: Date.now() + 60_000 }, 9),
};

const ofPages: Asked<Store['pages']> = {
  attemptsAfter: (from) => from.attemptsAfter(ids.run, null, 9),
  openAfter: (from) => [from.openAfter(null, 1), from.openAfter(null, 9), from.openAfter(ids.interaction, 9)].flat(),
  nodePlaces: (from) => from.nodePlaces(ids.run),
  nodesNamed: (from) => from.nodesNamed(ids.run, [ids.node]),
  chainBegin: (from) => from.chainBegin(ids.run, '', 9),
  chainBefore: (from) => from.chainBefore(ids.run, '', ids.node),
};

const ofCounts: Asked<Store['counts']> = {
  unfinishedRuns: (from) => from.unfinishedRuns(),
  attempts: (from) => from.attempts(),
  interactions: (from) => from.interactions(),
  spent: (from) => from.spent(),
  inbox: (from) => from.inbox(),
  blockedLanes: (from) => from.blockedLanes(0),
};

const ways: readonly (readonly [string, (from: Store) => unknown])[] = [
  ...Object.entries(ofStore),
  ...Object.entries(ofBrowsing).map(
    ([name, ask]) => [`browsing.${name}`, (from: Store) => ask(from.browsing)] as const,
  ),
  ...Object.entries(ofPages).map(([name, ask]) => [`pages.${name}`, (from: Store) => ask(from.pages)] as const),
  ...Object.entries(ofCounts).map(([name, ask]) => [`counts.${name}`, (from: Store) => ask(from.counts)] as const),
];

/** What a person may not have at all, whatever his projects. */
const refused = /^(audit.*|counts\.(inbox|blockedLanes))$/;
const open = /^(homeId|path|browsing\.newest(Seq|Message))$/;

/** Nothing in it but noughts and empty lists. */
function isNothing(found: unknown): boolean {
  if (found === null || found === 0) return true;
  return typeof found === 'object' && Object.values(found).every(isNothing);
}

function asked(ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  }
}

const seen = (projects: readonly string[], thread = own) =>
  visibleReader(store, { projects: () => new Set(projects), thread });

/** Those of the ways of which something does not hold. */
const wrong = (holds: (ask: (from: Store) => unknown, name: string) => boolean) =>
  ways.filter(([name, ask]) => !holds(ask, name)).map(([name]) => name);

it('each store method shows people only their own projects and refuses the methods that are not for them', async () => {
  await openOffice();
  const stranger = seen([]);
  expect(wrong((ask, name) => asked(() => ask(stranger)) === 'not_allowed' || !refused.test(name))).toEqual([]);
  expect(wrong((ask, name) => refused.test(name) || isNothing(ask(stranger)))).toEqual([]);
  // What the owner of the home gets is something: else nothing would be shown by it.
  expect(wrong((ask, name) => refused.test(name) || open.test(name) || !isNothing(ask(store)))).toEqual([]);

  const ofAll = seen(['bank', 'shop'], 'local');
  expect(wrong((ask, name) => refused.test(name) || isDeepStrictEqual(ask(ofAll), ask(store)))).toEqual([]);

  const ofBank = seen(['bank']);
  const tellsOfShop = (found: unknown) =>
    new RegExp(`"(?:shop|${ids.run}|${ids.interaction}|${ids.attempt})"`).test(JSON.stringify(found ?? null));
  expect(wrong((ask, name) => refused.test(name) || !tellsOfShop(ask(ofBank)))).toEqual([]);
  expect(ofBank.run(live.run)).toEqual(store.run(live.run));
  expect(ofBank.openAttempts().map(({ attempt }) => attempt.id)).toEqual([live.attempt]);
});

it('the runtime hides attempts and messages of others and refuses methods that act or span all projects', async () => {
  await openOffice();
  const { runtime } = bosun.app;
  const sight = { projects: () => new Set<string>(), thread: own };
  const strangers = visibleRuntime(runtime, sight);
  const told: unknown[] = [];
  const heard: { readonly [K in keyof WebRuntime]: 'nothing' | 'refused' | 'as it is' } = {
    ...{ lastSign: 'nothing', waitsFor: 'nothing', workers: 'nothing', onMessages: 'nothing' },
    ...{
      reader: 'as it is',
      isActive: 'as it is',
      checkFile: 'refused',
      inbox: 'refused',
      deliveries: 'refused',
      isWorking: 'as it is',
      redact: 'as it is',
      queueState: 'as it is',
    },
    ...{ writeState: 'as it is', keep: 'refused', patient: 'refused' },
    // Asked for by what came of a message, which the door has let in.
    whenAtRest: 'as it is',
    ...{ queueView: 'refused', submit: 'refused', onCommits: 'refused' },
    ...{ onWants: 'refused', readHandReport: 'refused', claimOutside: 'refused', settleOutside: 'refused' },
    ...{ askPerson: 'refused', noteProgress: 'refused', nextWords: 'refused' },
  };
  for (const [name, how] of Object.entries(heard)) {
    if (how !== 'refused') continue;
    const way = () => Reflect.get(strangers, name) as () => unknown;
    expect([name, asked(() => way()())]).toEqual([name, 'not_allowed']);
  }
  expect(runtime.lastSign(live.attempt)).not.toBe(null);
  expect([strangers.lastSign(live.attempt), strangers.waitsFor(live.attempt), strangers.workers()]).toEqual([
    null,
    null,
    [],
  ]);
  expect(strangers.queueState().offered).toBe(0);
  const stop = strangers.onMessages((messages) => told.push(...messages));
  const all: unknown[] = [];
  const stopAll = runtime.onMessages((messages) => all.push(...messages));
  await bosun.post('/api/say', { text: 'status shop', thread: 'local' });
  stop();
  stopAll();
  expect([told, all.length]).toEqual([[], 1]);
});

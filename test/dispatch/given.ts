// A dispatcher on a real database, with words and jobs that are easy to compare; and a home with a project under git.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/index.js';
import { attemptJob } from '../../src/dispatch/attempts/job-builder.js';
import type { CheckoutSite } from '../../src/dispatch/checkouts/checkout-operations.js';
import { Dispatcher } from '../../src/dispatch/commit/dispatcher.js';
import { RunCache } from '../../src/dispatch/commit/run-cache.js';
import { emptyPlan } from '../../src/dispatch/index.js';
import { openRuntime } from '../../src/dispatch/open-runtime.js';
import type { Plan, Submitted } from '../../src/dispatch/plans/plan.js';
import type { Presenter } from '../../src/dispatch/plans/presenter.js';
import type { Runtime, RuntimeParts } from '../../src/dispatch/runtime.js';
import type { Envelope, Event, NewItem, RunCreated, Workflow } from '../../src/engine/index.js';
import type { Batch, NewMessage, SqliteStore, Store } from '../../src/store/index.js';
import { acceptProjectRules } from '../accept-rules.js';
import { dispatcherParts } from '../dispatcher-parts.js';
import { clean, def, pass, workflow as workflowOf } from '../engine/builders.js';
import { commitFirst } from '../first-commit.js';
import { type Home, openHome } from '../open-home.js';
import { openStore } from '../open-store.js';
import { runtimeParts } from '../runtime-parts.js';
import { aJob, aMessage } from '../store/values.js';

export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-dispatch-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Says what happened in one word, so that tests compare facts and not sentences. */
export const plainly: Presenter = {
  notice: (notice, told) =>
    told.followers.map((thread) => about(told.state.run.id, thread, notice.type, told.event.at)),
  reply: (reply, told) =>
    told.origin ? [about(told.state.run.id, told.origin.thread, reply.type, told.event.at)] : [],
  expiring: ({ row, inMs, followers, at }) => followers.map((thread) => about(row.run, thread, `expiring ${inMs}`, at)),
  working: ({ state, followers, at }) => followers.map((thread) => about(state.run.id, thread, 'working', at)),
  stalled: ({ run, kind }, followers, at) => followers.map((thread) => about(run, thread, `stalled ${kind}`, at)),
  abortHeard: ({ state, worker, isLost, followers, at }) =>
    followers.map((thread) => about(state.run.id, thread, `abort heard by ${worker}${isLost ? ', lost' : ''}`, at)),
  untaken: (lacks, thread, at) =>
    lacks.slice(0, 1).map(({ run, words }) => about(run, thread, `untaken ${lacks.length}: ${words.what}`, at)),
  outage: (problem, threads, at) => threads.map((thread) => aMessage(thread, `outage ${problem ?? 'over'}`, { at })),
  unwritten: (problem, _forMs, threads, at) =>
    threads.map((thread) => aMessage(thread, `unwritten ${problem}`, { at })),
  nextQueued: (next, followers, at) => followers.map((thread) => about(next.id, thread, 'next', at)),
  broken: ({ run, followers, error, at }) =>
    followers.map((thread) => about(run, thread, `broken: ${String(error)}`, at)),
};

function about(run: string, thread: string, text: string, at: number): NewMessage {
  return aMessage(thread, text, { run, at });
}

export interface Bench {
  readonly store: SqliteStore;
  readonly cache: RunCache;
  readonly dispatcher: Dispatcher;
  /** What was written, transaction by transaction. */
  readonly commits: Batch[];
  readonly acts: {
    readonly jobs: readonly string[];
    readonly cancels: readonly string[];
    readonly ops: readonly string[];
    readonly touched: readonly string[];
  }[];
  clock: number;
}

export interface BenchOptions {
  readonly path?: string;
  readonly homeId?: string;
  readonly maxBytes?: number;
  readonly present?: Partial<Presenter>;
  readonly onAct?: (bench: Bench) => void;
  readonly jobOf?: ConstructorParameters<typeof Dispatcher>[0]['jobOf'];
}

/** Decides and commits, and acts on nothing: as a Bosun that dies right after each commit. */
export function givenBench(options: BenchOptions = {}): Bench {
  const { maxBytes, homeId = 'h' } = options;
  const path = options.path ?? join(tempFolder(), 'bosun.db');
  const real = openStore(path, { homeId, ...(maxBytes === undefined ? {} : { maxBytes }) });
  let isOpen = true;
  const close = () => {
    if (isOpen) real.close();
    isOpen = false;
  };
  onTestFinished(close);
  const commits: Batch[] = [];
  const store: SqliteStore = {
    ...real,
    close,
    commit: (batch) => {
      const messages = real.commit(batch);
      commits.push(batch);
      return messages;
    },
  };
  const cache = new RunCache(store);
  const acts: Bench['acts'] = [];
  const bench: Bench = { store, cache, commits, acts, clock: 1_000, dispatcher: undefined as never };
  const dispatcher = new Dispatcher({
    ...dispatcherParts,
    store,
    cache,
    present: { ...plainly, ...options.present },
    jobOf:
      options.jobOf ??
      ((state, node, attempt) =>
        aJob(attempt, { project: state.run.project, run: state.run.id, payload: { ...aJob(attempt).payload, node } })),
    now: () => bench.clock++,
    act: ({ after }) => {
      acts.push({
        jobs: after.jobs.map((job) => job.id),
        cancels: [...after.cancels],
        ops: after.ops.map(({ op }) => op.kind),
        touched: [...after.touched.keys()],
      });
      options.onAct?.(bench);
    },
  });
  return Object.assign(bench, { dispatcher });
}

export const one: Workflow = workflowOf([def('implement')]);

export interface RunOptions {
  readonly workflow?: Workflow;
  readonly project?: string;
  readonly items?: readonly NewItem[];
  readonly level?: RunCreated['level'];
  readonly threads?: readonly string[];
  readonly propose?: boolean;
  readonly task?: string;
  readonly afterStory?: RunCreated['afterStory'];
}

/** A plan that makes run `r<number>`. */
export function creation(number: number, options: RunOptions = {}): Plan {
  const {
    workflow = one,
    project = 'shop',
    items = [],
    level = 'auto',
    threads = ['t1'],
    propose = false,
    task = `Task ${number}`,
    afterStory = workflow.policy.afterStory ?? 'propose',
  } = options;
  const run = `r${number}`;
  const created: Event = {
    type: 'run_created',
    run,
    chain: '',
    at: 1,
    by: 'ada',
    number,
    home: 'h',
    project,
    workflow: workflow.name,
    snapshot: `snapshot of ${workflow.name} ${workflow.chain.length}`,
    task,
    items,
    context: {},
    level,
    afterStory,
    budgetUsd: null,
    propose,
  };
  return {
    ...emptyPlan,
    events: [created],
    effects: [
      { type: 'snapshot', hash: created.snapshot, workflow },
      ...threads.map((id) => ({
        type: 'thread' as const,
        thread: { id, channel: 'local', address: {}, project: null, quiet: false },
      })),
      ...threads.map((thread) => ({ type: 'follow' as const, run, thread })),
    ],
    origin: { thread: threads[0] ?? 't1', by: 'ada' },
  };
}

export function starting(run: string, at = 2, behind: string | null = null): Event {
  return { type: 'start', run, chain: '', at, by: 'ada', behind };
}

/** Created, begun, and its checkout prepared: its first attempt is queued. */
export async function begun(bench: Bench, number: number, options: RunOptions = {}): Promise<string> {
  const plan = creation(number, options);
  const run = `r${number}`;
  await bench.dispatcher.submit(() => ({ ...plan, events: [...plan.events, starting(run)] }));
  await worked(bench, run);
  return run;
}

/** What the checkout was waiting for is done. */
export async function worked(bench: Bench, run: string): Promise<void> {
  const op = bench.store.run(run)?.ops[0];
  if (!op) throw new Error(`${run} waits for no work on the checkout`);
  await bench.dispatcher.submitEvent({
    type: 'workspace_done',
    run,
    chain: 'chain' in op ? op.chain : '',
    at: bench.clock++,
    op: op.id,
    result: clean,
  });
}

interface WithRuns {
  readonly store: Pick<Store, 'run'>;
}

export function liveOf(bench: WithRuns, run: string) {
  const [live] = bench.store.run(run)?.live ?? [];
  if (!live) throw new Error(`${run} has no live attempt`);
  return live;
}

export function startOf(bench: WithRuns, run: string, at = 5): Event {
  const live = liveOf(bench, run);
  return { type: 'attempt_started', run, chain: live.chain, at, attempt: live.attempt, worker: 'w1' };
}

export function settlementOf(bench: WithRuns, run: string, envelope: Envelope = pass, at = 6): Event {
  const live = liveOf(bench, run);
  return { type: 'attempt_settled', run, chain: live.chain, at, attempt: live.attempt, envelope };
}

/** The present attempt begins and comes back. */
export async function settle(bench: Bench, run: string, envelope: Envelope = pass): Promise<Submitted> {
  await bench.dispatcher.submitEvent(startOf(bench, run));
  return bench.dispatcher.submitEvent(settlementOf(bench, run, envelope));
}

export interface World {
  readonly home: Home;
  readonly root: string;
  git(...args: readonly string[]): string;
  /** Rules of the project are accepted as they are written. */
  write(path: string, text: string): string;
  configure(text: string): void;
  /** Puts another agent in the place of this one. */
  agent(script: string): void;
  /** What agents noted with `note <words>`, line by line. */
  notes(): readonly string[];
}

export const oneAgent = `
executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }
projects: { shop: { root: "%ROOT%" } }
`;

/** A home, and a project `shop` under git, with an agent outside of it. `%ROOT%` and `%AGENT%` are their paths. */
export function givenWorld(agent: string, config = oneAgent): World {
  const folder = tempFolder();
  const root = join(folder, 'shop');
  mkdirSync(root);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: 'pipe' }).trimEnd();
  writeFileSync(join(root, 'README.md'), 'shop\n');
  commitFirst(root);
  const home = openHome(join(folder, 'home'));
  const noted = join(folder, 'noted');
  const agentPath = join(folder, 'agent.sh');
  const putAgent = (script: string) => writeFileSync(agentPath, `note() { echo "$*" >> '${noted}'; }\n${script}\n`);
  putAgent(agent);
  const configure = (text: string) =>
    writeFileSync(home.configPath, text.replaceAll('%ROOT%', root).replaceAll('%AGENT%', agentPath), { mode: 0o600 });
  configure(config);
  const write = (path: string, text: string): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (path === '.ai/step-rules.yaml' || path.startsWith('.ai/workflows/')) acceptProjectRules(home.dir, root);
    return file;
  };
  const notes = () => (existsSync(noted) ? readFileSync(noted, 'utf8').trimEnd().split('\n') : []);
  return { home, root, git, write, configure, agent: putAgent, notes };
}

export const configOf = (world: World) => loadConfig(world.home, {});

/** As a Bosun that dies between a commit and what follows from it. */
export function benchOf(world: World, options: BenchOptions = {}): Bench {
  const parts = { config: configOf(world), secret: world.home.secret, url: '', worktrees: '/worktrees' };
  const jobOf: BenchOptions['jobOf'] = (state, node, attempt) => attemptJob(state, node, attempt, parts);
  return givenBench({ path: world.home.dbPath, homeId: world.home.homeId, jobOf, ...options });
}

export interface RoomOptions {
  readonly present?: Partial<Presenter>;
  readonly log?: (message: string) => void;
  readonly config?: RuntimeParts['config'];
  readonly queue?: NonNullable<RuntimeParts['queue']>;
}

export function roomOf(world: World, options: RoomOptions = {}): Runtime {
  const config = options.config ?? (() => configOf(world));
  const runtime = openRuntime({
    ...runtimeParts,
    home: world.home,
    config,
    present: { ...plainly, ...options.present },
    ...(options.log ? { log: options.log } : {}),
    ...(options.queue ? { queue: options.queue } : {}),
  });
  let closing: Promise<void> | null = null;
  const close = () => {
    closing ??= runtime.close();
    return closing;
  };
  onTestFinished(close);
  // The room's own methods stay where they are; only closing twice is made harmless.
  return new Proxy(runtime, {
    get: (target, key) => (key === 'close' ? close : bound(target, Reflect.get(target, key, target))),
  });
}

function bound(target: object, value: unknown): unknown {
  return typeof value === 'function' ? value.bind(target) : value;
}

/** Where checkout work of a run happens. */
export function siteOf(root: string, run: string, store: Store): CheckoutSite {
  const found = store.run(run) ?? { id: run, project: 'shop' };
  return { root, worktrees: join(root, '..', 'worktrees'), run: found, store };
}

// A store and a dispatcher whose jobs end at once, so that nothing but Bosun's own work is measured.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dispatcher } from '../dist/dispatch/commit/dispatcher.js';
import { RunCache } from '../dist/dispatch/commit/run-cache.js';
import { emptyPlan } from '../dist/dispatch/index.js';
import { emptyEnvelope, loadWorkflow } from '../dist/engine/index.js';
import { openStore } from '../dist/store/index.js';

const steps = Array.from({ length: 10 }, (_, index) => `  - { id: s${index + 1}, prompt: "do it" }`).join('\n');
const loaded = loadWorkflow(
  { file: 'ten.yaml', text: `workflow: ten\nlimits: { dispatches: 100000 }\nchain:\n${steps}\n` },
  () => null,
);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
export const workflow = loaded.workflow;

export const emptyBatch = {
  ...{ events: [], states: [], snapshots: [], jobs: [], cancels: [], extensions: [], messages: [], threads: [] },
  ...{ follows: [], inboxDone: [], records: [], spent: [], calls: [], wants: [], wantsDone: [], outage: null },
};

const passed = { ...emptyEnvelope, exit: 0, result: { status: 'pass', reason: null, summary: 'ok' } };
const silent = {
  notice: () => [],
  reply: () => [],
  broken: (_run, _followers, error) => {
    throw error;
  },
  expiring: () => [],
};

/** In a folder of its own that goes with it, unless the database is to be left somewhere. */
export function openWorld(path = null) {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-'));
  const store = openStore(path ?? join(folder, 'bench.db'), { homeId: 'hbench', threads: [] });
  const cache = new RunCache(store);
  const due = new Map();
  const waiting = new Map();
  /** Settled jobs, which the next exchange ends, as the embedded queue does. */
  let ended = [];
  const dispatcher = new Dispatcher({
    store,
    cache,
    present: silent,
    now: () => 1_000,
    onCommit: () => undefined,
    onBug: (error) => {
      throw error;
    },
    ...{ followersOf: () => [], limitsOf: () => null, lastSign: () => null, waitsFor: () => null },
    ...{ hears: () => null, publicUrl: () => null },
    ...{ audienceOf: () => null, redact: (text) => text, callsOf: () => [] },
    jobOf: (state, _node, attempt) => {
      due.set(state.run.id, { attempt, chain: state.chain.key });
      return {
        id: attempt,
        project: state.run.project,
        run: state.run.id,
        checkout: null,
        group: null,
        priority: 10,
        payload: {},
      };
    },
    act: (flush) => {
      const claims = flush.after.jobs.map(({ id }) => ({ id, worker: 'bench' }));
      if (claims.length + ended.length > 0) store.jobs.exchange(ended, claims, 'bench', Number.MAX_SAFE_INTEGER);
      ended = [];
      for (const { run, op } of flush.after.ops)
        submit({
          type: 'workspace_done',
          run,
          chain: op.chain ?? '',
          at: 1_000,
          op: op.id,
          result: { ok: true, note: null, diffStat: null, commit: null, stash: null },
        });
      for (const run of flush.after.touched.keys()) next(run);
      for (const run of flush.after.ended) {
        waiting.get(run)?.();
        waiting.delete(run);
      }
    },
  });
  let transitions = 0;
  function submit(event) {
    transitions += 1;
    dispatcher
      .submit(() => ({ ...emptyPlan, events: [event] }))
      .catch((error) => {
        throw error;
      });
  }
  function next(run) {
    const job = due.get(run);
    if (job) {
      due.delete(run);
      ended.push(job.attempt);
      submit({ type: 'attempt_started', run, chain: job.chain, at: 1_000, attempt: job.attempt, worker: 'bench' });
      submit({ type: 'attempt_settled', run, chain: job.chain, at: 1_000, attempt: job.attempt, envelope: passed });
    }
  }
  return {
    store,
    get transitions() {
      return transitions;
    },
    async create(number, project, { flow = workflow, items = [], propose = false } = {}) {
      const run = `r${number}`;
      await dispatcher.submit(() => ({
        ...emptyPlan,
        effects: [{ type: 'snapshot', hash: flow.name, workflow: flow }],
        events: [
          {
            type: 'run_created',
            run,
            chain: '',
            at: 1_000,
            by: 'bench',
            number,
            home: 'hbench',
            project,
            workflow: flow.name,
            snapshot: flow.name,
            task: 'bench',
            items,
            context: {},
            level: 'auto',
            afterStory: 'start',
            budgetUsd: null,
            propose,
          },
        ],
      }));
      return run;
    },
    finish(run) {
      return new Promise((resolve) => {
        waiting.set(run, resolve);
        submit({ type: 'start', run, chain: '', at: 1_000, by: 'bench', behind: null });
      });
    },
    submit: (event) => dispatcher.submit(() => ({ ...emptyPlan, events: [event] })),
    close() {
      dispatcher.close();
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

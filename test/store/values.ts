// Values of the engine for store tests: complete, small, and different enough to tell apart.

import type { Attempt, Chain, Event, Interaction, Item, Node, Run, State, Workflow } from '../../src/engine/index.js';
import type { Job } from '../../src/jobs/job.js';
import type { Batch, NewMessage, StoredRecord } from '../../src/store/index.js';
import { batchOf } from '../empty-batch.js';

export const workflow: Workflow = {
  name: 'quick',
  title: 'Quick',
  version: '1',
  inputs: {},
  context: {},
  roles: {},
  policy: {
    level: null,
    onItemFailed: 'fail_run',
    report: 'optional',
    afterStory: null,
    pollMs: 1000,
    stopAtDecisions: 'never',
    adoptLate: false,
    autoMode: false,
    writes: 'check',
  },
  limits: { items: 100, nodesPerItem: 50, dispatches: 500, perItem: 60, insertions: 100, costUsd: null },
  chain: [],
  fragments: {},
  survey: null,
  positions: [],
  exports: ['state'],
};

export const emptyBatch: Batch = batchOf({ snapshots: [{ hash: 'h1', workflow }] });

export function batch(parts: Partial<Batch>): Batch {
  return { ...emptyBatch, ...parts };
}

export function aRun(number: number, parts: Partial<Run> = {}): Run {
  return {
    id: `r${number}`,
    number,
    home: 'h',
    project: 'shop',
    workflow: 'quick',
    snapshot: 'h1',
    task: 'add a café ☕',
    status: 'running',
    pauseReason: null,
    held: false,
    level: 'auto',
    afterStory: 'propose',
    context: { key: 'it\'s "quoted"' },
    credit: 0,
    live: [],
    ops: [],
    prepared: true,
    stash: null,
    counters: { dispatches: 0, nodes: 0, interactions: 0, ops: 0, insertions: 0 },
    dispatchLimit: 500,
    insertionLimit: 100,
    costUsd: 0.41,
    budgetUsd: null,
    tokensIn: 0,
    tokensOut: 0,
    createdBy: 'ada',
    createdAt: 1_700_000_000_000,
    startedAt: null,
    endedAt: null,
    named: null,
    approved: false,
    oneShot: false,
    position: null,
    begin: null,
    scratch: '',
    progress: null,
    grants: [],
    purse: null,
    finishing: null,
    deliver: 'commit',
    branch: null,
    ...parts,
  };
}

export function anItem(key: string, order: number, parts: Partial<Item> = {}): Item {
  return {
    key,
    order,
    title: `Story ${key}`,
    description: '',
    criteria: ['works'],
    dependsOn: [],
    status: 'ready',
    loop: 'stories',
    template: 'stories',
    parent: '',
    complexity: null,
    parallelTags: 0,
    priority: null,
    values: {},
    slot: null,
    rejections: 0,
    startedAt: null,
    endedAt: null,
    ...parts,
  };
}

export function aNode(id: string, parts: Partial<Node> = {}): Node {
  return {
    id,
    label: `step-${id}`,
    template: 'impl',
    kind: 'task',
    title: 'Implement',
    state: 'waiting',
    generation: 1,
    attempt: 1,
    abandons: 0,
    dispatches: 0,
    live: null,
    last: null,
    firstAttempt: null,
    skipReason: null,
    description: null,
    restarts: 0,
    retry: 0,
    args: null,
    params: {},
    insertedBy: null,
    verdict: null,
    ...parts,
  };
}

export function anAttempt(id: string, parts: Partial<Attempt> = {}): Attempt {
  return {
    id,
    generation: 1,
    number: 1,
    state: 'queued',
    dispatchedAt: 1,
    startedAt: null,
    endedAt: null,
    worker: null,
    notes: [],
    outcome: null,
    reason: null,
    summary: null,
    claim: null,
    tests: null,
    checks: [],
    warnings: [],
    filesChanged: [],
    diffStat: null,
    durationMs: 0,
    costUsd: null,
    tokensIn: null,
    tokensOut: null,
    logPath: null,
    team: [],
    session: null,
    resumes: null,
    asks: [],
    denied: [],
    notBefore: null,
    retryAt: null,
    program: null,
    ...parts,
  };
}

export function aChain(key: string, nodes: readonly Node[]): Chain {
  return { key, nodes, labels: nodes.length, edges: {}, notes: [], context: {}, digests: [], scratch: '' };
}

export function anInteraction(id: string, parts: Partial<Interaction> = {}): Interaction {
  return {
    id,
    kind: 'review',
    subject: { type: 'review' },
    chain: '',
    node: null,
    generation: 1,
    text: 'Please look',
    digests: [],
    options: [{ id: 'approve', label: 'Approve', needsText: false }],
    state: 'open',
    openedAt: 5,
    answer: null,
    ...parts,
  };
}

export function aState(run: Run, parts: Partial<State> = {}): State {
  return { workflow, run, items: [], chain: aChain('', []), interactions: [], ...parts };
}

export function aRecord(run: string, chain: string, parts: Partial<StoredRecord['record']> = {}): StoredRecord {
  return {
    run,
    chain,
    at: 7,
    by: null,
    record: { action: 'step_started', chain, step: { label: 'step-001', template: 'coding' }, details: {}, ...parts },
  };
}

export function anEvent(run: string, at: number): Event {
  return { type: 'attempt_started', run, chain: '', at, attempt: `${run}-a${at}`, worker: 'w1' };
}

export function aMessage(thread: string, text: string, parts: Partial<NewMessage> = {}): NewMessage {
  const view = { kind: 'progress', text, buttons: [], offers: [], rings: false, file: null };
  return { thread, run: null, interaction: null, card: null, view, at: 1, ...parts };
}

export function aJob(id: string, parts: Partial<Job> = {}): Job {
  return {
    id,
    project: 'shop',
    run: 'r1',
    checkout: null,
    group: null,
    priority: 0,
    payload: {
      attempt: id,
      token: 't',
      project: 'shop',
      run: 'r1',
      item: '',
      node: 'n1',
      step: 'impl',
      label: 'impl',
      attemptNumber: 1,
      kind: 'agent',
      executor: null,
      prompt: 'do it',
      root: '/srv/shop',
      workdir: '/srv/shop',
      sharedDir: '/srv/shop/.ai/runs/r1',
      logPath: '/tmp/log',
      url: '',
      timeoutMs: 1000,
      red: false,
      tests: null,
      check: null,
      checkTimeoutMs: 1000,
      outputs: null,
      keepsProgress: false,
      isBeside: false,
      slot: null,
      access: 'write',
      agentRole: null,
      resume: null,
      spendUsd: null,
      team: null,
    },
    ...parts,
  };
}

/** A run with `length` nodes, at its first. */
export function aWalk(number: number, length: number, parts: Partial<Run> = {}): State {
  return aState(aRun(number, parts), {
    chain: aChain(
      '',
      Array.from({ length }, (_, at) => aNode(`n${at + 1}`)),
    ),
  });
}

/** The state that comes next, with what changes as the engine changes it: an attempt is queued, starts, passes. */
export function stepped(state: State): State {
  const { run, chain } = state;
  const dispatches = run.counters.dispatches;
  const at = Math.max(0, dispatches - 1) % chain.nodes.length;
  const node = chain.nodes[at] ?? aNode('n1');
  const { live } = node;
  if (live?.state === 'queued')
    return withNode(run, state, at, { ...node, state: 'running', live: { ...live, state: 'running' } });
  if (live !== null) {
    return withNode(run, state, at, {
      ...node,
      state: 'passed',
      live: null,
      last: { ...live, state: 'settled', outcome: 'pass' },
    });
  }
  const next = dispatches % chain.nodes.length;
  const attempt = anAttempt(`${run.id}-${dispatches + 1}`, { dispatchedAt: dispatches });
  const counted = { ...run, counters: { ...run.counters, dispatches: dispatches + 1 } };
  const was = chain.nodes[next] ?? node;
  return withNode(counted, state, next, { ...was, state: 'queued', live: attempt, dispatches: was.dispatches + 1 });
}

function withNode(run: Run, state: State, at: number, node: Node): State {
  const live =
    node.live === null ? [] : [{ attempt: node.live.id, chain: '', node: node.id, step: 'impl', startedAt: null }];
  return { ...state, run: { ...run, live }, chain: { ...state.chain, nodes: state.chain.nodes.with(at, node) } };
}

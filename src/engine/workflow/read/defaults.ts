import type { Expects, Gate, JobDef, Limits, NodeDef, NodeFields, NodeKind, Policy, Workflow } from '../definition.js';
import { mapDefinitions } from '../definitions.js';
import { asksPerson, nodeKinds, runsAgent, runsJob } from '../node-kinds.js';
import { reportCarriesOf } from '../routes.js';
import type { NodePatch } from './read-node.js';

export const defaultPolicy: Policy = {
  level: null,
  onItemFailed: 'fail_run',
  report: null,
  afterStory: null,
  pollMs: 60_000,
  stopAtDecisions: 'never',
  adoptLate: false,
  autoMode: false,
  writes: 'check',
};

export const defaultLimits: Omit<Limits, 'insertions'> = {
  items: 20,
  nodesPerItem: 30,
  dispatches: 500,
  perItem: 60,
  costUsd: null,
};

export const defaultRestarts = 3;

const defaultTimeoutMs = 30 * 60_000;
const anyReport: Expects = { status: null, keys: [], items: 'any', red: false };

export interface NodeDefaults {
  readonly timeoutMs: number | undefined;
  readonly onTimeout: JobDef['onTimeout'];
  readonly maxRestarts: number;
  /** Null: depends on the node's position. */
  readonly editable: boolean | null;
  readonly work: WorkDefaults;
}

export type WorkDefaults = Partial<Pick<JobDef, 'maxAttempts' | 'abandons' | 'maxLoops' | 'onExhausted' | 'needs'>>;

type Written = Omit<NodePatch, 'gate'> &
  Pick<NodeFields, 'id' | 'body' | 'stepTypes'> &
  Pick<StoredNode, 'kind' | 'gate'>;

/** Has other kinds' fields at their defaults. */
type StoredNode = NodeFields & { readonly kind: NodeKind; readonly gate: Gate | null };

/** Without a job the timeout is 0. */
export function complete(written: Written, defaults: NodeDefaults): NodeDef {
  const { id } = written;
  const works = runsJob(written);
  const node: StoredNode = {
    ...usual,
    title: id,
    timeoutMs: works ? (defaults.timeoutMs ?? defaultTimeoutMs) : 0,
    onTimeout: defaults.onTimeout,
    maxRestarts: defaults.maxRestarts,
    editable: runsAgent(written) && defaults.editable === true,
    ...(works ? defaults.work : {}),
    ...written,
    onFail: { default: { type: 'retry', budget: 'attempts' }, ...written.onFail },
    onAnswer: asksPerson(written) ? (written.onAnswer ?? null) : null,
    team: runsAgent(written) ? (written.team ?? null) : null,
  };
  const isBare = works && !runsAgent(written) && !written.check && !written.tests;
  return withKeysThatAreRead(ofItsKind(isBare ? checkedByProject(node, written) : node));
}

const usual = {
  role: null,
  prompt: null,
  call: null,
  args: null,
  reads: [],
  writes: [],
  expects: anyReport,
  outputs: null,
  check: null,
  tests: null,
  maxAttempts: 3,
  abandons: 2,
  maxLoops: 3,
  rollback: false,
  mandatory: false,
  freshSession: true,
  insertBy: 'anyone',
  pinLast: false,
  afterAny: [],
  barrier: false,
  needs: null,
  when: null,
  onPass: { type: 'next' },
  onStatus: {},
  decisionKey: null,
  onDecision: {},
  onExhausted: 'ask',
  maxRejections: 2,
  over: 'items',
  parallel: 1,
  isolate: 'shared',
  onItemDone: null,
} as const satisfies Partial<NodeFields>;

/** Keeps every field in order: snapshots' JSON and hashes must stay equal. */
function ofItsKind(node: StoredNode): NodeDef {
  const { kind, gate } = node;
  switch (kind) {
    case 'task':
      return { ...node, kind };
    case 'check':
      return { ...node, kind };
    case 'human':
      return { ...node, kind };
    case 'loop':
      return { ...node, kind };
    case 'decision':
      if (gate === null) throw new Error(`the decision ${node.id} has no gate`);
      return { ...node, kind, gate };
  }
}

/** Without a command: the project's. */
function checkedByProject(node: StoredNode, written: Written): StoredNode {
  return {
    ...node,
    check: written.check === undefined ? '{{project.check}}' : null,
    tests: written.tests === undefined ? 'project' : null,
  };
}

/** These named the next story before they declared NEXT_STORY. */
const namedStoryUndeclared: ReadonlySet<string> = new Set(['update-memory']);

/** Earlier versions granted it by step id. */
export function reliesOnOldGrant(node: NodeDef): node is JobDef {
  return runsJob(node) && node.outputs === null && namedStoryUndeclared.has(node.id);
}

export function readSnapshot(stored: Workflow): Workflow {
  return withOldGrants({ ...stored, chain: stored.chain.map(withKind) });
}

function withKind(stored: NodeDef): NodeDef {
  const { kind, body = [] }: { kind?: NodeKind; body?: readonly NodeDef[] } = stored;
  if (kind !== undefined && !Object.hasOwn(nodeKinds, kind)) throw new Error(`unknown kind of node "${kind}"`);
  const inner = body.length === 0 ? {} : { body: body.map(withKind) };
  // Every field, for every kind.
  return { ...stored, kind: kind ?? (body.length > 0 ? 'loop' : 'task'), ...inner } as NodeDef;
}

/** Makes the grant explicit, also in stored workflows. */
export function withOldGrants(workflow: Workflow): Workflow {
  return mapDefinitions(workflow, (node) => (reliesOnOldGrant(node) ? { ...node, mayNameStory: true } : node));
}

export function withKeysThatAreRead(node: NodeDef): NodeDef {
  if (!runsJob(node) || node.outputs === null) return node;
  const decision = node.decisionKey === null || node.decisionKey === 'DECISION' ? [] : [node.decisionKey];
  const keys = [...node.outputs, ...node.expects.keys, ...decision, ...reportCarriesOf(node).map((one) => one.from)];
  return { ...node, outputs: [...new Set(keys)] };
}

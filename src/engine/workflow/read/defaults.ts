// Defaults for what a workflow leaves out.
import type { Expects, Limits, NodeDef, Policy, Workflow } from '../definition.js';
import { mapDefinitions } from '../definitions.js';
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

/** From the workflow or the node's role. */
export interface NodeDefaults {
  readonly timeoutMs: number | undefined;
  readonly onTimeout: NodeDef['onTimeout'];
  readonly maxRestarts: number;
  /** null: by the node's position. */
  readonly editable: boolean | null;
  /** For tasks and checks. */
  readonly work: WorkDefaults;
}

export type WorkDefaults = Partial<Pick<NodeDef, 'maxAttempts' | 'abandons' | 'maxLoops' | 'onExhausted' | 'needs'>>;

type Written = Omit<NodePatch, 'gate'> & Pick<NodeDef, 'id' | 'kind' | 'body' | 'stepTypes' | 'gate'>;

/** Fills in every default. People, decisions and loops have no timeout: 0. */
export function complete(written: Written, defaults: NodeDefaults): NodeDef {
  const { id, kind } = written;
  const works = kind === 'task' || kind === 'check';
  const node: NodeDef = {
    ...usual,
    title: id,
    timeoutMs: works ? (defaults.timeoutMs ?? defaultTimeoutMs) : 0,
    onTimeout: defaults.onTimeout,
    maxRestarts: defaults.maxRestarts,
    editable: kind === 'task' && defaults.editable === true,
    ...(works ? defaults.work : {}),
    ...written,
    onFail: { default: { type: 'retry', budget: 'attempts' }, ...written.onFail },
    onAnswer: kind === 'human' ? (written.onAnswer ?? null) : null,
    team: kind === 'task' ? (written.team ?? null) : null,
  };
  return withKeysThatAreRead(
    kind === 'check' && !written.check && !written.tests ? checkedByProject(node, written) : node,
  );
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
} as const satisfies Partial<NodeDef>;

/** A check without a command runs the project's check and tests. */
function checkedByProject(node: NodeDef, written: Written): NodeDef {
  return {
    ...node,
    check: written.check === undefined ? '{{project.check}}' : null,
    tests: written.tests === undefined ? 'project' : null,
  };
}

/** Shipped steps that could name the next story before they declared the output NEXT_STORY. */
const namedStoryUndeclared: ReadonlySet<string> = new Set(['update-memory']);

/** Earlier versions granted this by the step's id. */
export function reliesOnOldGrant({ id, outputs }: NodeDef): boolean {
  return outputs === null && namedStoryUndeclared.has(id);
}

/** Makes the grant explicit, also in stored workflows. */
export function withOldGrants(workflow: Workflow): Workflow {
  return mapDefinitions(workflow, (node) => (reliesOnOldGrant(node) ? { ...node, mayNameStory: true } : node));
}

/** Adds the keys that the node itself uses to its declared outputs. */
export function withKeysThatAreRead(node: NodeDef): NodeDef {
  if (node.outputs === null) return node;
  const decision = node.decisionKey === null || node.decisionKey === 'DECISION' ? [] : [node.decisionKey];
  const keys = [...node.outputs, ...node.expects.keys, ...decision, ...reportCarriesOf(node).map((one) => one.from)];
  return { ...node, outputs: [...new Set(keys)] };
}

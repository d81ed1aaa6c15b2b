// What holds where a workflow says nothing.
import type { Expects, Limits, NodeDef, Policy } from './definition.js';
import type { NodePatch } from './read-node.js';
import { carriesOf } from './routes.js';

export const defaultPolicy: Policy = {
  level: null,
  onItemFailed: 'fail_run',
  report: 'optional',
  afterStory: null,
  pollMs: 60_000,
};

export const defaultLimits: Limits = { items: 20, nodesPerItem: 30, dispatches: 500 };

const defaultTimeoutMs = 30 * 60_000;
const anyReport: Expects = { status: null, keys: [], items: 'any', red: false };

export interface NodeDefaults {
  /** What the workflow, or the node's role, sets for nodes that set nothing. */
  readonly timeoutMs: number | undefined;
  readonly onTimeout: NodeDef['onTimeout'];
}

/** A node with every default filled in. People and loops have no time limit: 0. */
export function complete(written: NodePatch & Pick<NodeDef, 'id' | 'kind' | 'body'>, defaults: NodeDefaults): NodeDef {
  const { id, kind } = written;
  const isTimed = kind === 'task' || kind === 'check';
  const node: NodeDef = {
    role: null,
    prompt: null,
    reads: [],
    writes: [],
    outputs: null,
    check: null,
    tests: null,
    maxAttempts: 3,
    abandons: 2,
    maxLoops: 3,
    rollback: false,
    mandatory: false,
    onPass: { type: 'next' },
    onStatus: {},
    decisionKey: null,
    onDecision: {},
    onExhausted: 'ask',
    onTimeout: defaults.onTimeout,
    maxRejections: 2,
    expects: anyReport,
    timeoutMs: isTimed ? (defaults.timeoutMs ?? defaultTimeoutMs) : 0,
    title: id,
    ...written,
    onFail: { default: { type: 'retry' }, ...written.onFail },
  };
  return withKeysThatAreRead(
    kind === 'check' && !written.check && !written.tests ? checkedByProject(node, written) : node,
  );
}

/** A check that names no command runs what the project has. */
function checkedByProject(node: NodeDef, written: NodePatch): NodeDef {
  return {
    ...node,
    check: written.check === undefined ? '{{project.check}}' : null,
    tests: written.tests === undefined ? 'project' : null,
  };
}

/** A key that the node itself relies on is among its outputs, also where the list leaves it out. */
export function withKeysThatAreRead(node: NodeDef): NodeDef {
  if (node.outputs === null) return node;
  const decision = node.decisionKey === null || node.decisionKey === 'DECISION' ? [] : [node.decisionKey];
  const keys = [...node.outputs, ...node.expects.keys, ...decision, ...carriesOf(node).map((one) => one.from)];
  return { ...node, outputs: [...new Set(keys)] };
}

// Fragments, gates and edits for tests of chains that grow, and views of what happened to them.
import type {
  EditOp,
  Record as Entry,
  Envelope,
  EvidenceFile,
  Expression,
  Fragment,
  FragmentNode,
  Gate,
  Insert,
  NodeDef,
  WorkspaceOp,
  WorkspaceResult,
} from '../../src/engine/index.js';
import { parseExpression } from '../../src/engine/workflow/expressions/expression.js';
import { clean, def, item, loop, type Player, pass, workflow } from './builders.js';

export function when(text: string): Expression {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.expression;
}

export function insert(fragment: string, patch: Partial<Insert> = {}): Insert {
  return { type: 'insert', fragment, args: [], carry: {}, say: null, ...patch };
}

/** Nodes by the template that they name again, or with more said about them. */
export function fragment(
  id: string,
  nodes: readonly (string | (Partial<FragmentNode> & { readonly template: string }))[],
  patch: Partial<Fragment> = {},
): { readonly [id: string]: Fragment } {
  const full = nodes.map((one): FragmentNode => {
    const plain = { args: null, retry: 'fresh', when: null } as const;
    return typeof one === 'string' ? { ...plain, template: one } : { ...plain, ...one };
  });
  return { [id]: { id, params: [], nodes: full, defs: [], ...patch } };
}

export function gate(id: string, patch: Partial<Gate> = {}, more: Partial<NodeDef> = {}): NodeDef {
  const judged: Gate = {
    evidence: [{ file: 'result.json', as: '', isOptional: false }],
    failWhen: when('passed != true'),
    maxRetries: 2,
    onFail: insert('fix'),
    onEscalate: insert('escalate'),
    say: null,
    ...patch,
  };
  return def(id, { kind: 'decision', gate: judged, ...more });
}

export function found(value: unknown, file = 'result.json'): WorkspaceResult {
  return evidence({ [file]: { found: true, value } });
}

export function evidence(files: Readonly<{ [file: string]: EvidenceFile }>): WorkspaceResult {
  return { ...clean, evidence: files };
}

/** The ten steps of a story. */
export const tenSteps: readonly NodeDef[] = [
  def('context_gathering'),
  ...['planning', 'architecture', 'test_architecture', 'coding'].map((id) => step(id)),
  step('linting', { editable: false, mandatory: true, afterAny: ['coding'] }),
  step('initial_testing'),
  step('review'),
  step('prune_tests', { editable: false }),
  step('final_review', { mandatory: true, pinLast: true }),
];

/** What nobody retries, and what may edit the steps after it. */
export function step(id: string, patch: Partial<NodeDef> = {}): NodeDef {
  return def(id, { title: `About ${id}`, maxAttempts: 1, abandons: 0, onExhausted: 'fail', editable: true, ...patch });
}

export const resolve = step('rebase_resolve', { editable: false, insertBy: 'system' });

export const ralph = workflow([loop('stories', tenSteps, { stepTypes: [resolve, step('spike')] })], {
  exports: ['state', 'workflow-state'],
});

export const oneStory = { items: [item('A')] };

export function edited(...ops: readonly EditOp[]): Envelope {
  return { ...noted, edits: { ok: true, ops } };
}

/** A pass with something for the steps after it to know. */
export const noted: Envelope = { ...pass, output: { ...pass.output, summary: 'Looked at it' } };

export function addAfter(target: string, ...types: readonly string[]): EditOp {
  const steps = types.map((type) => ({ type, description: `More ${type}` }));
  return { operation: 'add_after', target, reason: 'it needs more', steps };
}

export function split(target: string, ...types: readonly string[]): EditOp {
  return { ...addAfter(target, ...types), operation: 'split' } as EditOp;
}

export function skip(target: string, reason = 'not needed'): EditOp {
  return { operation: 'skip', target, reason };
}

export function reorder(...order: readonly string[]): EditOp {
  return { operation: 'reorder', order, reason: 'a better order' };
}

export function describeAnew(target: string, description = 'Other words'): EditOp {
  return { operation: 'edit_description', target, reason: 'clearer', description };
}

export function restart(target: string, description = 'Another way'): EditOp {
  return { operation: 'restart', target, reason: 'a dead end', description };
}

/** Label and template of each step of a chain, in order: `001 planning`. */
export function steps(player: Player, chain = ''): readonly string[] {
  return player.nodes(chain).map((one) => `${one.label.slice('step-'.length)} ${one.template}`);
}

/** Those that come after the one that is done. */
export function rest(player: Player, chain = ''): string {
  const open = player.nodes(chain).filter((one) => one.state !== 'passed');
  return open.map((one) => `${one.template}:${one.state}`).join(' ');
}

export function entries(player: Player, action?: Entry['action']): readonly Entry[] {
  const all = player.effects.flatMap((effect) => (effect.type === 'record' ? [effect.record] : []));
  return action === undefined ? all : all.filter((one) => one.action === action);
}

export function told(player: Player): readonly string[] {
  return player.notices.flatMap((one) => (one.type === 'told' ? [one.text] : []));
}

export function optionsOf(player: Player): readonly string[] {
  return player.open.flatMap((one) => one.options.map((option) => option.id));
}

/** The work on checkouts that is under way: `merge A`. */
export function works(player: Player): readonly string[] {
  return player.run.ops.map((op) => `${op.kind} ${'chain' in op ? op.chain : ''}`.trim());
}

export function lives(player: Player): readonly string[] {
  return player.run.live.map((one) => `${one.chain}/${one.step}`);
}

export function settleIn(player: Player, chain: string, envelope: Envelope = pass): Player {
  const live = player.run.live.find((one) => one.chain === chain || `${one.chain}/${one.step}` === chain);
  if (!live) throw new Error(`nothing is live in ${chain}`);
  const { attempt } = live;
  player.do({ type: 'attempt_started', chain: live.chain, attempt, worker: 'w1' });
  return player.do({ type: 'attempt_settled', chain: live.chain, attempt, envelope });
}

export function workOn(player: Player, kind: WorkspaceOp['kind'], chain = '', result: WorkspaceResult = clean): Player {
  const op = player.run.ops.find((one) => one.kind === kind && ('chain' in one ? one.chain : '') === chain);
  if (!op) throw new Error(`no ${kind} of ${chain} is under way`);
  return player.do({ type: 'workspace_done', chain, op: op.id, result });
}

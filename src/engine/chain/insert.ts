import type { DecisionDraft } from '../model/draft/draft.js';
import type { Node } from '../model/model.js';
import { fill, type Values } from '../text/template.js';
import type { Fragment, FragmentNode, Insert } from '../workflow/definition.js';
import { holds } from '../workflow/index.js';
import { newNode } from './chain.js';

/**
 * Null: done; else the reason against it. `retry`: an inserted gate's count. `again`: a gate to repeat after the
 * fragment.
 */
export function insertFragment(
  tx: DecisionDraft,
  after: Node,
  insert: Pick<Insert, 'fragment' | 'args'>,
  retry = 0,
  again: string | null = null,
): string | null {
  const { fragment, params, nodes } = laidOut(tx, after, insert);
  const last = again === null ? [] : [{ template: again, args: null, retry: 'next', when: null } as const];
  const made = [...nodes, ...last].map((one, index) => instance(tx, one, { after, params, retry, index }));
  return insertNodes(tx, after, made, fragment.id);
}

export function comesBack(tx: DecisionDraft, after: Node, insert: Pick<Insert, 'fragment' | 'args'>): boolean {
  const { params, nodes } = laidOut(tx, after, insert);
  return nodes.some((one) => withParams(one.template, params) === after.template);
}

function laidOut(tx: DecisionDraft, after: Node, insert: Pick<Insert, 'fragment' | 'args'>) {
  const fragment = fragmentOf(tx, insert.fragment);
  const nodes = fragment.nodes.filter((one) => one.when === null || holds(one.when, factsOf(tx)));
  return { fragment, params: paramsOf(fragment, insert.args, after), nodes };
}

/** Null: done; else the reason against it. */
export function insertStep(tx: DecisionDraft, template: string, before: Node): string | null {
  const { nodes } = tx.chain;
  const { counters, insertionLimit } = tx.run;
  if (counters.insertions >= insertionLimit) return `the run's ${insertionLimit} insertions are used up`;
  const after = nodes[nodes.findIndex((node) => node.id === before.id) - 1] ?? null;
  const made = instance(
    tx,
    { template, args: null, retry: 'fresh', when: null },
    { after: before, params: {}, retry: 0, index: 0 },
  );
  return insertNodes(tx, after, [made], template);
}

export function factsOf(tx: DecisionDraft): Values {
  const { run, chain, item } = tx;
  return { ...run.context, ...chain.context, ...item?.values, position: run.position ?? '' };
}

interface InsertionPoint {
  readonly after: Node;
  readonly params: Readonly<Record<string, string>>;
  readonly retry: number;
  readonly index: number;
}

function instance(tx: DecisionDraft, step: FragmentNode, { after, params, retry, index }: InsertionPoint): Node {
  const template = withParams(step.template, params);
  const { counters } = tx.run;
  const node = newNode(tx.def({ template }), counters.nodes + index + 1, tx.chain.labels + index + 1);
  return {
    ...node,
    args: step.args === null ? null : withParams(step.args, params),
    params,
    insertedBy: after.id,
    retry: step.retry === 'next' ? retry : 0,
  };
}

function insertNodes(tx: DecisionDraft, after: Node | null, made: readonly Node[], fragment: string): string | null {
  const { chain, run, workflow } = tx;
  const most = workflow.limits.nodesPerItem;
  if (chain.nodes.length + made.length > most) {
    return `${made.length} more steps would make ${chain.nodes.length + made.length}; ${most} are allowed`;
  }
  const at = after === null ? 0 : chain.nodes.findIndex((node) => node.id === after.id) + 1;
  const nodes = [...chain.nodes.slice(0, at), ...made, ...chain.nodes.slice(at)];
  tx.setChain({ nodes, labels: chain.labels + made.length });
  const { counters } = run;
  tx.setRun({
    counters: { ...counters, nodes: counters.nodes + made.length, insertions: counters.insertions + 1 },
  });
  const labels = (list: readonly Node[]) => list.map((node) => node.label);
  tx.record('inserted', after, {
    fragment,
    steps: made.map((node) => ({ id: node.label, type: node.template })),
    before: labels(chain.nodes),
    after: labels(nodes),
  });
  return null;
}

function fragmentOf(tx: DecisionDraft, id: string): Fragment {
  const found = Object.hasOwn(tx.workflow.fragments, id) ? tx.workflow.fragments[id] : undefined;
  if (!found) throw new Error(`no fragment ${id} in ${tx.workflow.name}`);
  return found;
}

/** `$gate` is one of the node's own parameters. */
function paramsOf(fragment: Fragment, args: readonly string[], after: Node): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fragment.params.map((name, index) => [name, withParams(String(args[index]), after.params)]),
  );
}

function withParams(text: string, params: Readonly<Record<string, string>>): string {
  return text.replace(/\$([A-Za-z]\w{0,60})/g, (whole, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : whole,
  );
}

export function sayFilled(text: string, values: Values): string {
  return fill(text, values).text;
}

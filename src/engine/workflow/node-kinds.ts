// One row per kind (decision 0034). A new kind is a type in definition.ts and a row; the compiler names the rest.
import type { NodeDef, NodeKind } from './definition.js';

interface NodeKindFacts {
  /** Has attempts and budgets: can be retried, rolled back and named by people. */
  readonly runsJob: boolean;
  /** A coding agent reads notes, changes files, reports. */
  readonly runsAgent: boolean;
  readonly asksPerson: boolean;
  readonly judgesFiles: boolean;
  /** Its items walk its body; the node itself is no step. */
  readonly hasBody: boolean;
  /** Label on the page; '' for the usual kind. */
  readonly tag: string;
  readonly tone: 'quiet' | 'ok' | 'wait' | 'run';
  readonly shape: 'box' | 'stadium' | 'hexagon' | 'diamond';
}

const none = { runsJob: false, runsAgent: false, asksPerson: false, judgesFiles: false, hasBody: false } as const;

export const nodeKinds = {
  task: { ...none, runsJob: true, runsAgent: true, tag: '', tone: 'quiet', shape: 'box' },
  check: { ...none, runsJob: true, tag: 'check', tone: 'ok', shape: 'stadium' },
  human: { ...none, asksPerson: true, tag: 'review', tone: 'wait', shape: 'hexagon' },
  decision: { ...none, judgesFiles: true, tag: 'gate', tone: 'run', shape: 'diamond' },
  loop: { ...none, hasBody: true, tag: 'loop', tone: 'quiet', shape: 'box' },
} as const satisfies Readonly<Record<NodeKind, NodeKindFacts>>;

export const kindWords = Object.keys(nodeKinds) as readonly NodeKind[];

type Claim = 'runsJob' | 'runsAgent' | 'asksPerson' | 'judgesFiles' | 'hasBody';
type KindWhere<Fact extends Claim> = {
  [Kind in NodeKind]: (typeof nodeKinds)[Kind][Fact] extends true ? Kind : never;
}[NodeKind];

/** A definition, too, which the answer narrows. */
interface Kinded {
  readonly kind: NodeKind;
}
type Where<Fact extends Claim> = { readonly kind: KindWhere<Fact> };

export function runsJob<N extends Kinded>(node: N): node is N & Where<'runsJob'> {
  return nodeKinds[node.kind].runsJob;
}

export function runsAgent<N extends Kinded>(node: N): node is N & Where<'runsAgent'> {
  return nodeKinds[node.kind].runsAgent;
}

export function asksPerson<N extends Kinded>(node: N): node is N & Where<'asksPerson'> {
  return nodeKinds[node.kind].asksPerson;
}

export function judgesFiles<N extends Kinded>(node: N): node is N & Where<'judgesFiles'> {
  return nodeKinds[node.kind].judgesFiles;
}

export function hasBody<N extends Kinded>(node: N): node is N & Where<'hasBody'> {
  return nodeKinds[node.kind].hasBody;
}

/** No run may begin behind it. */
export function isDecided(node: Kinded): boolean {
  return asksPerson(node) || judgesFiles(node);
}

/** Includes nodes that edits may add. */
export function innerNodes(node: NodeDef): readonly NodeDef[] {
  return hasBody(node) ? [...node.body, ...node.stepTypes] : [];
}

/** A value of its report chooses the route, in place of `on_pass`. */
export function isRoutedByKey(node: NodeDef): boolean {
  return runsJob(node) && node.decisionKey !== null;
}

export function isEditable(node: NodeDef): boolean {
  return runsJob(node) && node.editable;
}

export function bodyOf(node: NodeDef): readonly NodeDef[] {
  return hasBody(node) ? node.body : [];
}

/** A body in place of its loop. */
export function walkedSteps(chain: readonly NodeDef[]): readonly NodeDef[] {
  return chain.flatMap((node) => (hasBody(node) ? node.body : [node]));
}

import type { Insert, NodeDef, Route } from './definition.js';
import { asksPerson, judgesFiles, runsJob } from './node-kinds.js';

interface PlacedRoute {
  /** `['impl', 'on_fail', 'default']`. */
  readonly path: readonly string[];
  readonly route: Route;
}

export interface PlacedInsert {
  readonly path: readonly string[];
  readonly insert: Insert;
  /** A gate carries values from its evidence, not from a report. */
  readonly isOfGate: boolean;
}

export function routesOf(node: NodeDef): PlacedRoute[] {
  const groups = {
    on_fail: node.onFail,
    ...(runsJob(node) && { on_status: node.onStatus, on_decision: node.onDecision }),
    ...(asksPerson(node) && { on_answer: node.onAnswer ?? {} }),
  };
  const grouped = Object.entries(groups).flatMap(([key, routes]) =>
    Object.entries(routes).map(([word, route]) => ({ path: [node.id, key, word], route })),
  );
  return [{ path: [node.id, 'on_pass'], route: node.onPass }, ...grouped];
}

export function insertsOf(node: NodeDef): PlacedInsert[] {
  const byRoute = routesOf(node).flatMap(({ path, route }) =>
    route.type === 'insert' ? [{ path, insert: route, isOfGate: false }] : [],
  );
  const exhausted =
    !runsJob(node) || typeof node.onExhausted === 'string'
      ? []
      : [{ path: [node.id, 'on_exhausted'], insert: node.onExhausted, isOfGate: false }];
  return [...byRoute, ...exhausted, ...gateInserts(node)];
}

function gateInserts(node: NodeDef): PlacedInsert[] {
  if (!judgesFiles(node) || node.gate.onFail.fragment === '') return [];
  const { onFail, onEscalate } = node.gate;
  const fix = { path: [node.id, 'on', 'fix'], insert: onFail, isOfGate: true };
  return onEscalate === null ? [fix] : [fix, { path: [node.id, 'on', 'escalate'], insert: onEscalate, isOfGate: true }];
}

export function mapInserts(node: NodeDef, change: (insert: Insert, isOfGate: boolean) => Insert): NodeDef {
  const one = (route: Route): Route => (route.type === 'insert' ? change(route, false) : route);
  const all = <R extends Readonly<Record<string, Route>>>(routes: R) =>
    Object.fromEntries(Object.entries(routes).map(([word, route]) => [word, one(route)]));
  const base = { onPass: one(node.onPass), onFail: all(node.onFail) };
  if (runsJob(node)) {
    const { onStatus, onDecision, onExhausted } = node;
    const exhausted = typeof onExhausted === 'string' ? onExhausted : change(onExhausted, false);
    return { ...node, ...base, onStatus: all(onStatus), onDecision: all(onDecision), onExhausted: exhausted };
  }
  if (asksPerson(node)) return { ...node, ...base, onAnswer: node.onAnswer && all(node.onAnswer) };
  if (!judgesFiles(node)) return { ...node, ...base };
  const { onFail, onEscalate } = node.gate;
  const gate = { onFail: change(onFail, true), onEscalate: onEscalate && change(onEscalate, true) };
  return { ...node, ...base, gate: { ...node.gate, ...gate } };
}

interface CarriedValue {
  readonly to: string;
  readonly from: string;
}

export function reportCarriesOf(node: NodeDef): readonly CarriedValue[] {
  const byGoto = routesOf(node).flatMap(({ route }) => (route.type === 'goto' ? pairsOf(route.carry) : []));
  return [...byGoto, ...insertsOf(node).flatMap((one) => (one.isOfGate ? [] : pairsOf(one.insert.carry)))];
}

export function carriesOf(node: NodeDef): readonly CarriedValue[] {
  return [...reportCarriesOf(node), ...gateInserts(node).flatMap((one) => pairsOf(one.insert.carry))];
}

function pairsOf(carry: Readonly<Record<string, string>>): CarriedValue[] {
  return Object.entries(carry).map(([to, from]) => ({ to, from }));
}

// Questions to a node about its routes.
import type { NodeDef, Route } from './definition.js';

export interface PlacedRoute {
  /** From the node's id to the word that leads there: `['impl', 'on_fail', 'default']`. */
  readonly path: readonly string[];
  readonly route: Route;
}

/** Every route that a node declares, with the path at which it was written. */
export function routesOf(node: NodeDef): PlacedRoute[] {
  const groups = { on_fail: node.onFail, on_status: node.onStatus, on_decision: node.onDecision };
  const grouped = Object.entries(groups).flatMap(([key, routes]) =>
    Object.entries(routes).map(([word, route]) => ({ path: [node.id, key, word], route })),
  );
  return [{ path: [node.id, 'on_pass'], route: node.onPass }, ...grouped];
}

/** What a node's routes fill from its report. */
export function carriesOf(node: NodeDef): readonly { readonly to: string; readonly from: string }[] {
  return routesOf(node).flatMap(({ route }) =>
    route.type === 'goto' ? Object.entries(route.carry).map(([to, from]) => ({ to, from })) : [],
  );
}
